"""The game of the console: its process, and its last ten minutes, packed for pages."""

from __future__ import annotations

import json
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from arena_trees.console.game_parts import joined
from arena_trees.console.game_process import Order, Played, State, start_game
from arena_trees.recording.events import EventLister
from arena_trees.recording.game_frames import game_frames
from arena_trees.recording.recording import Recording
from arena_trees.recording.report_page.report import RecordingPacker
from arena_trees.robot.clock import from_seconds

__all__ = ["LiveGame"]

_KEPT = from_seconds(600.0)
"""What is kept of a game, ns."""
_SPARE = from_seconds(60.0)
"""By so much more than is kept a page grows before it begins anew, ns."""
_MOST_FRAMES = 60
"""Newest parts of which a page may lack some; one that lacks more begins anew."""
_END_S = 5.0


class LiveGame:
    """Plays one game in a process of its own. Its methods may be called from any thread.

    Args:
        scenario: name or file
        changes: key to value, such as the seed
    """

    def __init__(self, scenario: str, changes: Mapping[str, Any]) -> None:
        self._changed = threading.Condition()
        self._state = State(scenario, int(changes.get("seed", 0)))
        self._closed = False
        self._parts: list[Recording] = []
        self._frames: list[bytes] = []
        self._frame = 0
        self._epoch = -1
        self._packer, self._events = RecordingPacker(), EventLister()
        self._zero: int | None = None
        self._keys: dict[str, list[str]] = {}
        self._sending = threading.Lock()
        self._process, self._connection = start_game(scenario, changes)
        self._reader = threading.Thread(target=self._read, name="console-game", daemon=True)
        self._reader.start()

    @property
    def state(self) -> State:
        """How the game stands."""
        with self._changed:
            return self._state

    def order(self, order: Order) -> None:
        """Send an order; one that comes after the game's process has ended is lost."""
        try:
            with self._sending:
                self._connection.send(order)
        except OSError:
            return

    def news(self, epoch: int, frame: int, patience_s: float) -> bytes:
        """Return what a page lacks: the state as JSON, then bundles, each behind its length (4 bytes, little-endian).

        Args:
            epoch: of the page's newest bundle; -1 without any, as long as there is none
            frame: of the page's newest bundle
            patience_s: how long to wait for news, s
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (self._epoch, self._frame) != (epoch, frame), timeout=patience_s
            )
            lacking = self._frame - frame
            if epoch == self._epoch and 0 <= lacking <= len(self._frames):
                whole, bundles = False, self._frames[len(self._frames) - lacking :]
            else:
                whole, bundles = True, [self._whole()] if self._parts else []
            told = {**asdict(self._state), "epoch": self._epoch, "frame": self._frame, "whole": whole}
        blocks = [json.dumps(told, allow_nan=False).encode(), *bundles]
        return b"".join(struct.pack("<I", len(block)) + block for block in blocks)

    def close(self) -> None:
        """End the game's process, and whoever waits for news."""
        self.order(Order("quit"))
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._connection.close()

    def _read(self) -> None:
        try:
            while True:
                self._take(self._connection.recv())
        except (EOFError, OSError):
            pass
        finally:
            with self._changed:
                if not (self._state.failed or self._state.over):
                    self._state = replace(self._state, running=False, failed="the game's process has ended")
                self._closed = True
                self._changed.notify_all()

    def _take(self, played: Played) -> None:
        part = played.part
        with self._changed:
            self._state = played.state
            self._frame += 1
            if part is not None and (not self._parts or any(robot.ticks for robot in part.robots.values())):
                self._append(part)
            else:
                # The state alone is new.
                self._frames.append(b"")
            del self._frames[:-_MOST_FRAMES]
            self._changed.notify_all()

    def _append(self, part: Recording) -> None:
        if self._zero is None:
            self._zero = part.start
        self._parts.append(part)
        if part.end - self._parts[0].start > _KEPT + _SPARE:
            self._trim(part.end - _KEPT)
        if not self._knows(part) or self._epoch < 0:
            # The game or its trees' new rows begin: every page begins anew.
            self._begin_anew()
        else:
            self._frames.append(self._pack(part, self._events.take(part), part=True))

    def _knows(self, part: Recording) -> bool:
        """Take the keys of the blackboard that a part writes; return whether all were known."""
        known = True
        for name, robot in part.robots.items():
            keys = self._keys.setdefault(name, [])
            new = sorted({key for tick in robot.ticks for key in tick.blackboard}.difference(keys))
            keys += new
            known = known and not new
        return known

    def _trim(self, begin: int) -> None:
        """Drop what is older; what a node said and a key held by then is put into the first tick that is kept."""
        count = next(number for number, part in enumerate(self._parts) if part.end > begin)
        dropped, first = joined(self._parts[: count + 1]), self._parts[count]
        robots = {}
        for name, robot in first.robots.items():
            ticks: Sequence[Any] = robot.ticks
            if ticks:
                until = [tick for tick in dropped.robots[name].ticks if tick.now <= ticks[0].now]
                feedback = {node: text for tick in until for node, text in tick.feedback.items()}
                blackboard = {key: value for tick in until for key, value in tick.blackboard.items()}
                ticks = [replace(ticks[0], feedback=feedback, blackboard=blackboard), *ticks[1:]]
            robots[name] = replace(robot, ticks=ticks)
        self._parts[: count + 1] = [replace(first, robots=robots)]
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._epoch += 1
        self._frames.clear()
        self._packer, self._events = RecordingPacker(), EventLister()
        for part in self._parts:
            self._events.take(part)

    def _whole(self) -> bytes:
        recording = joined(self._parts)
        return self._pack(recording, EventLister().take(recording), part=False)

    def _pack(self, recording: Recording, events: Sequence[Any], part: bool) -> bytes:
        return self._packer.pack(recording, events, game_frames(recording), zero=self._zero, keys=self._keys, part=part)
