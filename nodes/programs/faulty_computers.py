"""Faults of robots' computers, as what happens to the processes of a run: killed, stopped, slow, started anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from arena_trees.nodes.programs.processes import Processes
from arena_trees.nodes.programs.program import PARTS, robot_program
from arena_trees.simulation.faults.computer_faults import ComputerFaults
from arena_trees.simulation.faults.fault import Fault

__all__ = ["FaultyComputers"]

_AGAIN: Mapping[str, bool] = {"autostart": True}
"""Parameters of a node that is started in the middle of a game: nobody takes its tree through its lifecycle."""


class FaultyComputers:
    """Does to the processes of a robot what faults say of its computer: all of them are on it.

    A computer that is killed, or starts anew, loses its processes by SIGKILL. One that is stopped has them stopped by
    SIGSTOP, and one that is slow all the time but one tick in some.

    Args:
        faults: of all robots; those of other parts are left alone
        processes: of the run
    """

    def __init__(self, faults: Sequence[Fault], processes: Processes) -> None:
        self._processes = processes
        own: dict[str, list[Fault]] = defaultdict(list)
        for fault in faults:
            if fault.part == "computer":
                own[fault.robot].append(fault)
        self._computers = {robot: ComputerFaults(several) for robot, several in own.items()}
        self._programs = {
            robot: [name for module in PARTS.values() if (name := robot_program(robot, module)) in processes.names]
            for robot in own
        }

    def apply(self, now: int) -> None:
        """Make the processes do what the faults of this instant say.

        Args:
            now: since the game began, ns
        """
        for robot, computer in self._computers.items():
            off, works = computer.is_off(now), computer.works(now)
            for name in self._programs[robot]:
                runs = name in self._processes.names
                if off and runs:
                    self._processes.kill(name)
                elif not off and not runs:
                    self._processes.start_again(name, _AGAIN)
                if not off:
                    self._processes.pause(name, not works)
