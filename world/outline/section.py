"""The section ``outline:`` of an arena file: a closed outline, as a chain of walls with their faces on it."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Annotated

import shapely
from pydantic import model_validator

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.world.footprint import Solid
from arena_trees.world.outline.tilde import tilde_outline
from arena_trees.world.sections import ArenaSection
from arena_trees.world.shapes import Point

__all__ = ["SECTION", "OutlineArena", "Tilde"]

_SLACK = 0.005
"""Metres by which a wall may stick out of its outline."""

Corner = Annotated[tuple[float, float], FROM_LIST]


class Tilde(Parameters):
    """A tilde about the origin, drawn as a band along one period of a sine."""

    length: float = parameter(18.0, "between the middles of its ends", "m", gt=0, le=100)
    amplitude: float = parameter(2.0, "of the sine", "m", ge=0, le=20)
    width: float = parameter(0.8, "of the band", "m", gt=0, le=10)
    pieces: int = parameter(24, "straight walls along either long side", ge=1, le=200)

    @property
    def corners(self) -> tuple[Point, ...]:
        """Its corners, m."""
        return tilde_outline(self.length, self.amplitude, self.width, self.pieces)


class OutlineArena(ArenaSection):
    """A closed outline: a tilde, or any polygon. Its walls, ``outline_1`` and so on, lie inside of it."""

    tilde: Tilde | None = parameter(None, "a tilde")
    points: Annotated[tuple[Corner, ...], FROM_LIST] = parameter((), "corners of any other outline, map frame", "m")
    thickness: float = parameter(0.1, "of the walls", "m", gt=0, le=5)
    height: float = parameter(0.5, "of the walls", "m", gt=0, le=10)

    @model_validator(mode="after")
    def _is_one_outline(self) -> OutlineArena:
        if (self.tilde is None) == (not self.points):
            raise ConfigError("needs either a tilde or points", key="points", value=list(self.points))
        try:
            corners = self.corners
        except ValueError as error:
            raise ConfigError(str(error), key="tilde.width", value=self.tilde and self.tilde.width) from error
        key = "points" if self.tilde is None else "tilde"
        ring = shapely.Polygon(corners) if len(corners) >= 3 else shapely.Polygon()
        if ring.is_empty or not ring.is_valid or ring.area == 0.0:
            raise ConfigError("is no polygon, or its edges cut each other", key=key)
        within = ring.buffer(_SLACK)
        for solid in self.solids():
            if not within.covers(solid.polygon()):
                reason = f"{solid.name} sticks out of the outline: the outline is too narrow, or a corner too sharp"
                raise ConfigError(reason, key="thickness", value=self.thickness)
        return self

    @cached_property
    def corners(self) -> tuple[Point, ...]:
        """The outline's corners, counter-clockwise, m."""
        points = self.points if self.tilde is None else self.tilde.corners
        if shapely.LinearRing(points).is_ccw if len(points) >= 3 else True:
            return points
        return points[::-1]

    def solids(self) -> tuple[Solid, ...]:
        """Return a wall for each edge, its outer face on the edge.

        Where the outline is dented, walls are longer than their edges, so that no gap is left behind the corner.
        """
        corners, solids = self.corners, []
        count = len(corners)
        for index, start in enumerate(corners):
            before, end, after = corners[index - 1], corners[(index + 1) % count], corners[(index + 2) % count]
            length = math.dist(start, end)
            dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
            first = self.thickness * _dent(before, start, end)
            last = self.thickness * _dent(start, end, after)
            # The outline goes counter-clockwise: inside is to the left.
            x, y = start[0] - self.thickness / 2.0 * dy, start[1] + self.thickness / 2.0 * dx
            a = x - first * dx, y - first * dy
            b = x + (length + last) * dx, y + (length + last) * dy
            solids.append(Solid.wall(f"outline_{index + 1}", a, b, self.thickness, self.height, "normal"))
        return tuple(solids)

    def loose(self) -> tuple[tuple[str, ...], ...]:
        """Return all walls as one piece: the outline keeps its shape."""
        return (tuple(solid.name for solid in self.solids()),)


def _dent(before: Point, corner: Point, after: Point) -> float:
    """Return by how much of its thickness a wall goes on behind a corner: tangent of half the dent's angle, or 0."""
    first = math.atan2(corner[1] - before[1], corner[0] - before[0])
    second = math.atan2(after[1] - corner[1], after[0] - corner[0])
    turn = math.remainder(second - first, math.tau)
    # Beyond a right angle the walls meet well before.
    return math.tan(min(-turn, math.pi / 2.0) / 2.0) if turn < 0.0 else 0.0


SECTION = OutlineArena
