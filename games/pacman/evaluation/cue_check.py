"""How soon the robot shows what happens in a game of PacMan."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.games.pacman.events import GameEvent, PacmanEvent
from arena_trees.robot.clock import to_seconds

__all__ = ["CueCheck"]

_SHOWN = frozenset(
    (
        PacmanEvent.START_THEATRICAL,
        PacmanEvent.PELLET,
        PacmanEvent.POWER_PELLET,
        PacmanEvent.DEATH,
        PacmanEvent.WIN,
    )
)
"""Events that the robot shows with a cue of the same name."""


class CueCheck:
    """Takes each cue for the answer to the oldest event of its name that was not shown yet.

    Attributes:
        latencies: from each event to its cue, ns
    """

    def __init__(self) -> None:
        self.latencies: list[int] = []
        self._waiting: list[GameEvent] = []

    @property
    def missing(self) -> int:
        """Events that have not been shown."""
        return len(self._waiting)

    def observe(self, now: int, cues: Sequence[str]) -> None:
        """Take what the robot shows from an instant (ns) on."""
        for cue in cues:
            event = next((event for event in self._waiting if event.event.value == cue), None)
            if event is not None:
                self._waiting.remove(event)
                self.latencies.append(now - event.now)

    def expect(self, events: Sequence[GameEvent]) -> None:
        """Wait for the cues of events."""
        self._waiting += [event for event in events if event.event in _SHOWN]

    def mean_s(self) -> float | None:
        """Return the mean time from an event to its cue, s; None without any."""
        return to_seconds(sum(self.latencies)) / len(self.latencies) if self.latencies else None

    def longest_s(self) -> float | None:
        """Return the longest time from an event to its cue, s; None without any."""
        return to_seconds(max(self.latencies)) if self.latencies else None
