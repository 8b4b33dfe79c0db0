"""A state that changes, logged: at once where it is new, and no line a change where it comes and goes."""

from __future__ import annotations

from arena_trees.robot.clock import from_seconds

__all__ = ["StateLog"]

_QUIET = from_seconds(10.0)
"""Nanoseconds in which the same text is logged only once."""


class StateLog:
    """Decides what is logged of a state, such as ``ok`` and ``no command`` in turn.

    A text that was not logged for 10 s is logged at once; another one is logged after those 10 s, if it still holds
    then. So nothing new waits, and the last line is never wrong for longer.
    """

    def __init__(self) -> None:
        self._logged: dict[str, int] = {}
        self._text = self._last = ""
        self._changes = 0

    def line(self, text: str, now: int) -> str | None:
        """Return what to log now, or None; to be asked in every step.

        Args:
            text: the state
            now: a clock that never goes back, ns
        """
        if text != self._text:
            self._text = text
            self._changes += 1
        if text == self._last or now - self._logged.get(text, now - _QUIET) < _QUIET:
            return None
        changes, self._changes = self._changes, 0
        self._logged = {old: when for old, when in self._logged.items() if now - when < _QUIET} | {text: now}
        self._last = text
        return text if changes <= 1 else f"{text} (after {changes} changes)"
