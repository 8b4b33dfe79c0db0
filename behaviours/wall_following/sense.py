"""Sense the wall: by single rays, and as a curve that odometry carries on between two scans."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.wall_curve import WallCurve
from arena_trees.control.wall_rays import WallRays
from arena_trees.games.wall_following.blackboard import (
    NEAREST_RAY,
    RAYS,
    WALL,
    NearestRay,
    NearWall,
)
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

__all__ = ["FitWall", "SenseRays"]

_STALE_S = 0.5
"""Age of a scan by which nobody drives; the velocity gate stops the robot then, too."""


class SenseRays(PerceptBehaviour):
    """Write single rays of the newest scan. SUCCESS always.

    Blackboard Variables:
        * scan (Scan) [r]
        * rays (WallRays) [w]: None while scans are missing, stale or have come for less than ``settle_s``
        * nearest_ray (NearestRay) [w]: the same

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        reads: further keys that a subclass reads
    """

    def __init__(self, name: str, robot: str, live: Live[WallFollowerParameters], reads: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, (keys.SCAN, *reads), (RAYS, NEAREST_RAY))
        self._live = live
        self._since: int | None = None
        self._seen: tuple[int, WallRays, NearestRay] | None = None
        self._forget()

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._seen = None
        self._forget()

    def update(self) -> Status:
        """Write the rays of the newest scan once the settling time is over; SUCCESS always."""
        scan: Scan | None = self.percepts.scan
        if scan is None or not self.fresh(scan, _STALE_S):
            self._forget()
            return Status.SUCCESS
        parameters = self._live.value
        if self._since is None:
            self._since = self.now
        if self._seen is None or self._seen[0] != scan.sequence:
            rays = WallRays.of(self.returns(scan), parameters.side_sign)
            nearest = rays.nearest if math.isfinite(rays.nearest) else None
            self._seen = scan.sequence, rays, NearestRay(nearest)
        if self.now - self._since >= from_seconds(parameters.settle_s):
            _, self.outputs.rays, self.outputs.nearest_ray = self._seen
        return Status.SUCCESS

    def returns(self, scan: Scan) -> Scan:
        """Return the scan as far as it is of walls: all of it, unless a subclass knows better."""
        return scan

    def _forget(self) -> None:
        self._since = None
        self.outputs.rays = self.outputs.nearest_ray = None


class FitWall(PerceptBehaviour):
    """Write the near wall as it is now: fitted to the newest scan, and carried on by odometry. SUCCESS always.

    Blackboard Variables:
        * scan (Scan), odometry (Odometry), rays (WallRays) [r]: without rays there is no wall either
        * wall (NearWall) [w]: None while there are no rays

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        reads: further keys that a subclass reads
    """

    def __init__(self, name: str, robot: str, live: Live[WallFollowerParameters], reads: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, (keys.SCAN, keys.ODOMETRY, RAYS, *reads), (WALL,))
        self._live = live
        self._odometry = OdometryBuffer()
        self._fitted: tuple[int, WallCurve] | None = None
        self.outputs.wall = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._odometry = OdometryBuffer()
        self._fitted = None
        self.outputs.wall = None

    def update(self) -> Status:
        """Fit the wall to a new scan and write it as seen from the pose now; SUCCESS always."""
        self._odometry.add(self.percepts.odometry)
        scan: Scan | None = self.percepts.scan
        if scan is None or self.percepts.rays is None:
            self.outputs.wall = None
            return Status.SUCCESS
        p = self._live.value
        if self._fitted is None or self._fitted[0] != scan.sequence:
            self._fitted = scan.sequence, WallCurve.fitted(self.returns(scan), p.gap)
        then, here = self._odometry.at(scan.stamp), self._odometry.at(self.now)
        moved = Pose2D() if then is None or here is None else then.relative(here)
        curve = self._fitted[1].seen_from(moved)
        nearest = distance, bearing = curve.nearest()
        course = curve.course(p.side_sign, p.ideal_distance, p.reach, nearest)
        self.outputs.wall = NearWall(distance if math.isfinite(distance) else None, bearing, course)
        return Status.SUCCESS

    def returns(self, scan: Scan) -> Scan:
        """Return the scan as far as it is of walls: all of it, unless a subclass knows better."""
        return scan
