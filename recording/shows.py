"""What robots of a recording showed and played: lights of the ring and songs, as their cues asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena_trees.games.registry import game_of_role
from arena_trees.recording.recording import Recording
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.show.cues import Show
from arena_trees.robot.show.lights import FRAME_TIME
from arena_trees.robot.show.show_log import ShowLog, Shown

__all__ = ["ShowLister", "pack_shows"]


class ShowLister:
    """Lists the lights and songs in a recording that comes in parts, each later than the one before."""

    def __init__(self) -> None:
        self._logs: dict[str, ShowLog] = {}

    def take(self, part: Recording) -> list[Shown]:
        """Return what was shown in the next part, robot by robot."""
        shown: list[Shown] = []
        for name, robot in part.robots.items():
            log = self._logs.setdefault(name, ShowLog(_shows_of(robot.role)))
            log.shown.clear()
            for instant, cue in robot.cues:
                log.record(name, instant, (cue,))
            shown += log.shown
        return shown


def pack_shows(recording: Recording, shown: Sequence[Shown], zero: int) -> dict[str, Any]:
    """Return what a page needs to show lights and to play songs, as plain values.

    Args:
        recording: whose robots they are
        shown: of it
        zero: instant that is the page's zero, ns

    Returns:
        ``shown``: of each the instant (ms), the robot's number, and the names of its light and its song, or None;
        ``lights``: name to frames (six colours each, #rrggbb), time of a frame (ms) and length (ms); ``songs``: name to
        notes (Hz, 0 for a rest, and s)
    """
    numbers = {name: number for number, name in enumerate(recording.robots)}
    lights, songs = {}, {}
    for one in shown:
        show = _shows_of(recording.robots[one.robot].role)[one.event]
        if one.light is not None:
            frames = [[f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in frame] for frame in show.light.frames]
            lights[one.light] = {"frames": frames, "frame": 1e3 * FRAME_TIME, "length": 1e3 * show.light.seconds}
        if one.song is not None and show.song is not None:
            songs[one.song] = [[round(note.frequency, 1), note.seconds] for note in show.song.notes]
    return {
        "shown": [[(one.now - zero) / 1e6, numbers[one.robot], one.light, one.song] for one in shown],
        "lights": lights,
        "songs": songs,
    }


def _shows_of(role: str | None) -> Mapping[str, Show]:
    """Return the shows of the game that a role belongs to; none of a role that no game has."""
    try:
        return game_of_role(role or "").shows
    except ConfigError:
        return {}
