"""When sensors measure, and when their messages arrive."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from arena_trees.robot.clock import SECOND
from arena_trees.robot.percepts import Stamped

__all__ = ["MAXIMUM_RATE_HZ", "TICK", "Delivery", "Schedule", "StampedT"]

TICK = SECOND // 50
"""Length of one tick of the arena, ns."""

MAXIMUM_RATE_HZ = 50.0
"""A sensor measures at most once in a tick."""


class Schedule:
    """Determines at which ticks a sensor measures: the first tick at or after each of its instants.

    Instants lie at ``(phase + k) / rate``; each is computed from its number, so that no rounding
    error adds up and any ten seconds hold exactly ten times the rate.

    Args:
        rate_hz: measurements a second
        phase: where the first instant lies in the first period, above 0 to 1, its end
    """

    __slots__ = ("_count", "_period", "_phase", "next")

    def __init__(self, rate_hz: float, phase: float = 1.0) -> None:
        self._period = SECOND / rate_hz
        self._phase = phase
        self._count = 0
        self.next = self._instant()

    def due(self, now: int) -> bool:
        """Return whether the sensor measures now (ns), and move on to its next instant if so."""
        if now < self.next:
            return False
        self._count += 1
        self.next = self._instant()
        return True

    def _instant(self) -> int:
        return round((self._phase + self._count) * self._period)


StampedT = TypeVar("StampedT", bound=Stamped)


class Delivery(Generic[StampedT]):
    """Holds messages until they arrive, and then the newest that has arrived."""

    __slots__ = ("_newest", "_pending")

    def __init__(self) -> None:
        self._pending: deque[StampedT] = deque()
        self._newest: StampedT | None = None

    def send(self, message: StampedT) -> None:
        """Put a message on its way; messages keep their order."""
        self._pending.append(message)

    def newest(self, now: int) -> StampedT | None:
        """Return the newest message that has arrived at ``now`` (ns), or None before the first."""
        pending = self._pending
        while pending and pending[0].arrival <= now:
            self._newest = pending.popleft()
        return self._newest
