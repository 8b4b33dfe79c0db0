"""Faults of a robot's computer: when it does nothing, is slow, and starts anew."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.robot.timing import TICK
from arena_trees.simulation.faults.fault import Fault

__all__ = ["ComputerFaults"]


class ComputerFaults:
    """Says in which ticks a robot's computer works, and when it has lost its memory.

    Args:
        faults: of one robot; those of other parts are left alone
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = [fault for fault in faults if fault.part == "computer"]
        self._off = False

    def works(self, now: int) -> bool:
        """Return whether the computer runs a tick at an instant (ns)."""
        return not any(self._holds_up(fault, now) for fault in self._faults)

    def is_off(self, now: int) -> bool:
        """Return whether the computer is off at an instant (ns): whatever it knew is lost."""
        return any(fault.kind in ("killed", "restarted") and fault.acts(now) for fault in self._faults)

    def starts_anew(self, now: int) -> bool:
        """Return whether the computer starts anew at an instant (ns), which is to be asked in each tick, in order."""
        off = any(fault.kind == "restarted" and fault.acts(now) for fault in self._faults)
        anew = self._off and not off
        self._off = off
        return anew

    @staticmethod
    def _holds_up(fault: Fault, now: int) -> bool:
        elapsed = fault.elapsed(now)
        if elapsed is None:
            return False
        return fault.kind != "slow" or elapsed // TICK % fault.times != 0
