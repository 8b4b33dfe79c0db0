"""A log of the lights and songs that a robot showed, by its cues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.clock import to_seconds
from arena_trees.robot.show.cues import CuePlayer, Show

__all__ = ["ShowLog", "Shown"]


@dataclass(frozen=True, slots=True)
class Shown:
    """One event that was shown or played.

    Attributes:
        now: when its light and its song began, ns
        robot: name of the robot
        event: its name
        light: name of the light; None where a more important one was seen
        song: name of the song; None where it has none, or the loudspeaker was busy
    """

    now: int
    robot: str
    event: str
    light: str | None
    song: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as results files hold it; the time in s."""
        return {
            "time_s": to_seconds(self.now),
            "robot": self.robot,
            "event": self.event,
            "light": self.light,
            "song": self.song,
        }


class ShowLog:
    """Logs what robots show. An event without a show, and one that was neither shown nor played, is left out.

    Attributes:
        shown: in the order of their cues

    Args:
        shows: event to its show
    """

    def __init__(self, shows: Mapping[str, Show]) -> None:
        self.shown: list[Shown] = []
        self._shows = shows
        self._players: dict[str, CuePlayer] = {}

    def record(self, robot: str, now: int, cues: Iterable[str]) -> None:
        """Take down a robot's cues of an instant (ns); it does not go back."""
        for cue in cues:
            player = self._players.setdefault(robot, CuePlayer(self._shows))
            lit, song = player.play(cue, now)
            if lit or song is not None:
                event = cue.partition("/")[0]
                light = self._shows[event].light.name if lit else None
                self.shown.append(Shown(now, robot, event, light, None if song is None else song.name))
