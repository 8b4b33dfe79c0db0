"""The game of the console: its process, and what pages lack of it."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from itertools import chain, count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from arena_trees.console.exchange import Instruction, Played, State
from arena_trees.console.packed_game import KEPT, PackedGame
from arena_trees.recording.bags.message_buffer import MessageBuffer
from arena_trees.recording.bags.writer import RecordingError
from arena_trees.robot.errors import ConfigError

__all__ = ["LiveGame"]

_END_S = 5.0
_PATIENCE_S = 20.0
"""Longest wait for an answer, s: a process on a busy machine takes some seconds to begin."""


class LiveGame:
    """A game that is played, or a ROS graph that is watched, by a process. Its methods may be called from any thread.

    Args:
        state: how it stands before the process sends anything
        start: starts the process; returns it, and what takes :class:`Instruction` and gives :class:`Played`
        on_played: called in another thread with all that the process sends
    """

    def __init__(
        self,
        state: State,
        start: Callable[[], tuple[subprocess.Popen[bytes], Connection]],
        on_played: Callable[[Played], object] | None = None,
    ) -> None:
        self._on_played = on_played
        self._changed = threading.Condition()
        self._closed = False
        self._packed = PackedGame(state)
        self._recorded: MessageBuffer | None = None
        self._sheets: Mapping[str, Any] = {}
        self._asked = 0
        self._answers: dict[int, str] = {}
        self._sending = threading.Lock()
        self._process, self._connection = start()
        self._reader = threading.Thread(target=self._read, name="console-game", daemon=True)
        self._reader.start()

    @property
    def state(self) -> State:
        """How the game stands."""
        return self._packed.state

    def order(self, order: Instruction) -> None:
        """Send an order, and wait until it is followed.

        Raises:
            ConfigError: it is refused, or the process does not answer
        """
        refused = self._ask(order)
        if refused:
            raise ConfigError(refused)

    def save(self, folder: Path) -> Path:
        """Write what is kept of the game as a recording, and return its path.

        Args:
            folder: where recordings are; made where there is none

        Raises:
            RecordingError: it cannot be written, or there is nothing to write
        """
        # A game whose process has ended is saved as far as it came.
        self._ask(Instruction("flush"))
        with self._changed:
            if self._recorded is None:
                raise RecordingError("nothing has been played")
            recorded = self._recorded.copy()
        state = self.state
        name = re.sub(r"[^\w.-]+", "_", Path(state.scenario).stem)
        stem = f"{name}_{state.seed}_{time.strftime('%Y%m%dT%H%M%S')}"
        numbered = (f"{stem}_{number}" for number in count(2))
        path = next(path for one in chain((stem,), numbered) if not (path := folder / one).exists())
        recorded.save(path)
        return path

    @property
    def sheets(self) -> Mapping[str, Any]:
        """Robot to its parameters, as :meth:`~arena_trees.console.tuning.Tuning.sheets`; empty before it plays."""
        with self._changed:
            return self._sheets

    def _ask(self, order: Instruction) -> str:
        """Send an order and return why it was refused; empty where it was followed."""
        with self._changed:
            number = self._asked = self._asked + 1
        self._send(order._replace(number=number))
        with self._changed:
            self._changed.wait_for(lambda: self._closed or number in self._answers, timeout=_PATIENCE_S)
            return self._answers.pop(number, "the game does not answer")

    def _send(self, order: Instruction) -> None:
        """Send an order; one that comes after the process has ended is lost."""
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
            self._changed.wait_for(lambda: self._closed or self._packed.number != frame, timeout=patience_s)
        news = self._packed.news(epoch, frame)
        state = {**asdict(news.state), "epoch": news.epoch, "frame": news.frame, "whole": news.whole}
        blocks = [json.dumps(state, allow_nan=False).encode(), *news.bundles]
        return b"".join(struct.pack("<I", len(block)) + block for block in blocks)

    def close(self) -> None:
        """End the game's process, and whoever waits for news."""
        self._send(Instruction("quit"))
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
                if not (self.state.failed or self.state.over):
                    self._packed.take(None, replace(self.state, running=False, failed="the game's process has ended"))
                self._closed = True
                self._changed.notify_all()

    def _take(self, played: Played) -> None:
        if self._on_played is not None:
            self._on_played(played)
        with self._changed:
            if played.topics:
                before = MessageBuffer((), KEPT) if self._recorded is None else self._recorded
                self._recorded = before.copy(played.topics)
            if self._recorded is not None:
                self._recorded.extend(played.recorded)
            self._sheets = self._sheets if played.sheets is None else played.sheets
            self._answers.update(played.answers)
            self._packed.take(played.part, played.state)
            self._changed.notify_all()
