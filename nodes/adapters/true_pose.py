"""The message by which cameras on the ceiling, or a tracking system, tell where a robot is."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped

from arena_trees.nodes.adapters.convert import fill
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ros_messages.layout import MAP_FRAME, header_fields, pose_fields

__all__ = ["true_pose_message"]

_UNKNOWN = 1e6
"""Variance of what is not measured: height, roll and pitch."""

_STATED = (0, 1, 5)
"""Where x, y and yaw are in a covariance of x, y, z, roll, pitch and yaw."""


def true_pose_message(stamp: int, pose: Pose2D, covariance: Any) -> Any:
    """Return a ``geometry_msgs/PoseWithCovarianceStamped`` in the map frame.

    Args:
        stamp: ns
        pose: of base_link
        covariance: of x, y and yaw, shape (3, 3), m and rad
    """
    fields = {"header": header_fields(stamp, MAP_FRAME), "pose": {"pose": pose_fields(pose)}}
    message = fill(PoseWithCovarianceStamped(), fields)
    for row in range(6):
        message.pose.covariance[7 * row] = _UNKNOWN
    for row, place in enumerate(_STATED):
        for column, other in enumerate(_STATED):
            message.pose.covariance[6 * place + other] = float(covariance[row][column])
    return message
