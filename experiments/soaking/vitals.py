"""What a process holds now: memory, descriptors, threads and children, and of this one its blackboard and objects."""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from py_trees.blackboard import Blackboard

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Held", "Vitals", "children", "held"]

_PROCESSES = Path("/proc")


class Held(NamedTuple):
    """What the system says that a process holds at an instant.

    Attributes:
        memory_mb: memory that is resident, MB (a million bytes)
        descriptors: open file descriptors
        threads: threads, those of libraries among them
        children: child processes
    """

    memory_mb: float
    descriptors: int
    threads: int
    children: int


def held(process: int | None = None) -> Held:
    """Return what a process holds.

    Args:
        process: its number; this process where None

    Raises:
        ArenaTreesError: there is no /proc, from which this is read, or no such process any more
    """
    number = os.getpid() if process is None else process
    folder = _PROCESSES / str(number)
    try:
        pages = int((folder / "statm").read_text().split()[1])
        descriptors = len(os.listdir(folder / "fd"))
        threads = len(os.listdir(folder / "task"))
    except (FileNotFoundError, ProcessLookupError) as error:
        reason = f"process {number} has ended" if _PROCESSES.joinpath("self").exists() else "only Linux has it"
        raise ArenaTreesError(f"a soak reads {folder}: {reason}") from error
    if number == os.getpid():
        # One more is open while they are listed, each time.
        descriptors -= 1
    return Held(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, descriptors, threads, len(children(number)))


def children(process: int) -> list[int]:
    """Return the numbers of the processes that a process has started and that have not ended, in their order."""
    found: list[str] = []
    for task in _PROCESSES.glob(f"{process}/task/*/children"):
        # A thread may have ended by now.
        with suppress(FileNotFoundError, ProcessLookupError):
            found += task.read_text().split()
    return sorted(map(int, found))


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
        """Return what this process holds once its garbage is collected, and free memory given back to the system.

        glibc keeps what is freed below something that is still used; how much that is differs from trial to trial.

        Raises:
            ArenaTreesError: there is no /proc, from which this is read
        """
        gc.collect()
        _give_back_free_memory()
        return cls(
            **held()._asdict(),
            board_keys=len(Blackboard.storage),
            board_metadata=len(Blackboard.metadata),
            board_clients=len(Blackboard.clients),
            objects=len(gc.get_objects()),
        )


def _give_back_free_memory() -> None:
    """Give the system what the allocator keeps free, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
