"""What a recorded game showed when: drawn from the states that its rules repeated, and the judge's marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena_trees.games.figures import Mark
from arena_trees.games.game import Game
from arena_trees.games.registry import load_games
from arena_trees.recording.recording import Recording
from arena_trees.recording.shape_frames import ShapeFrame, settled, with_marks
from arena_trees.robot.messaging.game_message import MessageError

__all__ = ["game_frames"]

_MOST_MARKS = 1000


def game_frames(recording: Recording) -> list[ShapeFrame]:
    """Return what the games of a recording showed, in time's order; empty where it has no game's messages."""
    games = {game.state.topic: game for game in load_games().values() if game.state is not None}
    frames = settled(_frames(recording, games))
    marks = list(_marks(recording.info))
    return with_marks(frames, marks, recording.start) if marks else frames


def _frames(recording: Recording, games: Mapping[str, Game]) -> Iterator[ShapeFrame]:
    for instant, message in recording.messages:
        game = games.get(message.topic)
        if game is None or game.state is None:
            continue
        try:
            shapes = game.shapes(game.state.decode(message.payload))
        except (MessageError, ValueError):
            # Of another version, or by somebody else: what cannot be read is not drawn.
            continue
        if shapes:
            yield ShapeFrame(instant, tuple(shapes))


def _marks(info: Mapping[str, Any]) -> Iterator[Mark]:
    """Yield the marks in the recording's info on its end, as far as they are valid."""
    end = info.get("end")
    marks = end.get("marks") if isinstance(end, dict) else None
    for mark in marks[:_MOST_MARKS] if isinstance(marks, list) else ():
        try:
            now_s, x, y, label, colour = mark
            yield Mark(float(now_s), float(x), float(y), str(label)[:200], str(colour))
        except (TypeError, ValueError):
            continue
