"""What people see and hear when a robot tells an event: the table behind the light ring and the sounds.

Document 002, algorithm 6. To show a further event, add it to :data:`SHOWS` under the name that the tree
gives it; lights are drawn in :mod:`arena_trees.robot.lights`, songs in :mod:`arena_trees.robot.songs`. The
motion that goes with some events there is part of the trees.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from arena_trees.robot.lights import LIGHTS, Frame, LightPlayer
from arena_trees.robot.songs import SONGS, Song, SongPlayer

__all__ = ["SHOWS", "CuePlayer", "Priority", "Show"]


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
        light: name in :data:`~arena_trees.robot.lights.LIGHTS`
        song: name in :data:`~arena_trees.robot.songs.SONGS`; None for silence
        priority: of both
    """

    light: str
    song: str | None = None
    priority: Priority = Priority.LOW


SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        # Wolf and rabbit.
        "CHASE": Show("CHASE", "CHASE"),
        "LOST": Show("LOST", "LOST"),
        "CATCH": Show("CATCH", "CATCH", Priority.HIGH),
        "DEAD": Show("DEAD", "DEAD", Priority.HIGH),
        "BREACH": Show("BREACH", "BREACH", Priority.URGENT),
        "REST": Show("REST"),
        # PacMan.
        "START_THEATRICAL": Show("START", "START", Priority.MIDDLE),
        "PELLET": Show("PELLET", "PELLET"),
        "POWER_PELLET": Show("POWER_PELLET", "POWER_PELLET", Priority.MIDDLE),
        "GHOST": Show("GHOST", "GHOST", Priority.MIDDLE),
        "DEATH": Show("GAME_OVER", "DEATH", Priority.HIGH),
        "GAME_OVER": Show("GAME_OVER", "DEATH", Priority.HIGH),
        "WIN": Show("WIN", "WIN", Priority.HIGH),
        "RESET": Show("OFF", None, Priority.URGENT),
        # The crossing.
        "GRANT": Show("GRANT", "GRANT", Priority.MIDDLE),
        "YIELD": Show("YIELD", "YIELD"),
        # The engagement.
        "LASER": Show("LASER", "LASER"),
        "HIT": Show("HIT", "HIT", Priority.HIGH),
    }
)
"""Event to its show."""


class CuePlayer:
    """A robot's ring and loudspeaker, played by events. Events without a show are passed over.

    Attributes:
        lights: the ring
        songs: the loudspeaker
    """

    def __init__(self) -> None:
        self.lights = LightPlayer()
        self.songs = SongPlayer()

    def tell(self, event: str, now: int) -> tuple[bool, Song | None]:
        """Show an event from now on.

        Args:
            event: its name
            now: ns

        Returns:
            whether its light was let in, and its song, where that begins now
        """
        show = SHOWS.get(event)
        if show is None:
            return False, None
        lit = self.lights.show(LIGHTS[show.light], show.priority, now)
        if show.song is None:
            return lit, None
        song = SONGS[show.song]
        return lit, song if self.songs.play(song, show.priority, now) else None

    def frame(self, now: int) -> Frame | None:
        """Return what the ring shows at an instant (ns); None where it is the base's."""
        return self.lights.frame(now)
