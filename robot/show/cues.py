"""What people see and hear when a robot shows an event: a light of its ring and a song.

Each game has a table from the names of its trees' events to shows. Motion that goes with an event is part of the tree.
A cue is the name of an event, or that with ``/light`` or ``/song`` behind it, which shows this part alone.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from arena_trees.robot.show.lights import Frame, Light, LightPlayer
from arena_trees.robot.show.songs import Song, SongPlayer

__all__ = ["PARTS", "CuePlayer", "Priority", "Show"]

PARTS = ("light", "song")
"""Of a show, as a cue names one that is wanted alone, such as ``WIN/light``."""


class Priority(enum.IntEnum):
    """Which event has ring and loudspeaker when several happen."""

    LOW = 0
    """Everyday events of a game."""
    MIDDLE = 1
    """What changes the game."""
    HIGH = 2
    """What decides it."""
    URGENT = 3
    """What people should look at whatever else happens."""


@dataclass(frozen=True, slots=True)
class Show:
    """The lights and sounds of one event.

    Attributes:
        light: what the ring shows
        song: what the loudspeaker plays; None for silence
        priority: of both
    """

    light: Light
    song: Song | None = None
    priority: Priority = Priority.LOW


class CuePlayer:
    """A robot's ring and loudspeaker, played by cues. Those without a show are passed over.

    Attributes:
        lights: the ring
        songs: the loudspeaker

    Args:
        shows: event to its show
    """

    def __init__(self, shows: Mapping[str, Show]) -> None:
        self._shows = shows
        self.lights = LightPlayer()
        self.songs = SongPlayer()

    def play(self, cue: str, now: int) -> tuple[bool, Song | None]:
        """Show an event from now on, or a part of its show alone.

        Args:
            cue: name of the event; with ``/light`` or ``/song`` behind it for one of the two
            now: ns

        Returns:
            whether its light was let in, and its song, where that begins now
        """
        event, slash, part = cue.partition("/")
        show = self._shows.get(event)
        if show is None or (slash and part not in PARTS):
            return False, None
        lit = part != "song" and self.lights.show(show.light, show.priority, now)
        plays = part != "light" and show.song is not None and self.songs.play(show.song, show.priority, now)
        return lit, show.song if plays else None

    def frame(self, now: int) -> Frame | None:
        """Return what the ring shows at an instant (ns); None where it is the base's."""
        return self.lights.frame(now)
