"""What the bumper has met and the LiDAR does not see, for Nav2's costmaps."""

from __future__ import annotations

import math
from typing import Any

from sensor_msgs.msg import PointCloud2

from arena_trees.behaviours.bumps import BUMPED, BumpedObstacles
from arena_trees.nodes.adapters.point_cloud import disc_points, point_cloud
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.nodes.runtime.qos import COMMAND
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.record import TickRecord

__all__ = ["BUMPED_CLOUD", "BumpedCloud"]

BUMPED_CLOUD = "bumped_cloud"
"""Topic, relative to the robot's namespace."""

_PERIOD = from_seconds(0.5)
"""The local costmap's frame drifts, and the obstacles stand in it as they were measured last."""
_HEIGHT = 0.05
"""Of the points, m: the bumper's."""
_SPACING = 0.05
"""m; a cell of Nav2's costmaps."""


class BumpedCloud:
    """Publishes the obstacles that a tree's bumper has met, as points: of each its middle and its outline.

    Topics:
        * ``bumped_cloud`` (sensor_msgs/PointCloud2, COMMAND) in the base's frame [published twice a second while a tree
          knows of any, and once, empty, when it has forgotten them]

    Args:
        node: whose publisher it is
        frame: name of the base's frame
    """

    def __init__(self, node: Any, frame: str) -> None:
        self._publisher = node.create_publisher(PointCloud2, BUMPED_CLOUD, COMMAND)
        self._frame = frame
        self._published: int | None = None

    def publish(self, record: TickRecord) -> None:
        """Publish what is due by the account of a tick."""
        bumped: BumpedObstacles | None = record.blackboard.get(BUMPED)
        discs = () if bumped is None else bumped.obstacles
        if not discs and self._published is None:
            return
        if discs and self._published is not None and 0 <= record.now - self._published < _PERIOD:
            return
        self._published = record.now if discs else None
        points = [point for x, y, radius in discs for point in disc_points(x, y, radius, _around(radius))]
        self._publisher.publish(point_cloud(points, self._frame, stamp_message(record.now), _HEIGHT))


def _around(radius: float) -> int:
    """Return how many points leave no cell of an outline out."""
    return math.ceil(2.0 * math.pi * radius / _SPACING)
