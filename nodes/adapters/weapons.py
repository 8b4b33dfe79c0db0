"""What rules on ROS are told of turrets and shots: from the encoders, and from what the velocity gates let through."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Empty

from arena_trees.nodes.runtime.qos import EVENTS, SENSOR
from arena_trees.robot.ros_messages import layout
from arena_trees.world.body import Body

__all__ = ["Weapons"]

_TIMES = (0, 0, 0)


class Weapons:
    """Knows where each turret points, and who has fired; of bodies without a turret or a barrel it hears nothing.

    Topics, for each robot that has one:
        * ``/<robot>/turret/joint_states`` (sensor_msgs/JointState, SENSOR) [subscribed]
        * ``/<robot>/engage`` (std_msgs/Empty, EVENTS) [subscribed]

    Args:
        node: the node
        bodies: of the robots, by name
        on_shot: called with the robot's name when one has fired
    """

    def __init__(self, node: Any, bodies: Mapping[str, Body], on_shot: Callable[[str], None] | None = None) -> None:
        self._lock = threading.Lock()
        self._turrets: dict[str, tuple[float, float]] = {}
        self._fired: set[str] = set()
        self._on_shot = on_shot
        for robot, body in bodies.items():
            if body.turret is not None:
                topic = f"/{robot}/{layout.TURRET_TOPIC}"
                node.create_subscription(JointState, topic, partial(self._turned, robot), SENSOR)
            if body.barrel is not None:
                node.create_subscription(Empty, f"/{robot}/{layout.SHOTS_TOPIC}", partial(self._shot, robot), EVENTS)

    def turret(self, robot: str) -> tuple[float, float] | None:
        """Return where a robot's turret points, yaw and pitch (rad, base_link); None where that is not known."""
        return self._turrets.get(robot)

    def fired(self) -> frozenset[str]:
        """Return who has fired since the last call."""
        with self._lock:
            fired, self._fired = frozenset(self._fired), set()
        return fired

    def _turned(self, robot: str, message: Any) -> None:
        state = layout.turret(message, _TIMES)
        if math.isfinite(state.yaw) and math.isfinite(state.pitch):
            self._turrets[robot] = state.yaw, state.pitch

    def _shot(self, robot: str, message: Any) -> None:
        with self._lock:
            self._fired.add(robot)
        if self._on_shot is not None:
            self._on_shot(robot)
