"""A log of the lights and songs that a robot showed, by its cues; frames and notes are made of it again."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.clock import to_seconds
from arena_trees.robot.show.cues import CuePlayer, Show
from arena_trees.robot.show.lights import Frame, LightPlayer
from arena_trees.robot.show.songs import Note

__all__ = ["ShowLog", "Shown", "light_frames", "song_notes"]


@dataclass(frozen=True, slots=True)
class Shown:
    """One event that was seen or heard.

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
    """Logs what robots show. An event without a show, and one that was neither seen nor heard, is left out.

    Attributes:
        shown: in the order of their cues

    Args:
        shows: event to its show
    """

    def __init__(self, shows: Mapping[str, Show]) -> None:
        self.shown: list[Shown] = []
        self._shows = shows
        self._players: dict[str, CuePlayer] = {}

    def tell(self, robot: str, now: int, events: Iterable[str]) -> None:
        """Take down a robot's events of an instant (ns); it does not go back."""
        for event in events:
            player = self._players.setdefault(robot, CuePlayer(self._shows))
            lit, song = player.tell(event, now)
            if lit or song is not None:
                light = self._shows[event].light.name if lit else None
                self.shown.append(Shown(now, robot, event, light, None if song is None else song.name))


def light_frames(
    shown: Iterable[Shown], robot: str, until: int, shows: Mapping[str, Show]
) -> Iterator[tuple[int, Frame | None]]:
    """Return every change of a robot's ring before an instant.

    Args:
        shown: of any robots, in the order of their cues
        robot: name of the robot
        until: ns
        shows: event to its show

    Returns:
        instant (ns) and what is seen from then on; None where the base has its ring back
    """
    player = LightPlayer()
    now: int | None = None
    for one in shown:
        if one.robot != robot or one.light is None or one.now >= until:
            continue
        if now is not None:
            yield from _changes(player, now, one.now)
        now = one.now
        # It was let in, so whatever was seen has ended.
        player.release()
        player.show(shows[one.event].light, 0, now)
        yield now, player.frame(now)
    if now is not None:
        yield from _changes(player, now, until)


def song_notes(
    shown: Iterable[Shown], robot: str, until: int, shows: Mapping[str, Show]
) -> Iterator[tuple[int, int, Note]]:
    """Return every note that a robot plays before an instant.

    Args:
        shown: of any robots, in the order of their cues
        robot: name of the robot
        until: ns
        shows: event to its show

    Returns:
        beginning and end (both ns), and the note; the end of one that was cut short by another song is that
        song's beginning
    """
    songs = [one for one in shown if one.robot == robot and one.song is not None and one.now < until]
    for one, following in itertools.zip_longest(songs, songs[1:]):
        end = until if following is None else following.now
        song = shows[one.event].song
        for first, last, note in () if song is None else song.timed():
            if one.now + first < end:
                yield one.now + first, min(one.now + last, end), note


def _changes(player: LightPlayer, now: int, until: int) -> Iterator[tuple[int, Frame | None]]:
    """Return the changes after an instant and before another (both ns)."""
    change = player.next_change(now)
    while change is not None and change < until:
        yield change, player.frame(change)
        change = player.next_change(change)
