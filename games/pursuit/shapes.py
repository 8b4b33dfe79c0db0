"""What is drawn of a pursuit, from above."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena_trees.games.pursuit.messages import PursuitPhase, PursuitScene
from arena_trees.world.shapes import Disc, Layer, Path, Shape

__all__ = ["scene_shapes"]

_RED, _GREEN, _BLUE, _RIM = "#d22b2b", "#2fae49", "#1f4fd8", "#22303c"


def scene_shapes(scene: PursuitScene) -> Sequence[Shape]:
    """Return the beam, red, or green when it was fired, and the ball, blue, or green when it was hit."""
    shapes: list[Shape] = []
    beam, ball = scene.beam, scene.ball
    # After a hit the chaser no longer aims, nor when it is home.
    aims = scene.phase in (PursuitPhase.WAITING, PursuitPhase.CHASE)
    if beam is not None and (beam.lit or aims):
        end = beam.x + beam.length * math.cos(beam.yaw), beam.y + beam.length * math.sin(beam.yaw)
        colour, width = (_GREEN, 0.04) if beam.lit else (_RED, 0.015)
        alpha = 1.0 if beam.lit else 0.6
        shapes.append(Path(((beam.x, beam.y), end), colour, width, alpha=alpha, layer=Layer.LABELS, group="laser"))
    if ball is not None and ball.radius > 0.0:
        colour = _GREEN if ball.hit else _BLUE
        # It hangs above the robot, whose letter is seen through it.
        layer, alpha = Layer.LABELS, 0.55
        shapes.append(Disc(ball.x, ball.y, ball.radius, colour, _RIM, 0.015, alpha=alpha, layer=layer, group="ball"))
    return shapes
