"""When the next tick is due of a game that is played as fast as somebody wants."""

from __future__ import annotations

import time

from arena_trees.robot.timing import TICK

__all__ = ["Pace"]

_MOST_BEHIND_S = 0.2
"""A game that is further behind than this does not catch up."""
_STEP_S = TICK / 1e9


class Pace:
    """Decides when ticks are due, by :func:`time.perf_counter`.

    Attributes:
        due: when the next one is, s

    Args:
        speed: simulated seconds a second; 0 for as fast as it goes
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.begin(speed)

    @property
    def speed(self) -> float:
        """Simulated seconds a second; 0 for as fast as it goes."""
        return self._speed

    def begin(self, speed: float) -> None:
        """Go on at a speed, with a tick that is due now."""
        self._speed, self.due = speed, time.perf_counter()

    def stepped(self) -> None:
        """Note that a tick was played."""
        now = time.perf_counter()
        self.due = max(self.due + _STEP_S / self._speed, now - _MOST_BEHIND_S) if self._speed else now
