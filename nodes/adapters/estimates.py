"""What a tree estimates, on ROS: published by its node, read by the judge's watch and by viewers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from std_msgs.msg import String

from arena_trees.games.game import Role
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED
from arena_trees.robot.messaging.json_text import JsonError, read_json
from arena_trees.robot.record import TickRecord
from arena_trees.robot.ros_messages.layout import MAP_FRAME

__all__ = ["ACTIVE_TOPIC", "ESTIMATES_TOPIC", "EstimatesPublisher", "read_estimates"]

ACTIVE_TOPIC, ESTIMATES_TOPIC = "tree/active", "tree/estimates"
"""Topics, relative to the robot's namespace."""

_UNKNOWN = 1e6
"""Variance of what an estimate does not hold: height, roll, pitch and yaw."""


_PLACE = {"x", "y", "sigma"}
"""Fields of an estimate of where something is: map frame, m, and the standard deviation along one axis."""


class EstimatesPublisher:
    """Publishes after each tick what the tree does, and what it estimates.

    Topics:
        * ``tree/active`` (std_msgs/String, LATCHED) [published on change]: name of the running leaf
        * of a role that has estimates, ``tree/estimates`` (std_msgs/String, EVENTS) [published]: a JSON object of
          ``stamp`` (ns) and ``values``, key of the blackboard to value, null where there is none
        * of each of them that is a place with a deviation, ``tree/estimates/<key>``
          (geometry_msgs/PoseWithCovarianceStamped, EVENTS) in the map frame [published while there is one]

    Args:
        node: whose publishers they are
        role: of the robot
    """

    def __init__(self, node: Any, role: Role) -> None:
        self._active = node.create_publisher(String, ACTIVE_TOPIC, LATCHED)
        self._last_active: str | None = None
        self._model, self._values_model = _models(tuple(role.estimates.items()))
        self._estimates = node.create_publisher(String, ESTIMATES_TOPIC, EVENTS) if role.estimates else None
        self._keys = tuple(role.estimates)
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
        if self._estimates is None:
            return
        values = {key: record.blackboard.get(key) for key in self._keys}
        message = self._model.model_construct(stamp=record.now, values=self._values_model.model_construct(**values))
        self._estimates.publish(String(data=message.model_dump_json()))
        for key, publisher in self._places.items():
            if values[key] is not None:
                publisher.publish(_pose_message(values[key], record.now))


def read_estimates(role: Role, text: str) -> tuple[int, Mapping[str, Any]] | None:
    """Return stamp (ns) and values by key of a text on ``tree/estimates``; None where it is none of the role."""
    try:
        read_json(text)
        message: Any = _models(tuple(role.estimates.items()))[0].model_validate_json(text)
    except (JsonError, ValidationError):
        return None
    return message.stamp, {key: getattr(message.values, key) for key in role.estimates}


@cache
def _models(estimates: tuple[tuple[str, type], ...]) -> tuple[type[BaseModel], type[BaseModel]]:
    """Return the models of a role's estimates message, and of the values in it."""
    strict = ConfigDict(extra="forbid", strict=True)
    fields: dict[str, Any] = {key: (kind | None, ...) for key, kind in estimates}
    values = create_model("Values", __config__=strict, **fields)
    return create_model("Estimates", __config__=strict, stamp=(int, ...), values=(values, ...)), values


def _pose_message(place: Any, stamp: int) -> Any:
    message = PoseWithCovarianceStamped()
    message.header.stamp = stamp_message(stamp)
    message.header.frame_id = MAP_FRAME
    message.pose.pose.position.x, message.pose.pose.position.y = place.x, place.y
    for row, variance in enumerate((place.sigma**2, place.sigma**2, *(_UNKNOWN,) * 4)):
        message.pose.covariance[7 * row] = variance
    return message
