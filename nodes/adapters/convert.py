"""Makes rclpy messages of percepts, by the fields of :mod:`~arena_trees.robot.ros_messages.layout`."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from numpy.typing import NDArray
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import Header

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.layout import BASE_FRAME, ODOM_FRAME
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor import RosTopic
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.turret import TurretRates

__all__ = [
    "fill",
    "hazards_message",
    "laser_scan_message",
    "odometry_message",
    "sensor_message",
    "transform_message",
    "turret_rates_message",
    "twist_message",
]


def fill(message: Any, fields: Mapping[str, Any], header: Any = None) -> Any:
    """Put values into a message, and return it.

    Args:
        message: the message
        fields: by their names; a map goes into that part of the message, and a list of maps is one of messages
        header: of the message and of its parts, as far as the fields have none; None for none
    """
    if header is not None and "header" not in fields and hasattr(message, "header"):
        message.header = header
    for name, value in fields.items():
        if isinstance(value, Mapping):
            fill(getattr(message, name), value, header)
        elif isinstance(value, np.ndarray):
            setattr(message, name, _array_like(getattr(message, name), value))
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            kind = _element(message, name)
            setattr(message, name, [fill(kind(), element, header) for element in value])
        else:
            setattr(message, name, value)
    return message


def _array_like(own: Any, value: NDArray[Any]) -> Any:
    """Return numbers as a message's field has them: of an array of its own kind rclpy looks at no element."""
    if isinstance(own, array):
        return array(own.typecode, np.ascontiguousarray(value, dtype=own.typecode).tobytes())
    return value.astype(own.dtype, copy=False)


def _element(message: Any, name: str) -> Any:
    """Return the type of the messages in a field, whose type is as in ``sequence<vision_msgs/Detection2D>``."""
    package, _, kind = re.sub(r"^sequence<|[>,\[].*$", "", message.get_fields_and_field_types()[name]).partition("/")
    return getattr(import_module(f"{package}.msg"), kind)


def _stamped(kind: Any, stamp: int, frame: str, fields: Mapping[str, Any]) -> Any:
    return fill(kind(), {"header": layout.header_fields(stamp, frame), **fields})


def transform_message(place: Pose2D, parent: str, child: str, stamp: int) -> Any:
    """Return a ``geometry_msgs/TransformStamped``: the pose of ``child`` in ``parent`` at an instant (ns)."""
    fields = {"child_frame_id": child, "transform": layout.transform_fields(place)}
    return _stamped(TransformStamped, stamp, parent, fields)


def twist_message(velocity: Twist2D, stamp: int | None) -> Any:
    """Return a velocity of base_link as a ``TwistStamped``, or as a ``Twist`` where there is no stamp (ns)."""
    fields = layout.twist_fields(velocity)
    return fill(Twist(), fields) if stamp is None else _stamped(TwistStamped, stamp, BASE_FRAME, {"twist": fields})


def laser_scan_message(scan: LaserScan, frame: str, scan_time: float = 0.0) -> Any:
    """Return a scan as a ``sensor_msgs/LaserScan`` in its sensor's frame; ``scan_time`` is from scan to scan, s."""
    return _stamped(LaserScanMessage, scan.stamp, frame, layout.laser_scan_fields(scan, scan_time))


def odometry_message(percept: Odometry, frame: str = ODOM_FRAME, child: str = BASE_FRAME) -> Any:
    """Return odometry as a ``nav_msgs/Odometry``."""
    return _stamped(OdometryMessage, percept.stamp, frame, layout.odometry_fields(percept, child))


def turret_rates_message(rates: TurretRates, stamp: int) -> Any:
    """Return the rates of a turret as a ``TwistStamped``, in which a positive pitch lowers the nose."""
    return _stamped(TwistStamped, stamp, BASE_FRAME, {"twist": layout.turret_rates_fields(rates)})


def sensor_message(ros: RosTopic, reading: Stamped, kind: Any, header: Any = None) -> Any:
    """Return a reading as a message of a sensor's topic, whose type this is; its header is made where none is given."""
    if ros.stamp is not None:
        return fill(kind(), ros.fields(reading))
    if header is None:
        header = fill(Header(), layout.header_fields(reading.stamp, ros.frame))
    return fill(kind(), ros.fields(reading), header)


def hazards_message(percept: Bumpers) -> Any:
    """Return bumpers as an ``irobot_create_msgs/HazardDetectionVector``; needs that package."""
    from irobot_create_msgs.msg import HazardDetectionVector

    fields = {"header": layout.header_fields(percept.stamp, BASE_FRAME), **layout.hazards_fields(percept)}
    return fill(HazardDetectionVector(), fields)
