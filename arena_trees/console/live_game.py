"""The game of the console: its process, and what pages lack of it."""

from __future__ import annotations

import json
import struct
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from arena_trees.console.game_process import Order, Played, State, start_game
from arena_trees.console.packed_game import PackedGame

__all__ = ["LiveGame"]

_END_S = 5.0


class LiveGame:
    """Plays one game in a process of its own. Its methods may be called from any thread.

    Args:
        scenario: name or file
        changes: key to value, such as the seed
    """

    def __init__(self, scenario: str, changes: Mapping[str, Any]) -> None:
        self._changed = threading.Condition()
        self._closed = False
        self._packed = PackedGame(State(scenario, int(changes.get("seed", 0))))
        self._sending = threading.Lock()
        self._process, self._connection = start_game(scenario, changes)
        self._reader = threading.Thread(target=self._read, name="console-game", daemon=True)
        self._reader.start()

    @property
    def state(self) -> State:
        """How the game stands."""
        return self._packed.state

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
            self._changed.wait_for(lambda: self._closed or self._packed.number != frame, timeout=patience_s)
        news = self._packed.news(epoch, frame)
        told = {**asdict(news.state), "epoch": news.epoch, "frame": news.frame, "whole": news.whole}
        blocks = [json.dumps(told, allow_nan=False).encode(), *news.bundles]
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
                if not (self.state.failed or self.state.over):
                    self._packed.take(None, replace(self.state, running=False, failed="the game's process has ended"))
                self._closed = True
                self._changed.notify_all()

    def _take(self, played: Played) -> None:
        with self._changed:
            self._packed.take(played.part, played.state)
            self._changed.notify_all()
