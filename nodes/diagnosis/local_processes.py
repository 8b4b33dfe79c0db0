"""Processes of this machine that run nodes of ours: one that is stopped vanishes from the graph, and lives on."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena_trees.nodes.programs.program import node_name

__all__ = ["LocalProcess", "local_processes"]

_STOPPED = "is stopped"
_STATES = {"T": _STOPPED, "t": _STOPPED, "D": "waits for a device", "R": "runs", "S": "sleeps"}
"""``proc(5)``, of /proc/PID/stat."""
_DEAD = "ZX"
_START = 19
"""Place of the start time in that file, behind the name of the program; in clock ticks since the machine was booted."""


@dataclass(frozen=True, slots=True)
class LocalProcess:
    """A process that runs a node.

    Attributes:
        pid: its number
        state: as the kernel reports it, in words
        age: how long ago it was started, s
    """

    pid: int
    state: str
    age: float

    @property
    def is_stopped(self) -> bool:
        """Whether a signal or a debugger has stopped it."""
        return self.state == _STOPPED


def local_processes(namespace: str, domain_id: int, proc: Path = Path("/proc")) -> dict[str, LocalProcess]:
    """Return the processes of this machine that run nodes of a robot, by the nodes' names; none without /proc.

    Args:
        namespace: of the robot, with a leading slash
        domain_id: ROS domain; processes of another are left out
        proc: the kernel's file system of processes
    """
    found = {}
    uptime = _uptime(proc)
    for folder in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # What has died meanwhile, and what belongs to others, cannot be read.
            arguments = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            state, started = fields[0], int(fields[_START]) / os.sysconf("SC_CLK_TCK")
            if state in _DEAD or f"__ns:={namespace}" not in arguments or _domain(folder) != domain_id:
                continue
            for name in _nodes(arguments):
                words = _STATES.get(state, f"is in state {state}")
                found[name] = LocalProcess(int(folder.name), words, max(0.0, uptime - started))
    return found


def _nodes(arguments: list[str]) -> Iterator[str]:
    """Yield the name of the node that a command line runs, as our launch files and ``run-ros`` write it."""
    program = arguments[2] if arguments[1:2] == ["-m"] else os.path.basename(arguments[1] if arguments[1:] else "")
    package, _, module = program.rpartition(".")
    if package == "arena_trees.nodes" or (not package and "/arena_trees/" in arguments[1]):
        yield node_name(module)


def _uptime(proc: Path) -> float:
    """Return for how long the machine has been running, s; 0 where that is unknown."""
    try:
        return float((proc / "uptime").read_text().split()[0])
    except OSError:
        return 0.0


def _domain(folder: Path) -> int:
    variables = (folder / "environ").read_bytes().split(b"\0")
    given = next((one.partition(b"=")[2] for one in variables if one.startswith(b"ROS_DOMAIN_ID=")), b"")
    return int(given) if given.isdigit() else 0
