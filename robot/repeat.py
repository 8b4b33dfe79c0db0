"""Determines when something periodic is due again, such as a message that is repeated because it may get lost."""

from __future__ import annotations

from arena_trees.robot.clock import from_seconds

__all__ = ["Repeat"]


class Repeat:
    """Is due at once, and then each time when a period has passed; also where the clock has gone back."""

    def __init__(self) -> None:
        self._last: int | None = None

    def due(self, now: int, period_s: float) -> bool:
        """Return whether it is due now (ns), and note that it is done if so; the period is in s."""
        if self._last is not None and 0 <= now - self._last < from_seconds(period_s):
            return False
        self._last = now
        return True

    def at_once(self) -> None:
        """Make it due at the next call, as after a change that all must learn of."""
        self._last = None
