"""The scan watch: notices a LiDAR that repeats itself while the robot moves, or sends nonsense."""

from __future__ import annotations

import numpy as np

from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import Scan

__all__ = ["ScanWatch"]

FROZEN = "scan frozen"
MALFORMED = "scans malformed"

_REPEATS = 8
"""Identical scans from which a LiDAR counts as frozen."""

_MOVED = 0.05
"""Metres that the robot must have moved meanwhile, for a robot at rest may well see the same twice."""

_TURNED = 0.17
"""Radians that it may have turned instead."""

_MALFORMED = 3
"""Malformed scans in a row that stop the robot."""

_RECOVERED = 3
"""Good scans in a row that end either."""


class ScanWatch:
    """Looks at each scan once, in addition to the gate's own watch over their age."""

    def __init__(self) -> None:
        self._trouble: str | None = None
        self._scan: Scan | None = None
        self._repeats = 0
        self._good = 0
        self._began: Pose2D | None = None
        self._moved = False

    def observe(self, scan: Scan | None, odometry: Odometry | None, malformed: int) -> str | None:
        """Return why the scans are not to be trusted, or None.

        Args:
            scan: the newest that was not refused
            odometry: newest
            malformed: how many in a row were refused since, because they contradict themselves
        """
        if malformed >= _MALFORMED:
            self._trouble, self._good = MALFORMED, 0
        elif scan is not None and scan is not self._scan:
            self._notice(scan, None if odometry is None else odometry.pose)
        return self._trouble

    def _notice(self, scan: Scan, place: Pose2D | None) -> None:
        before, self._scan = self._scan, scan
        if before is None or not _same_picture(before, scan):
            self._repeats, self._began, self._moved = 1, place, False
            self._good += 1
            if self._good >= _RECOVERED:
                self._trouble = None
            return
        self._repeats += 1
        self._good = 0
        self._moved = self._moved or _far(self._began, place)
        if self._repeats >= _REPEATS and self._moved:
            self._trouble = FROZEN


def _same_picture(one: Scan, other: Scan) -> bool:
    # A scan without a return is the affair of the gate, which does not let it renew the age.
    return bool(
        one.distance.size
        and np.array_equal(one.distance, other.distance)
        and np.array_equal(one.bearing, other.bearing)
    )


def _far(began: Pose2D | None, now: Pose2D | None) -> bool:
    if began is None or now is None:
        return False
    return began.distance_to(now.x, now.y) >= _MOVED or abs(wrap(now.yaw - began.yaw)) >= _TURNED
