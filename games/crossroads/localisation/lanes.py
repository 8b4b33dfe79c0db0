"""The lanes of a crossing as straight lines through it, one in each direction, and where a pose is in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.words import Approach
from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["CrossingLanes", "Lane"]

_FROM = (Approach.WEST, Approach.SOUTH, Approach.EAST, Approach.NORTH)
"""The sides from which robots come, quarter turn by quarter turn of their heading."""

_TURNED = math.radians(45.0)


@dataclass(frozen=True, slots=True)
class Lane:
    """An approach's lane and, beyond the box, the exit's lane in the same line.

    Attributes:
        heading: direction of driving, rad, map frame
        width: from the middle of the red line to that of the black one, m
        line: from the centre to the stop line before it, m; None where the lane has no approach
    """

    heading: float
    width: float
    line: float | None

    @property
    def ahead(self) -> tuple[float, float]:
        """Unit vector along the lane, map frame."""
        return math.cos(self.heading), math.sin(self.heading)

    @property
    def left(self) -> tuple[float, float]:
        """Unit vector to the left of the lane, map frame."""
        return -math.sin(self.heading), math.cos(self.heading)

    def along(self, x: float, y: float) -> float:
        """Return how far (m) a place is ahead of the crossing's centre."""
        return self.ahead[0] * x + self.ahead[1] * y

    def beside(self, pose: Pose2D) -> float:
        """Return how far (m) a pose is to the left of the lane's middle; right-hand traffic has red at its left."""
        return self.left[0] * pose.x + self.left[1] * pose.y + self.width / 2.0

    def stop_distance(self, pose: Pose2D) -> float | None:
        """Return how far (m) ahead of a pose the middle of its stop line is; None where it is not before one."""
        if self.line is None or abs(self.beside(pose)) > self.width / 2.0:
            return None
        distance = -self.line - self.along(pose.x, pose.y)
        return distance if distance > 0.0 and abs(wrap(pose.yaw - self.heading)) <= _TURNED else None


class CrossingLanes:
    """The four directions of driving through a crossing.

    Args:
        floor: of the crossing
    """

    def __init__(self, floor: CrossingFloor) -> None:
        width, line = floor.crossing.lane_width, floor.crossing.line_distance
        self.lanes = tuple(
            Lane(wrap(quarter * math.pi / 2.0), width, line if approach in floor.approaches else None)
            for quarter, approach in enumerate(_FROM)
        )

    def nearest(self, yaw: float) -> Lane:
        """Return the lane whose direction is nearest to a heading (rad, map frame)."""
        return min(self.lanes, key=lambda lane: abs(wrap(yaw - lane.heading)))
