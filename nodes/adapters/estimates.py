"""What a tree does and estimates, on ROS, for viewers: published by its node."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped
from std_msgs.msg import String

from arena_trees.games.game import Role
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED
from arena_trees.robot.record import TickRecord
from arena_trees.robot.ros_messages.layout import MAP_FRAME

__all__ = ["ACTIVE_TOPIC", "ESTIMATES_TOPIC", "EstimatesPublisher"]

ACTIVE_TOPIC, ESTIMATES_TOPIC = "tree/active", "tree/estimates"
"""Topics, relative to the robot's namespace."""

_UNKNOWN = 1e6
"""Variance of what an estimate does not hold: height, roll, pitch and yaw."""


_PLACE = {"x", "y", "sigma"}
"""Fields of an estimate of where something is: map frame, m, and the standard deviation along one axis."""


class EstimatesPublisher:
    """Publishes after each tick what the tree does, and where it estimates something to be.

    Topics:
        * ``tree/active`` (std_msgs/String, LATCHED) [published on change]: name of the running leaf
        * of each of a role's estimates that is a place with a deviation, ``tree/estimates/<key>``
          (geometry_msgs/PoseWithCovarianceStamped, EVENTS) in the map frame [published while there is one]

    Args:
        node: whose publishers they are
        role: of the robot
    """

    def __init__(self, node: Any, role: Role) -> None:
        self._active = node.create_publisher(String, ACTIVE_TOPIC, LATCHED)
        self._last_active: str | None = None
        self._places = {
            key: node.create_publisher(PoseWithCovarianceStamped, f"{ESTIMATES_TOPIC}/{key}", EVENTS)
            for key, kind in role.estimates.items()
            if set(getattr(kind, "__dataclass_fields__", ())) >= _PLACE
        }

    def publish(self, record: TickRecord) -> None:
        """Publish what is new by the account of a tick."""
        if record.active != self._last_active:
            self._last_active = record.active
            self._active.publish(String(data=record.active))
        for key, publisher in self._places.items():
            place = record.blackboard.get(key)
            if place is not None:
                publisher.publish(_pose_message(place, record.now))


def _pose_message(place: Any, stamp: int) -> Any:
    message = PoseWithCovarianceStamped()
    message.header.stamp = stamp_message(stamp)
    message.header.frame_id = MAP_FRAME
    message.pose.pose.position.x, message.pose.pose.position.y = place.x, place.y
    for row, variance in enumerate((place.sigma**2, place.sigma**2, *(_UNKNOWN,) * 4)):
        message.pose.covariance[7 * row] = variance
    return message
