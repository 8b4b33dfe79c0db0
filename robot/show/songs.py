"""Songs for the loudspeaker of a Create 3, and which of them is playing at an instant.

As in the source system, a song is a sequence of MIDI notes, each with a duration, and the robot plays
one at a time. All songs here were written for this project.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.clock import from_seconds

__all__ = ["DUPLICATE_TIME", "Note", "Song", "SongPlayer", "even", "frequency", "song"]

DUPLICATE_TIME = 0.25
"""A song that is asked for again so soon after its beginning is the same request, s."""

_DUPLICATE_NS = from_seconds(DUPLICATE_TIME)


def frequency(midi: int) -> float:
    """Return the frequency of a MIDI note, Hz: f(m) = 440 * 2^((m - 69) / 12)."""
    return float(440.0 * 2.0 ** ((midi - 69) / 12.0))


@dataclass(frozen=True, slots=True)
class Note:
    """One tone, or a rest.

    Attributes:
        midi: number of the note, 0 to 127; None is a rest
        seconds: how long it lasts, s
    """

    midi: int | None
    seconds: float

    def __post_init__(self) -> None:
        if self.midi is not None and self.midi not in range(128):
            raise ValueError(f"{self.midi!r} is no MIDI note")
        if not (math.isfinite(self.seconds) and self.seconds > 0.0):
            raise ValueError(f"a note cannot last {self.seconds!r} s")

    @property
    def frequency(self) -> float:
        """Frequency, Hz; 0 for a rest."""
        return 0.0 if self.midi is None else frequency(self.midi)


@dataclass(frozen=True, slots=True)
class Song:
    """A melody.

    Attributes:
        name: for people and results files
        notes: in their order
    """

    name: str
    notes: tuple[Note, ...]

    @property
    def length(self) -> int:
        """How long it lasts, ns."""
        return sum(from_seconds(note.seconds) for note in self.notes)

    def timed(self) -> tuple[tuple[int, int, Note], ...]:
        """Return each note with its beginning and its end after the song's beginning, ns."""
        timed, begin = [], 0
        for note in self.notes:
            end = begin + from_seconds(note.seconds)
            timed.append((begin, end, note))
            begin = end
        return tuple(timed)


class SongPlayer:
    """What the loudspeaker plays. Never two songs at once.

    While a song plays, one of the same or a lower priority is dropped, and a higher one takes its place; a
    song that is asked for again within :data:`DUPLICATE_TIME` of its beginning is dropped in any case. Keeps
    no clock of its own: every instant is given, ns of a clock that does not go back.
    """

    def __init__(self) -> None:
        self._song: Song | None = None
        self._priority = 0
        self._started = 0
        self._ends = 0

    def play(self, song: Song, priority: int, now: int) -> bool:
        """Play a song from now (ns) on; return whether it was let in."""
        if self._song is not None:
            if song.name == self._song.name and now - self._started < _DUPLICATE_NS:
                return False
            if now < self._ends and priority <= self._priority:
                return False
        self._song = song
        self._priority = priority
        self._started = now
        self._ends = now + song.length
        return True

    def playing(self, now: int) -> tuple[Song, int] | None:
        """Return the song that is playing at an instant and when it began (both ns), or None in silence."""
        if self._song is None or now >= self._ends:
            return None
        return self._song, self._started


def song(name: str, *notes: tuple[int | None, float]) -> Song:
    """Return a song of notes, each a MIDI number (None is a rest) and its length in s."""
    return Song(name, tuple(Note(midi, seconds) for midi, seconds in notes))


def even(name: str, seconds: float, *numbers: int | None) -> Song:
    """Return a song whose notes are all equally long."""
    return Song(name, tuple(Note(number, seconds) for number in numbers))
