"""How regularly and how fast a tree ticks."""

from __future__ import annotations

import time
from collections import deque

import numpy as np

from arena_trees.robot.clock import SECOND

__all__ = ["TickStatistics"]

_WINDOW = 500


class TickStatistics:
    """Times of the newest ticks, by the monotonic clock."""

    def __init__(self) -> None:
        self._begun: deque[int] = deque(maxlen=_WINDOW)
        self._taken: deque[int] = deque(maxlen=_WINDOW)

    def begin(self) -> None:
        """A tick begins."""
        self._begun.append(time.monotonic_ns())

    def end(self) -> None:
        """The tick is over."""
        self._taken.append(time.monotonic_ns() - self._begun[-1])

    def clear(self) -> None:
        """Forget every tick: ticking has stopped."""
        self._begun.clear()
        self._taken.clear()

    @property
    def rate(self) -> float:
        """Ticks a second; 0 before the second tick."""
        if len(self._begun) < 2:
            return 0.0
        return (len(self._begun) - 1) * SECOND / (self._begun[-1] - self._begun[0])

    @property
    def tick_p99_ms(self) -> float:
        """99th percentile of what a tick takes, ms."""
        return float(np.percentile(self._taken, 99)) / 1e6 if self._taken else 0.0

    @property
    def jitter_p99_ms(self) -> float:
        """99th percentile of how far the time between two ticks is from its median, ms."""
        periods = np.diff(np.asarray(self._begun, dtype=np.float64))
        return float(np.percentile(np.abs(periods - np.median(periods)), 99)) / 1e6 if periods.size else 0.0
