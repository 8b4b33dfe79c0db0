"""Where the robot is on the map now: the newest localisation, carried on by odometry and calmed by it."""

from __future__ import annotations

import math

from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import Odometry, PoseEstimate

__all__ = ["MapPoseTracker"]

_ORIGIN = Pose2D()


class MapPoseTracker:
    """Keeps the odom frame's pose in the map frame, which noise moves about and which changes slowly by itself.

    Args:
        calm_s: time over which new estimates take effect, s
        jump_m: an estimate that is off by more is believed at once, m
    """

    def __init__(self, calm_s: float = 1.0, jump_m: float = 0.4) -> None:
        self._calm = calm_s
        self._jump = jump_m
        self.reset()

    def reset(self) -> None:
        """Know nothing any more."""
        self._history = OdometryBuffer()
        self._odom_in_map: Pose2D | None = None
        self._newest: PoseEstimate | None = None
        self._found: Pose2D | None = None
        self._now = 0

    def update(self, now: int, estimate: PoseEstimate | None, odometry: Odometry | None) -> None:
        """Take in what is new.

        Args:
            now: ns
            estimate: newest localisation
            odometry: newest odometry
        """
        if now < self._now:
            self.reset()
        self._now = now
        self._history.add(odometry)
        if estimate is None or estimate is self._newest:
            return
        before, self._newest = self._newest, estimate
        # AMCL stamps its transform into the future; what was measured had been measured when it arrived.
        instant = min(estimate.stamp, estimate.arrival)
        then = self._history.at(instant)
        if then is None:
            return
        self._found = None
        if not self._history.reaches(instant):
            # Odometry, when it comes, brings the motion since its last: the odom frame is where it was.
            self._found = estimate.pose
            return
        found = estimate.pose.compose(then.relative(_ORIGIN))
        known = self._odom_in_map
        gap = 1.0 if before is None else max(0.0, to_seconds(estimate.arrival - before.arrival))
        expected = None if known is None else known.compose(then)
        if expected is None or expected.distance_to(estimate.pose.x, estimate.pose.y) > self._jump or gap > 2.0:
            self._odom_in_map = found
            return
        share = 1.0 - math.exp(-gap / self._calm)
        self._odom_in_map = _between(expected, estimate.pose, share).compose(then.relative(_ORIGIN))

    def pose(self) -> Pose2D | None:
        """Return where the robot is at the instant of the last update, map frame; None before it is known.

        While odometry is silent it is the newest estimate.
        """
        if self._found is not None and not self._history.reaches(self._now):
            return self._found
        return self.at(self._now)

    def at(self, stamp: int) -> Pose2D | None:
        """Return where the robot was at an instant (ns) of the last few seconds, as it is known now, map frame."""
        moved = self._history.at(stamp)
        if self._odom_in_map is None or moved is None:
            return None
        return self._odom_in_map.compose(moved)


def _between(a: Pose2D, b: Pose2D, share: float) -> Pose2D:
    return Pose2D(
        a.x + share * (b.x - a.x),
        a.y + share * (b.y - a.y),
        wrap(a.yaw + share * wrap(b.yaw - a.yaw)),
    )
