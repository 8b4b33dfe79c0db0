"""Short memory of odometry, so that an old image can be compared with where the robot was then."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque

from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import Odometry

__all__ = ["CARRIED_S", "OdometryBuffer"]

CARRIED_S = 0.2
"""So long without odometry nothing is known of the motion any more, s; standing still is the better guess then."""


class OdometryBuffer:
    """Poses in the odom frame over the last few seconds, with unwrapped yaw.

    Args:
        length: samples kept; 64 are 3.2 s at odometry's 20 Hz
    """

    def __init__(self, length: int = 64) -> None:
        self._stamps: deque[int] = deque(maxlen=length)
        self._poses: deque[tuple[float, float, float]] = deque(maxlen=length)
        self._newest: Odometry | None = None

    def add(self, odometry: Odometry | None) -> None:
        """Remember a sample; one that is not newer than the newest is ignored."""
        if odometry is None or (self._newest is not None and odometry.stamp <= self._newest.stamp):
            return
        yaw = odometry.pose.yaw
        if self._poses:
            last = self._poses[-1][2]
            yaw = last + wrap(yaw - last)
        self._stamps.append(odometry.stamp)
        self._poses.append((odometry.pose.x, odometry.pose.y, yaw))
        self._newest = odometry

    def reaches(self, stamp: int) -> bool:
        """Return whether the pose at an instant (ns) is known by odometry that is new enough."""
        return self._newest is not None and to_seconds(stamp - self._newest.stamp) <= CARRIED_S

    def at(self, stamp: int) -> Pose2D | None:
        """Return the pose at an instant (ns), yaw unwrapped; None before the first sample.

        Between samples it is interpolated; after the newest it is carried on by its twist.
        """
        newest = self._newest
        if newest is None:
            return None
        if stamp >= newest.stamp:
            return self._extrapolated(newest, to_seconds(stamp - newest.stamp))
        index = bisect_right(self._stamps, stamp)
        if index == 0:
            return Pose2D(*self._poses[0])
        before, after = self._poses[index - 1], self._poses[index]
        share = (stamp - self._stamps[index - 1]) / (self._stamps[index] - self._stamps[index - 1])
        x, y, yaw = (b + share * (a - b) for b, a in zip(before, after, strict=True))
        return Pose2D(x, y, yaw)

    def _extrapolated(self, newest: Odometry, dt: float) -> Pose2D:
        x, y, yaw = self._poses[-1]
        dt = min(dt, CARRIED_S)
        middle = yaw + newest.twist.angular * dt / 2.0
        step = newest.twist.linear * dt
        return Pose2D(x + step * math.cos(middle), y + step * math.sin(middle), yaw + newest.twist.angular * dt)
