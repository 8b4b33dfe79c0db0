"""Small pictures of games: how one ended, and how one begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import cv2

from arena_trees.console.game_process import plan_of
from arena_trees.experiments.plan import draw_world
from arena_trees.recording.outlines import layout_outlines
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.recording.shape_frames import ShapeFrame
from arena_trees.recording.video.view import FilmView

__all__ = ["picture_of", "scenario_picture"]

_SIDE = 240
"""Side length of a picture, px."""


def picture_of(recording: Recording, frames: Sequence[ShapeFrame] = ()) -> bytes:
    """Return a PNG of how a recording ends, seen from above.

    Args:
        recording: to be shown
        frames: of the game's shapes
    """
    whole = FilmView(recording, frames).world(recording.end)
    small = cv2.resize(whole, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".png", small)[1])


@lru_cache(maxsize=200)
def scenario_picture(scenario: str) -> bytes:
    """Return a PNG of where a scenario's first trial begins, seen from above; nothing is played for it.

    Args:
        scenario: name or file

    Raises:
        ConfigError: it cannot be played
    """
    plan = plan_of(scenario, {})
    world = draw_world(plan, 0)
    robots = {
        spec.name: RobotRecording(spec.name, plan.role(spec.name).name, truth=((0, spec.start),), body=spec.body)
        for spec in world.specs
    }
    outlines = layout_outlines(plan, world.layout)
    return picture_of(Recording(Path(scenario), {}, 0, 0, robots, (), outlines, {}))
