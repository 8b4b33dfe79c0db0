"""Records when the messages of one robot are sent and arrive, by the monotonic clock."""

import time
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.node import Node
from sensor_msgs.msg import LaserScan

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.ros_messages import layout

__all__ = ["Arrival", "Recorder"]

_LOOKS = 5
"""At two clocks one after the other; between the two the process may be put to sleep."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One message, timed by DDS, whatever the processes at both ends were doing then.

    Attributes:
        arrival: here, ns
        sent: at its publisher, ns
        stamp: in its header, ns of the simulated clock
        twist: in it; zero for a scan
    """

    arrival: int
    sent: int
    stamp: int
    twist: Twist2D = ZERO


class Recorder:
    """Hears one robot from a node of its own, whenever it is asked to; the queues hold a second.

    Topics (all reliable, keep last 50) [subscribed]:
        * ``cmd_vel_raw``, ``cmd_vel`` (geometry_msgs/TwistStamped)
        * ``scan`` (sensor_msgs/LaserScan), not decoded
        * ``odom`` (nav_msgs/Odometry)

    Attributes:
        raw: what the tree commanded
        driven: what the gate let through
        scans: what the LiDAR delivered; without stamp
        odometry: what the base measured

    Args:
        context: of ROS
        robot: name of the robot
    """

    def __init__(self, context: Context, robot: str) -> None:
        self.raw: list[Arrival] = []
        self.driven: list[Arrival] = []
        self.scans: list[Arrival] = []
        self.odometry: list[Arrival] = []
        # DDS reads the system clock, which for as long as a recording is the monotonic one but for a constant.
        self._offset = max(time.monotonic_ns() - time.time_ns() for _ in range(_LOOKS))
        # A hidden name, so that no gate takes it for a base.
        node = Node("_recorder", context=context, namespace=robot, enable_rosout=False, start_parameter_services=False)
        self._node = node

        def hear(kind: Any, topic: str) -> Any:
            return node.create_subscription(kind, topic, _nothing, EVENTS, raw=kind is LaserScan)

        self._subscriptions = (
            (hear(TwistStamped, "cmd_vel_raw"), self.raw),
            (hear(TwistStamped, "cmd_vel"), self.driven),
            (hear(Odometry, "odom"), self.odometry),
            (hear(LaserScan, "scan"), self.scans),
        )

    def close(self) -> None:
        """Hear no more."""
        self._node.destroy_node()

    def take(self) -> None:
        """Take in what has come. Without an executor, which would need several times as much of the processor."""
        for subscription, kept in self._subscriptions:
            with subscription.handle:
                while (taken := subscription.handle.take_message(subscription.msg_type, subscription.raw)) is not None:
                    kept.append(self._arrival(*taken))

    def forget(self) -> None:
        """Keep nothing of what has come."""
        for _, kept in self._subscriptions:
            kept.clear()

    def _arrival(self, message: Any, info: Any) -> Arrival:
        arrival, sent = info["received_timestamp"] + self._offset, info["source_timestamp"] + self._offset
        if isinstance(message, bytes):
            return Arrival(arrival, sent, 0)
        return Arrival(arrival, sent, nanoseconds(message.header.stamp), layout.twist(message.twist))


def _nothing(message: Any) -> None:
    pass
