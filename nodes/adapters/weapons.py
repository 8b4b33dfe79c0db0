"""Turrets and shots as received on ROS: from the encoders, and from what the velocity gates let through."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Empty

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.runtime.qos import EVENTS, SENSOR
from arena_trees.robot.ros_messages import layout
from arena_trees.sensors.turret.sensor import TURRET_TOPIC, TurretState, reading
from arena_trees.world.body import Body

__all__ = ["listen_to_weapons"]


def listen_to_weapons(
    node: Any,
    bodies: Mapping[str, Body],
    on_turret: Callable[[str, TurretState], object],
    on_shot: Callable[[str], object],
) -> None:
    """Subscribe to where turrets point and who fires; bodies without a turret or a barrel have no topics.

    Topics, for each robot that has one:
        * ``/<robot>/turret/joint_states`` (sensor_msgs/JointState, SENSOR) [subscribed]
        * ``/<robot>/engage`` (std_msgs/Empty, EVENTS) [subscribed]

    Args:
        node: the node
        bodies: of the robots, by name
        on_turret: called with a robot's name and where its turret points
        on_shot: called with a robot's name when it has fired
    """

    def turned(robot: str, message: Any) -> None:
        stamp = nanoseconds(message.header.stamp)
        state = reading(message, (stamp, stamp, 0))
        if math.isfinite(state.yaw) and math.isfinite(state.pitch):
            on_turret(robot, state)

    def fired(robot: str, message: Any) -> None:
        on_shot(robot)

    for robot, body in bodies.items():
        if body.turret is not None:
            node.create_subscription(JointState, f"/{robot}/{TURRET_TOPIC}", partial(turned, robot), SENSOR)
        if body.barrel is not None:
            node.create_subscription(Empty, f"/{robot}/{layout.SHOTS_TOPIC}", partial(fired, robot), EVENTS)
