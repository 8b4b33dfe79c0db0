"""Checks of single readings: each returns the percept to keep, or raises with the reason to count."""

from __future__ import annotations

from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Odometry, PoseEstimate
from arena_trees.robot.sensor import RefusedReadingError

__all__ = ["checked_odometry", "checked_pose"]


def checked_odometry(odometry: Odometry, parameters: PerceptionParameters) -> Odometry:
    """Return the odometry.

    Raises:
        RefusedReadingError: it is not finite, or absurd
    """
    _check_pose(odometry.pose, parameters)
    twist = odometry.twist
    if not twist.is_finite:
        raise RefusedReadingError("not finite")
    if abs(twist.linear) > parameters.max_linear or abs(twist.angular) > parameters.max_angular:
        raise RefusedReadingError("out of range")
    return odometry


def checked_pose(estimate: PoseEstimate, parameters: PerceptionParameters) -> PoseEstimate:
    """Return the pose.

    Raises:
        RefusedReadingError: it is not finite, or absurd
    """
    _check_pose(estimate.pose, parameters)
    return estimate


def _check_pose(pose: Pose2D, parameters: PerceptionParameters) -> None:
    if not pose.is_finite:
        raise RefusedReadingError("not finite")
    if abs(pose.x) > parameters.max_distance or abs(pose.y) > parameters.max_distance:
        raise RefusedReadingError("out of range")
