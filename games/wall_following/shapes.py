"""What is drawn of the game, from above."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.games.wall_following.messages import LapState
from arena_trees.world.shapes import Disc, Layer, Shape, Text

__all__ = ["lap_shapes"]

_DONE, _OPEN = "#3c7a2b", "#b9b3a6"


def lap_shapes(state: LapState) -> Sequence[Shape]:
    """Return where each lap ends, green with its time once it has."""
    shapes: list[Shape] = []
    for name, start in state.starts.items():
        time = state.laps_s.get(name)
        colour = _OPEN if time is None else _DONE
        shapes.append(Disc(start.x, start.y, start.radius, None, colour, 0.03, layer=Layer.FLOOR + 2, group="laps"))
        if time is not None:
            size = start.radius / 2.0
            shapes.append(Text(start.x, start.y, f"{time:.1f} s", size=size, halo="#ffffff", group="laps"))
    return shapes
