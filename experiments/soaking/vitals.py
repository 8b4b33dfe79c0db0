"""What a process holds now: memory, descriptors, threads, children, its blackboard and its objects."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass
from pathlib import Path

from py_trees.blackboard import Blackboard

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Vitals"]

_PROCESS = Path("/proc/self")


@dataclass(frozen=True, slots=True)
class Vitals:
    """What this process holds at an instant.

    Attributes:
        memory_mb: memory that is resident, MB (a million bytes)
        descriptors: open file descriptors
        threads: threads, those of libraries among them
        children: child processes
        board_keys: keys of the blackboard that have a value
        board_metadata: keys of the blackboard that somebody has registered
        board_clients: clients of the blackboard
        objects: Python objects that the garbage collector tracks
    """

    memory_mb: float
    descriptors: int
    threads: int
    children: int
    board_keys: int
    board_metadata: int
    board_clients: int
    objects: int

    @classmethod
    def measured(cls) -> Vitals:
        """Return what this process holds once its garbage is collected.

        Raises:
            ArenaTreesError: there is no /proc, from which this is read
        """
        gc.collect()
        try:
            pages = int((_PROCESS / "statm").read_text().split()[1])
            # One more is open while they are listed, each time.
            descriptors = len(os.listdir(_PROCESS / "fd"))
            threads = os.listdir(_PROCESS / "task")
            children = sum(len(_children(_PROCESS / "task" / thread)) for thread in threads)
        except FileNotFoundError as error:
            raise ArenaTreesError(f"a soak reads {error.filename}, which only Linux has") from error
        return cls(
            memory_mb=pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
            descriptors=descriptors - 1,
            threads=len(threads),
            children=children,
            board_keys=len(Blackboard.storage),
            board_metadata=len(Blackboard.metadata),
            board_clients=len(Blackboard.clients),
            objects=len(gc.get_objects()),
        )


def _children(task: Path) -> list[str]:
    """Return the process numbers of what a thread has started; none of a thread that has just ended."""
    try:
        return (task / "children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
