"""Outlines: what of a world is drawn from above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena_trees.world.layout_shapes import fence_shapes, solid_shape
from arena_trees.world.shapes import Shape

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.world.layout import Layout

__all__ = ["Outline", "layout_outlines", "outline_shapes"]


@dataclass(frozen=True, slots=True)
class Outline:
    """One closed polygon of the world.

    Attributes:
        name: such as ``wall_north``, ``box_1``, or the robot whose fence it is
        kind: ``wall``, ``box``, ``fence`` or ``other``
        points: (x, y) of each corner, m, map frame, shape (n, 2), without a closing point
    """

    name: str
    kind: str
    points: NDArray[np.float64] = field(repr=False)


def layout_outlines(plan: TrialPlan, layout: Layout) -> list[Outline]:
    """Return the walls and boxes of a trial's world, and the fences of its robots.

    Args:
        plan: of the trial
        layout: of its world
    """
    walls = {wall.name for wall in plan.arena.walls}
    outlines = [
        Outline(
            solid.name,
            "wall" if solid.name in walls else "box",
            np.array(solid.polygon().exterior.coords[:-1], dtype=np.float64),
        )
        for solid in layout.solids
    ]
    fences = plan.fences.items()
    return outlines + [Outline(name, "fence", np.array(fence.points, dtype=np.float64)) for name, fence in fences]


def outline_shapes(outlines: Sequence[Outline], colours: Mapping[str, str], farthest: float) -> list[Shape]:
    """Return outlines as shapes; one without two points is none.

    Args:
        outlines: of a recording
        colours: robot name to its colour, for its fence
        farthest: what is further away is drawn there, m
    """
    near = {
        id(outline): [(float(x), float(y)) for x, y in np.clip(outline.points, -farthest, farthest)]
        for outline in outlines
        if len(outline.points) > 1
    }
    drawn = [outline for outline in outlines if id(outline) in near]
    shapes: list[Shape] = [
        solid_shape(near[id(outline)], glass=outline.kind == "other") for outline in drawn if outline.kind != "fence"
    ]
    shapes += fence_shapes([(one.name, near[id(one)]) for one in drawn if one.kind == "fence"], colours)
    return shapes
