"""Footprints on the floor: rectangles of walls and boxes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import shapely

from arena_trees.robot.geometry import Pose2D

__all__ = ["Solid", "Surface"]

Surface = Literal["normal", "glass", "dark"]
"""``normal``; ``glass``, which neither LiDAR nor camera sees; ``dark``, which only the LiDAR does not see."""


@dataclass(frozen=True, slots=True)
class Solid:
    """A wall or a box: an upright block on the floor.

    Attributes:
        name: unique in the arena
        pose: centre and yaw of the block, map frame
        length: along the pose's x, m
        width: along the pose's y, m
        height: m
        surface: normal, glass or dark
        colour: ``#rrggbb`` that all of it has where cameras look; None for one that the arena's look gives it
    """

    name: str
    pose: Pose2D
    length: float
    width: float
    height: float
    surface: Surface = "normal"
    colour: str | None = None

    def distance_to(self, x: float, y: float) -> float:
        """Return the distance (m) from a point of the map frame to the block's footprint; 0 inside."""
        local = self.pose.relative(Pose2D(x, y))
        return math.hypot(max(abs(local.x) - self.length / 2, 0.0), max(abs(local.y) - self.width / 2, 0.0))

    def polygon(self) -> shapely.Polygon:
        """Return the footprint in the map frame."""
        half_length, half_width = self.length / 2, self.width / 2
        corners = [
            self.pose.compose(Pose2D(x, y))
            for x, y in (
                (half_length, half_width),
                (-half_length, half_width),
                (-half_length, -half_width),
                (half_length, -half_width),
            )
        ]
        return shapely.Polygon([(corner.x, corner.y) for corner in corners])

    @classmethod
    def wall(
        cls,
        name: str,
        start: tuple[float, float],
        end: tuple[float, float],
        thickness: float,
        height: float,
        surface: Surface,
        colour: str | None = None,
    ) -> Solid:
        """Return the block of a wall whose centre line runs from ``start`` to ``end`` (m)."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        centre = Pose2D((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, math.atan2(dy, dx))
        return cls(name, centre, math.hypot(dx, dy), thickness, height, surface, colour)
