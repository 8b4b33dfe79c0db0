"""Dead reckoning between messages: where the base is now, by odometry or else by what was commanded."""

from __future__ import annotations

import math

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Odometry

__all__ = ["advance", "plausible_pose", "reckon"]

_FARTHEST = 1e6
"""Metres; a coordinate beyond is a fault of its sender."""

_FASTEST = 5.0
"""m/s; no robot of this project comes near."""

_FASTEST_TURN = 50.0
"""rad/s."""


def advance(pose: Pose2D, twist: Twist2D, seconds: float) -> Pose2D:
    """Return the pose after driving with a constant twist, exactly along the arc; backwards for negative time."""
    half = 0.5 * twist.angular * seconds
    chord = twist.linear * seconds
    if abs(half) > 1e-6:
        chord *= math.sin(half) / half
    middle = pose.yaw + half
    return Pose2D(pose.x + chord * math.cos(middle), pose.y + chord * math.sin(middle), wrap(middle + half))


def plausible_pose(pose: Pose2D) -> bool:
    """Return whether a pose is finite and not absurdly far away."""
    return pose.is_finite and abs(pose.x) <= _FARTHEST and abs(pose.y) <= _FARTHEST


def reckon(
    base: Pose2D, twist: Twist2D, odometry: Odometry | None, now: int, seconds: float, timeout: float
) -> tuple[Pose2D, Twist2D]:
    """Return pose (odom frame) and twist of the base now.

    Args:
        base: pose at the step before, odom frame
        twist: what was commanded since then
        odometry: newest odometry, if any
        now: ns
        seconds: since the step before
        timeout: age (s) above which odometry is not used; what was commanded takes its place
    """
    if odometry is not None:
        age = odometry.age(now) / SECOND
        moved = odometry.twist
        usable = abs(moved.linear) <= _FASTEST and abs(moved.angular) <= _FASTEST_TURN
        if usable and age <= timeout and plausible_pose(odometry.pose):
            return advance(odometry.pose, moved, age), moved
    return advance(base, twist, seconds), twist
