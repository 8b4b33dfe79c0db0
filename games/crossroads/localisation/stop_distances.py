"""The distance to the stop line by each source that measures it, carried on by odometry to be compared."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.games.crossroads.localisation.lanes import Lane
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["StopDistances"]

_KEPT = from_seconds(3.0)
"""Odometry carries a distance on for so long, ns."""


@dataclass(frozen=True, slots=True)
class _Reported:
    stamp: int
    lane: Lane
    distance: float
    base: Pose2D
    turned: float


class StopDistances:
    """The newest distance to the stop line of the robot's lane by each source."""

    def __init__(self) -> None:
        self._received: dict[str, _Reported] = {}

    def add(self, source: str, stamp: int, lane: Lane, distance: float, base: Pose2D, yaw: float) -> None:
        """Take in the distance that a source reports.

        Args:
            source: its name
            stamp: instant of the measurement, ns
            lane: the robot's
            distance: along the lane from base_link to the middle of the stop line, m
            base: pose of base_link in odom at that instant
            yaw: of base_link in the map frame at that instant, rad
        """
        self._received[source] = _Reported(stamp, lane, distance, base, wrap(lane.heading - yaw))

    def at(self, stamp: int, lane: Lane, base: Pose2D) -> dict[str, float]:
        """Return the distances (m) by source.

        Args:
            stamp: instant, ns
            lane: the robot's; distances in another one are left out
            base: pose of base_link in odom at that instant
        """
        found: dict[str, float] = {}
        for source, received in self._received.items():
            if received.lane is lane and stamp - received.stamp <= _KEPT:
                moved = received.base.relative(base)
                found[source] = (
                    received.distance - moved.x * math.cos(received.turned) - moved.y * math.sin(received.turned)
                )
        return found
