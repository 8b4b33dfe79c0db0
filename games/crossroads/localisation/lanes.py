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
        centre: x of the crossing's centre, m, map frame
    """

    heading: float
    width: float
    line: float | None
    centre: float = 0.0

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
        return self.ahead[0] * (x - self.centre) + self.ahead[1] * y

    def beside(self, pose: Pose2D) -> float:
        """Return how far (m) a pose is to the left of the lane's middle; right-hand traffic has red at its left."""
        return self.left[0] * (pose.x - self.centre) + self.left[1] * pose.y + self.width / 2.0

    def stop_distance(self, pose: Pose2D) -> float | None:
        """Return how far (m) ahead of a pose the middle of its stop line is; None where it is not before one."""
        if self.line is None or abs(self.beside(pose)) > self.width / 2.0:
            return None
        distance = -self.line - self.along(pose.x, pose.y)
        return distance if distance > 0.0 and abs(wrap(pose.yaw - self.heading)) <= _TURNED else None


class CrossingLanes:
    """The four directions of driving through a crossing, or through each of several in a row.

    Args:
        floor: of the crossing
    """

    def __init__(self, floor: CrossingFloor) -> None:
        self._crossing = floor.crossing
        width, line = floor.crossing.lane_width, floor.crossing.line_distance
        self._lanes = [
            tuple(
                Lane(wrap(quarter * math.pi / 2.0), width, line if side in floor.approaches else None, centre)
                for quarter, side in enumerate(_FROM)
            )
            for centre in map(floor.crossing.centre, range(floor.crossing.crossings))
        ]

    def nearest(self, pose: Pose2D, turned: float = 0.0) -> Lane:
        """Return the lane of the nearest crossing whose direction is nearest to a heading.

        Args:
            pose: of a robot, map frame
            turned: the heading, rad, from the robot's own
        """
        lanes = self._lanes[self._crossing.nearest(pose.x)]
        return min(lanes, key=lambda lane: abs(wrap(pose.yaw + turned - lane.heading)))
