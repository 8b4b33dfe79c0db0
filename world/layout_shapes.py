"""The shapes of a world: its walls, boxes, fences and homes as every drawer takes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from arena_trees.world.layout import Layout
from arena_trees.world.palette import GLASS, MUTED, WALL
from arena_trees.world.shapes import Layer, Point, Polygon, Shape

__all__ = ["FENCES", "GLASSES", "HOMES", "SOLIDS", "fence_shapes", "layout_shapes", "solid_shape"]

SOLIDS, GLASSES, FENCES, HOMES = "solids", "glass", "fences", "homes"
"""Groups of walls and boxes, of glass ones, of fences and of homes. A drawer with a dark ground knows them by these."""

_DASH = 0.09
"""m."""
_HOME = 0.11
"""m; from a star's middle to its points."""


def layout_shapes(layout: Layout, colours: Mapping[str, str]) -> list[Shape]:
    """Return what stands in a layout, its fences and its homes.

    Args:
        layout: the world of a trial
        colours: robot name to its colour; of a robot that is not in it, no fence and no home are shown
    """
    shapes: list[Shape] = [
        solid_shape([(x, y) for x, y in solid.polygon().exterior.coords[:-1]], glass=solid.surface == "glass")
        for solid in layout.solids
    ]
    shapes += fence_shapes([(name, layout.fences[name]) for name in colours if name in layout.fences], colours)
    shapes += [_star(layout.homes[name], colour) for name, colour in colours.items() if name in layout.homes]
    return shapes


def solid_shape(points: Sequence[Point], glass: bool = False) -> Polygon:
    """Return the footprint of a wall or a box with these corners (m, map frame)."""
    fill, group = (GLASS, GLASSES) if glass else (WALL, SOLIDS)
    return Polygon(tuple(points), fill=fill, line=MUTED, width=0.01, layer=Layer.FLOOR, group=group)


def fence_shapes(fences: Iterable[tuple[str, Sequence[Point]]], colours: Mapping[str, str]) -> list[Polygon]:
    """Return fences as dashed lines; those that coincide are dashed in turn.

    Args:
        fences: robot name and corners (m, map frame)
        colours: robot name to its colour; others are grey
    """
    seen: dict[tuple[Point, ...], int] = {}
    shapes = []
    for name, points in fences:
        key = tuple((float(x), float(y)) for x, y in points)
        turn = seen[key] = seen.get(key, -1) + 1
        colour = colours.get(name, MUTED)
        shape = Polygon(
            key, line=colour, width=0.02, dash=_DASH, shift=turn * _DASH, layer=Layer.FLOOR, group=f"{FENCES} {name}"
        )
        shapes.append(shape)
    return shapes


def _star(place: Point, colour: str) -> Polygon:
    """Return a star of five points: a home. It lies above robots, which may end upon theirs."""
    points = []
    for corner in range(10):
        reach = _HOME if corner % 2 == 0 else 0.45 * _HOME
        angle = math.pi / 2.0 + corner * math.pi / 5.0
        points.append((place[0] + reach * math.cos(angle), place[1] + reach * math.sin(angle)))
    return Polygon(tuple(points), fill="#ffffff", line=colour, width=0.015, layer=Layer.LABELS, group=HOMES)
