"""Triangles that cover a polygon, for drawers that fill nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import shapely

from arena_trees.world.shapes import Point

__all__ = ["Triangle", "triangles"]

Triangle = tuple[Point, Point, Point]


def triangles(points: Sequence[Point]) -> list[Triangle]:
    """Return triangles that together are the polygon with these corners, by cutting off ears.

    There are none of a polygon that has no area or crosses itself.
    """
    area = shapely.Polygon(points) if len(points) > 2 else shapely.Polygon()
    if area.is_empty or not area.is_valid:
        return []
    left = [(float(x), float(y)) for x, y in shapely.geometry.polygon.orient(area).exterior.coords[:-1]]
    found: list[Triangle] = []
    while len(left) > 3:
        ear = next((number for number in range(len(left)) if _is_ear(left, number)), None)
        if ear is None:
            # What rounding leaves has hardly any area.
            return found
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return [*found, (left[0], left[1], left[2])]


def _is_ear(left: Sequence[Point], number: int) -> bool:
    """Return whether a corner turns left and no other corner lies in its triangle."""
    a, b, c = left[number - 1], left[number], left[(number + 1) % len(left)]
    if _turn(a, b, c) <= 0.0:
        return False
    return not any(
        _turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0 for p in left if p not in (a, b, c)
    )


def _turn(a: Point, b: Point, c: Point) -> float:
    """Return twice the area of a triangle, positive where it turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
