"""ROS 2 message types that recordings are made of: their definitions and hashes.

Those of ROS 2 Jazzy come with rosbags, and a sensor gives the definitions of others that it needs. Those of the
bumpers are given here as they stand in irobot_create_msgs 3.0 (BSD), less the comments.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from arena_trees.robot.sensor_registry import sensors

__all__ = ["definition", "typestore"]

_DEFINITIONS = {
    "irobot_create_msgs/msg/HazardDetection": (
        "uint8 BACKUP_LIMIT=0\nuint8 BUMP=1\nuint8 CLIFF=2\nuint8 STALL=3\nuint8 WHEEL_DROP=4\n"
        "uint8 OBJECT_PROXIMITY=5\nstd_msgs/Header header\nuint8 type"
    ),
    "irobot_create_msgs/msg/HazardDetectionVector": (
        "std_msgs/Header header\nirobot_create_msgs/HazardDetection[] detections"
    ),
}


@cache
def typestore() -> Any:
    """Return rosbags' types of ROS 2 Jazzy, and those of bumpers and sensors that it does not know."""
    store = get_typestore(Stores.ROS2_JAZZY)
    types = {}
    of_sensors = {name: text for sensor in sensors().values() for name, text in sensor.ros.types.items() if text}
    for name, text in (of_sensors | _DEFINITIONS).items():
        types.update(get_types_from_msg(text, name))
    store.register(types)
    return store


@cache
def definition(name: str) -> tuple[str, str]:
    """Return a type's whole definition, as MCAP's ``ros2msg`` has it, and its RIHS01 hash.

    Args:
        name: of the type, such as ``sensor_msgs/msg/LaserScan``
    """
    text, _ = typestore().generate_msgdef(name, ros_version=2)
    return text, typestore().hash_rihs01(name)
