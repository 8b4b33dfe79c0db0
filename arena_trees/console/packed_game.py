"""The last ten minutes of a game, packed for pages, however many look on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from arena_trees.console.game_parts import joined
from arena_trees.console.game_process import State
from arena_trees.recording.events import Event, EventLister
from arena_trees.recording.game_frames import game_frames
from arena_trees.recording.recording import Recording
from arena_trees.recording.report_page.report import RecordingPacker
from arena_trees.recording.shows import ShowLister
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.show.show_log import Shown

__all__ = ["KEPT", "News", "PackedGame"]

KEPT = from_seconds(600.0)
"""Of a game, for looking back, ns."""
_SPARE = from_seconds(60.0)
_MOST_FRAMES = 60
"""Newest parts of which a page may lack some; one that lacks more begins anew."""


class News(NamedTuple):
    """What a page lacks.

    Attributes:
        state: how the game stood after the newest part
        epoch: of the bundles; a page of another epoch begins anew
        frame: of the newest part in them
        whole: whether they are all that is kept, and not only what is new
        bundles: packed; an empty one is of a part without ticks
    """

    state: State
    epoch: int
    frame: int
    whole: bool
    bundles: Sequence[bytes]


class PackedGame:
    """Keeps a game's parts, and packs each once when a page first asks. Its methods may be called from any thread.

    To take a part never waits for what is being packed.

    Args:
        state: how the game stands before its first part
        kept: what is kept of the game, ns
        spare: by so much more than is kept the game grows before its pages begin anew, ns
    """

    def __init__(self, state: State, kept: int = KEPT, spare: int = _SPARE) -> None:
        self._kept, self._spare = kept, spare
        # Held shortly, for the parts.
        self._lock = threading.Lock()
        self._parts: list[Recording] = []
        self._unpacked: list[Recording | None] = []
        self._state = state
        self._number = 0
        self._is_cut = True
        # Held as long as something is packed, for all that follows.
        self._packing = threading.Lock()
        self._frames: list[bytes] = []
        self._frame = 0
        self._epoch = -1
        self._packer, self._events, self._shows = RecordingPacker(), EventLister(), ShowLister()
        self._zero = 0
        self._keys: dict[str, list[str]] = {}

    @property
    def number(self) -> int:
        """How many parts have been taken; a page that has this frame lacks nothing."""
        with self._lock:
            return self._number

    @property
    def state(self) -> State:
        """How the game stands."""
        with self._lock:
            return self._state

    def take(self, part: Recording | None, state: State) -> None:
        """Take the next part, and how the game stands after it; where that alone is new, the part is None or empty."""
        with self._lock:
            self._state = state
            is_new = part is not None and (not self._parts or any(robot.ticks for robot in part.robots.values()))
            self._number += 1
            self._unpacked.append(part if is_new else None)
            if part is not None and is_new:
                self._zero = self._zero if self._parts else part.start
                self._parts.append(part)
                if part.end - self._parts[0].start > self._kept + self._spare:
                    self._parts = _cut(self._parts, part.end - self._kept)
                    self._is_cut = True
            if len(self._unpacked) > _MOST_FRAMES:
                # Nobody looks on.
                self._unpacked.clear()
                self._is_cut = True

    def news(self, epoch: int, frame: int) -> News:
        """Return what a page lacks.

        Args:
            epoch: of the page's newest bundle; -1 without any, as long as there is none
            frame: of the page's newest bundle
        """
        with self._packing:
            with self._lock:
                parts, number, state = list(self._parts), self._number, self._state
                unpacked, self._unpacked = self._unpacked, []
                is_cut = self._is_cut
                self._is_cut = is_cut and not parts
            if parts:
                self._pack_new(parts, unpacked, is_cut)
            self._frame = number
            lacking = number - frame
            if epoch == self._epoch and 0 <= lacking <= len(self._frames):
                return News(state, self._epoch, number, False, self._frames[len(self._frames) - lacking :])
            return News(state, self._epoch, number, True, [self._whole(parts)] if parts else [])

    def _pack_new(self, parts: Sequence[Recording], unpacked: Sequence[Recording | None], is_cut: bool) -> None:
        rows_are_known = all([self._knows(part) for part in unpacked if part is not None])
        if rows_are_known and not is_cut:
            self._frames += [
                b"" if part is None else self._pack(part, self._events.take(part), self._shows.take(part), part=True)
                for part in unpacked
            ]
            del self._frames[:-_MOST_FRAMES]
            return
        # The game is cut, or its trees have new rows: every page begins anew.
        self._epoch += 1
        self._frames.clear()
        self._packer, self._events, self._shows = RecordingPacker(), EventLister(), ShowLister()
        for part in parts:
            self._knows(part)
            self._events.take(part)
            self._shows.take(part)

    def _knows(self, part: Recording) -> bool:
        """Take the keys of the blackboard that a part writes; return whether all were known."""
        known = True
        for name, robot in part.robots.items():
            keys = self._keys.setdefault(name, [])
            new = sorted({key for tick in robot.ticks for key in tick.blackboard}.difference(keys))
            keys += new
            known = known and not new
        return known

    def _whole(self, parts: Sequence[Recording]) -> bytes:
        recording = joined(parts)
        return self._pack(recording, EventLister().take(recording), ShowLister().take(recording), part=False)

    def _pack(self, recording: Recording, events: Sequence[Event], shown: Sequence[Shown], part: bool) -> bytes:
        frames = game_frames(recording)
        return self._packer.pack(recording, events, frames, shown, zero=self._zero, keys=self._keys, part=part)


def _cut(parts: Sequence[Recording], begin: int) -> list[Recording]:
    """Return the parts from an instant (ns) on; the first tick has what each node said and each key held by then."""
    count = next(number for number, part in enumerate(parts) if part.end > begin)
    dropped, first = joined(parts[: count + 1]), parts[count]
    robots = {}
    for name, robot in first.robots.items():
        ticks = list(robot.ticks)
        if ticks:
            until = [tick for tick in dropped.robots[name].ticks if tick.now <= ticks[0].now]
            feedback = {node: text for tick in until for node, text in tick.feedback.items()}
            blackboard = {key: value for tick in until for key, value in tick.blackboard.items()}
            ticks[0] = replace(ticks[0], feedback=feedback, blackboard=blackboard)
        robots[name] = replace(robot, ticks=ticks)
    return [replace(first, robots=robots), *parts[count + 1 :]]
