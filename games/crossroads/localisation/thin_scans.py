"""Scans of few points, as of dark walls or in low sun: several are looked at as one."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from arena_trees.games.crossroads.localisation.wall_match import FAR
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

__all__ = ["ThinScans"]

Array = NDArray[np.float64]

_OLDEST = from_seconds(2.0)
"""Points from longer ago (ns) before the newest are forgotten: odometry has drifted."""


class ThinScans:
    """Keeps the points of scans until there are enough together; each point is handed out once.

    What is gathered is carried on by odometry, and is of one odom frame: after a jump, a new one is needed.

    Args:
        enough: points near enough to be of walls that are handed out
    """

    def __init__(self, enough: int) -> None:
        self._enough = enough
        self._kept: deque[tuple[int, Pose2D, Array]] = deque()

    def forget(self) -> None:
        """Begin anew."""
        self._kept.clear()

    def is_thin(self, scan: Scan) -> bool:
        """Return whether a scan has too few points by itself."""
        return int((scan.distance <= FAR).sum()) < self._enough

    def gathered(self, scan: Scan, moved: Pose2D) -> tuple[Array, Array] | None:
        """Return points' x and y (m) in base_link at a scan's instant, or None while there are too few.

        A scan that has enough by itself is returned as it is, and what was kept before is forgotten.

        Args:
            scan: the newest
            moved: pose of base_link at the scan's instant, odom frame
        """
        if not self.is_thin(scan):
            self.forget()
            return scan.x, scan.y
        seen = scan.distance <= FAR
        while self._kept and scan.stamp - self._kept[0][0] > _OLDEST:
            self._kept.popleft()
        self._kept.append((scan.stamp, moved, np.column_stack([scan.x[seen], scan.y[seen]])))
        if sum(len(points) for _, _, points in self._kept) < self._enough:
            return None
        together = np.vstack([_carried(points, moved.relative(pose)) for _, pose, points in self._kept])
        self.forget()
        return together[:, 0], together[:, 1]


def _carried(points: Array, pose: Pose2D) -> Array:
    """Return points (m, shape (k, 2)) of a pose in the frame in which that pose is given."""
    cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
    turned: Array = points @ np.array([[cosine, sine], [-sine, cosine]]) + (pose.x, pose.y)
    return turned
