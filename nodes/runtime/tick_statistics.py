"""How regularly and how fast a node ticks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import numpy as np

from arena_trees.robot.clock import SECOND, from_seconds

__all__ = ["TickStatistics"]

_WINDOW = 500
_LATE = 1.5
"""Periods after the begin of the tick before from which a tick counts as late."""


class TickStatistics:
    """Times of the newest ticks, by the monotonic clock.

    Attributes:
        overruns: ticks since the last :meth:`clear` that took longer than the period, or began half a period late and
            more because of what took its time before them

    Args:
        period: between two ticks, s
        clock: returns now, ns
    """

    def __init__(self, period: float, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.overruns = 0
        self._period = from_seconds(period)
        self._clock = clock
        self._begun: deque[int] = deque(maxlen=_WINDOW)
        self._taken: deque[int] = deque(maxlen=_WINDOW)
        self._over: deque[bool] = deque(maxlen=_WINDOW)
        self._late = False

    def begin(self) -> None:
        """A tick begins."""
        now = self._clock()
        self._late = bool(self._begun) and now - self._begun[-1] > _LATE * self._period
        self._begun.append(now)

    def end(self) -> None:
        """The tick is over."""
        taken = self._clock() - self._begun[-1]
        self._taken.append(taken)
        over = self._late or taken > self._period
        self._over.append(over)
        self.overruns += over

    def clear(self) -> None:
        """Forget every tick: ticking has stopped."""
        self.overruns = 0
        for times in (self._begun, self._taken, self._over):
            times.clear()

    @property
    def rate(self) -> float:
        """Ticks a second; 0 before the second tick."""
        if len(self._begun) < 2:
            return 0.0
        return (len(self._begun) - 1) * SECOND / (self._begun[-1] - self._begun[0])

    @property
    def overrun_share(self) -> float:
        """Share of the newest ticks, of 500 at most, that overran; 0 before the first."""
        return sum(self._over) / len(self._over) if self._over else 0.0

    @property
    def tick_p99_ms(self) -> float:
        """99th percentile of what a tick takes, ms."""
        return float(np.percentile(self._taken, 99)) / 1e6 if self._taken else 0.0

    @property
    def jitter_p99_ms(self) -> float:
        """99th percentile of how far the time between two ticks is from its median, ms."""
        periods = np.diff(np.asarray(self._begun, dtype=np.float64))
        return float(np.percentile(np.abs(periods - np.median(periods)), 99)) / 1e6 if periods.size else 0.0
