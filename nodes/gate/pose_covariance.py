"""The covariance of localisation: a robot that does not know where it is well enough is held."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped

from arena_trees.nodes.gate.parameters import VelocityGateParameters
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.safety.guard import Guard

__all__ = ["PoseCovariance", "doubt"]

TOPIC = "amcl_pose"

_LEAST = -1e-9
"""Of an eigenvalue; rounding may put one of a covariance a bit below zero."""


class PoseCovariance:
    """Holds a robot while the newest covariance of its localisation says that it may be anywhere.

    The pose itself comes by tf, which tells how old it is and not how good. Where nobody publishes a covariance,
    nothing is known of that, and nothing is held.

    Topics:
        * ``amcl_pose`` (geometry_msgs/PoseWithCovarianceStamped, LATCHED) [subscribed]

    Args:
        node: the node
        guard: holds the robot
        parameters: how large the deviations may be
    """

    def __init__(self, node: Any, guard: Guard, parameters: VelocityGateParameters) -> None:
        self._guard = guard
        self._parameters = parameters
        node.create_subscription(PoseWithCovarianceStamped, TOPIC, self._on_pose, LATCHED)

    def _on_pose(self, message: Any) -> None:
        self._guard.hold("covariance", doubt(message.pose.covariance, self._parameters))


def doubt(covariance: Any, parameters: VelocityGateParameters) -> str | None:
    """Return why a pose is not good enough to drive by, or None.

    Args:
        covariance: of x, y, z, roll, pitch and yaw, row by row, m and rad, shape (36,)
        parameters: how large the deviations may be
    """
    values = np.asarray(covariance, dtype=np.float64).reshape(6, 6)
    place, turn = values[:2, :2], float(values[5, 5])
    if not np.isfinite(place).all() or not math.isfinite(turn):
        return "localisation uncertain: its covariance is not finite"
    smallest, largest = np.linalg.eigvalsh(place)
    if min(smallest, turn) < _LEAST:
        return "localisation uncertain: its covariance is none"
    deviation, yaw_deviation = math.sqrt(max(0.0, largest)), math.sqrt(max(0.0, turn))
    if deviation > parameters.pose_deviation:
        return f"localisation uncertain: by {deviation:.2f} m"
    if yaw_deviation > parameters.pose_yaw_deviation:
        return f"localisation uncertain: by {math.degrees(yaw_deviation):.0f} degrees"
    return None
