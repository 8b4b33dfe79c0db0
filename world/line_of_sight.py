"""Lines of sight: which wall or box a straight line through the air meets first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from arena_trees.world.footprint import Solid

__all__ = ["LineOfSight", "Point3"]

Point3: TypeAlias = tuple[float, float, float]
"""x, y and height above the floor, m, map frame."""


class LineOfSight:
    """Tells whether light gets from one point to another past walls and boxes; glass lets it pass.

    Args:
        solids: walls and boxes
    """

    def __init__(self, solids: Iterable[Solid]) -> None:
        self._blocks = [
            (solid.name, solid.pose.x, solid.pose.y, math.cos(solid.pose.yaw), math.sin(solid.pose.yaw),
             solid.length / 2.0, solid.width / 2.0, solid.height)
            for solid in solids
            if solid.surface != "glass"
        ]  # fmt: skip

    def first(self, start: Point3, end: Point3) -> tuple[str, float] | None:
        """Return what the straight way meets first: its name, and at which share of the way; None where it is clear."""
        return min(self._met(start, end), key=lambda one: one[1], default=None)

    def clear(self, start: Point3, end: Point3) -> bool:
        """Return whether nothing is in the way."""
        return next(self._met(start, end), None) is None

    def _met(self, start: Point3, end: Point3) -> Iterator[tuple[str, float]]:
        """Yield what the straight way meets, in the order of the solids."""
        for name, x, y, cosine, sine, half_length, half_width, height in self._blocks:
            ax, ay, bx, by = start[0] - x, start[1] - y, end[0] - x, end[1] - y
            begin, last = cosine * ax + sine * ay, cosine * bx + sine * by
            if (begin > half_length and last > half_length) or (begin < -half_length and last < -half_length):
                continue
            aside, last_aside = cosine * ay - sine * ax, cosine * by - sine * bx
            if (aside > half_width and last_aside > half_width) or (aside < -half_width and last_aside < -half_width):
                continue
            share = _enters(
                (begin, last, -half_length, half_length),
                (aside, last_aside, -half_width, half_width),
                (start[2], end[2], 0.0, height),
            )
            if share is not None:
                yield name, share


def _enters(*axes: tuple[float, float, float, float]) -> float | None:
    """Return the share of a way at which it enters a block; None where it passes it by.

    Args:
        axes: of each axis begin and end of the way, and the block's lower and upper side
    """
    enter, leave = 0.0, 1.0
    for begin, end, low, high in axes:
        step = end - begin
        if step == 0.0:
            if begin < low or begin > high:
                return None
            continue
        one, other = (low - begin) / step, (high - begin) / step
        enter, leave = max(enter, min(one, other)), min(leave, max(one, other))
        if enter > leave:
            return None
    return enter
