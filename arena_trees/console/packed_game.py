"""The last ten minutes of a game, packed for pages, however many look on."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from arena_trees.console.exchange import State
from arena_trees.console.game_parts import joined
from arena_trees.recording.events import Event, EventLister
from arena_trees.recording.game_frames import game_frames
from arena_trees.recording.recording import Recording
from arena_trees.recording.report_page.report import RecordingPacker
from arena_trees.recording.shows import ShowLister
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.show.show_log import Shown

__all__ = ["KEPT", "News", "PackedGame"]

KEPT = from_seconds(600.0)
"""Length of the part of a game that is kept for looking back, ns."""
_SPARE = from_seconds(60.0)
_CHUNK = from_seconds(5.0)
_MOST_FRAMES = 100
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


class _Part(NamedTuple):
    number: int
    recording: Recording


class PackedGame:
    """Keeps a game's parts, and packs each when a page asks. Its methods may be called from any thread.

    To take a part never waits for what is being packed. A page that begins gets what is kept in chunks of some seconds,
    each of which is packed once, whoever asks for it.

    Args:
        state: how the game stands before its first part
        kept: what is kept of the game, ns
        spare: by so much more than is kept the game grows before its pages begin anew, ns
    """

    def __init__(self, state: State, kept: int = KEPT, spare: int = _SPARE) -> None:
        self._kept, self._spare = kept, spare
        # Held shortly, for the parts.
        self._lock = threading.Lock()
        self._parts: list[_Part] = []
        self._unpacked: list[_Part | None] = []
        self._state = state
        self._number = 0
        self._is_cut = True
        self._is_anew = False
        # Held as long as something is packed, for all that follows.
        self._packing = threading.Lock()
        self._frames: list[bytes] = []
        self._chunks: list[_Chunk] = []
        self._epoch = -1
        self._packer, self._events, self._shows = RecordingPacker(), EventLister(), ShowLister()
        self._facts: dict[int, tuple[list[Event], list[Shown]]] = {}
        self._newest = -1
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
        """Take the next part, and how the game stands after it; where that alone is new, the part is None or empty.

        A part with other robots or trees than those before it, or from before them, begins the game anew.
        """
        with self._lock:
            self._state = state
            if part is not None and self._parts and not _follows(part, self._parts[-1].recording):
                self._parts.clear()
                self._unpacked.clear()
                self._is_cut = self._is_anew = True
            is_new = part is not None and (not self._parts or any(robot.ticks for robot in part.robots.values()))
            self._number += 1
            taken = _Part(self._number, part) if part is not None and is_new else None
            self._unpacked.append(taken)
            if taken is not None:
                end = taken.recording.end
                self._zero = self._zero if self._parts else taken.recording.start
                self._parts.append(taken)
                if end - self._parts[0].recording.start > self._kept + self._spare:
                    self._parts = _cut(self._parts, end - self._kept)
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
                if self._is_anew:
                    self._is_anew = False
                    self._packer, self._events, self._shows = RecordingPacker(), EventLister(), ShowLister()
                    self._keys, self._chunks = {}, []
            if parts:
                self._catch_up(parts, unpacked, is_cut)
            lacking = number - frame
            if epoch == self._epoch and 0 <= lacking <= len(self._frames):
                return News(state, self._epoch, number, False, self._frames[len(self._frames) - lacking :])
            return News(state, self._epoch, number, True, self._whole())

    def _catch_up(self, parts: Sequence[_Part], unpacked: Sequence[_Part | None], is_cut: bool) -> None:
        """Pack what is new, for pages that go on and for those that begin."""
        new = parts[bisect_right(parts, self._newest, key=lambda part: part.number) :]
        rows_are_known = all([self._knows(part.recording) for part in new])
        for number, recording in new:
            self._facts[number] = self._events.take(recording), self._shows.take(recording)
        self._newest = parts[-1].number
        if not rows_are_known:
            self._packer = RecordingPacker()
            self._chunks.clear()
        if is_cut or not rows_are_known:
            # Every page begins anew.
            self._epoch += 1
            self._frames.clear()
            self._facts = {part.number: self._facts[part.number] for part in parts}
            self._chunks = _regrouped(parts, self._chunks)
        else:
            self._frames += [b"" if part is None else self._pack([part], quick=True) for part in unpacked]
            del self._frames[:-_MOST_FRAMES]
            for part in new:
                _append(self._chunks, part)
        for chunk in self._chunks[1:]:
            if chunk.is_full and not chunk.packed:
                chunk.packed = self._pack(chunk.parts)

    def _knows(self, part: Recording) -> bool:
        """Take the keys of the blackboard that a part writes; return whether all were known."""
        known = True
        for name, robot in part.robots.items():
            keys = self._keys.setdefault(name, [])
            new = sorted({key for tick in robot.ticks for key in tick.blackboard}.difference(keys))
            keys += new
            known = known and not new
        return known

    def _whole(self) -> list[bytes]:
        """Return all that is kept; the first bundle has what the others lack."""
        if not self._chunks:
            return []
        others = [chunk.packed or self._pack(chunk.parts) for chunk in self._chunks[1:]]
        return [self._pack(self._chunks[0].parts, part=False), *others]

    def _pack(self, parts: Sequence[_Part], part: bool = True, quick: bool = False) -> bytes:
        recording = joined([one.recording for one in parts])
        facts = [self._facts[one.number] for one in parts]
        return self._packer.pack(
            recording,
            [event for events, _ in facts for event in events],
            game_frames(recording),
            [one for _, shown in facts for one in shown],
            zero=self._zero,
            keys=self._keys,
            part=part,
            level=0 if quick else 6,
        )


@dataclass(slots=True)
class _Chunk:
    """Some seconds of a game.

    Attributes:
        parts: in their order
        packed: all of them; empty as long as they are not
    """

    parts: list[_Part]
    packed: bytes = b""

    @property
    def is_full(self) -> bool:
        return self.parts[-1].recording.end - self.parts[0].recording.start >= _CHUNK


def _follows(part: Recording, before: Recording) -> bool:
    trees = [{name: robot.tree for name, robot in one.robots.items()} for one in (part, before)]
    return trees[0] == trees[1] and part.start >= before.end


def _regrouped(parts: Sequence[_Part], known: Sequence[_Chunk]) -> list[_Chunk]:
    """Return the parts in chunks; of those that are known, full ones are kept as they are."""
    kept = {id(chunk.parts[0].recording): chunk for chunk in known if chunk.is_full}
    chunks: list[_Chunk] = []
    at = 0
    while at < len(parts):
        chunk = kept.get(id(parts[at].recording))
        if chunk is None:
            _append(chunks, parts[at])
            at += 1
        else:
            chunks.append(chunk)
            at += len(chunk.parts)
    return chunks


def _append(chunks: list[_Chunk], part: _Part) -> None:
    if chunks and not chunks[-1].is_full:
        chunks[-1].parts.append(part)
    else:
        chunks.append(_Chunk([part]))


def _cut(parts: Sequence[_Part], begin: int) -> list[_Part]:
    """Return the parts from an instant (ns) on; the first tick has each node's feedback and each key's value then."""
    count = next(number for number, part in enumerate(parts) if part.recording.end > begin)
    dropped, first = joined([part.recording for part in parts[: count + 1]]), parts[count].recording
    robots = {}
    for name, robot in first.robots.items():
        ticks = list(robot.ticks)
        if ticks:
            until = [tick for tick in dropped.robots[name].ticks if tick.now <= ticks[0].now]
            feedback = {node: text for tick in until for node, text in tick.feedback.items()}
            blackboard = {key: value for tick in until for key, value in tick.blackboard.items()}
            ticks[0] = replace(ticks[0], feedback=feedback, blackboard=blackboard)
        robots[name] = replace(robot, ticks=ticks)
    return [_Part(parts[count].number, replace(first, robots=robots)), *parts[count + 1 :]]
