"""The heartbeat of the velocity gate, as the tree receives it. Pure: no node."""

from __future__ import annotations

from arena_trees.robot.clock import from_seconds
from arena_trees.safety.reasons import GateReason

__all__ = ["BETWEEN_BEATS", "GateHeartbeat"]

BETWEEN_BEATS = from_seconds(0.5)
"""Nanoseconds after which the gate publishes its state again, though it is the same."""

_LONGEST_SILENCE = from_seconds(3.0)
"""Nanoseconds after which the gate counts as silent; six beats missed."""

_LONGEST_LOOK = from_seconds(0.1)
"""Nanoseconds between two looks that count as silence: more of it was a hold-up of the listener's own."""


class GateHeartbeat:
    """The state that the gate published last, or that it is silent.

    A gate of which nothing ever came is not silent: a tree may run without one. Neither is one that was not received
    because this process itself was held up, as on a busy machine: silence is counted from look to look, up to 0.1 s
    for each.
    """

    def __init__(self) -> None:
        self._received = ""
        self._silence = 0
        self._looked: int | None = None

    @property
    def state(self) -> str:
        """The state that the gate published last, that it is silent, or an empty text where none ever came."""
        return GateReason.GATE_SILENT if self._received and self._silence > _LONGEST_SILENCE else self._received

    def hear(self, state: str) -> None:
        """Take what the gate publishes on ``velocity_gate/state``."""
        self._received = state
        self._silence = 0

    def look(self, now: int) -> None:
        """Count silence up to now (ns, of a monotonic clock); to be called in each tick."""
        if self._looked is not None:
            self._silence += min(now - self._looked, _LONGEST_LOOK)
        self._looked = now
