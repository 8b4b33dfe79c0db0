"""Records when the messages of one robot are sent and arrive, by the monotonic clock."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

from arena_trees.nodes import convert
from arena_trees.nodes.qos import EVENTS
from arena_trees.nodes.timelines import nanoseconds
from arena_trees.robot.geometry import ZERO, Twist2D

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
    """Hears one robot; the process that holds it must not be one of those that are measured.

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
        node: whose subscriptions they are; its name is hidden, so that no gate takes it for a base
        robot: name of the robot
    """

    def __init__(self, node: Any, robot: str) -> None:
        self.raw: list[Arrival] = []
        self.driven: list[Arrival] = []
        self.scans: list[Arrival] = []
        self.odometry: list[Arrival] = []

        # DDS reads the system clock, which for as long as a recording is the monotonic one but for a constant.
        offset = max(time.monotonic_ns() - time.time_ns() for _ in range(_LOOKS))

        def arrival(info: Any, stamp: int = 0, twist: Twist2D = ZERO) -> Arrival:
            return Arrival(info["received_timestamp"] + offset, info["source_timestamp"] + offset, stamp, twist)

        def hear(kind: Any, topic: str, kept: list[Arrival]) -> None:
            def keep(message: Any, info: Any) -> None:
                kept.append(arrival(info, nanoseconds(message.header.stamp), convert.twist(message.twist)))

            node.create_subscription(kind, f"/{robot}/{topic}", keep, EVENTS)

        def keep_scan(data: bytes, info: Any) -> None:
            self.scans.append(arrival(info))

        hear(TwistStamped, "cmd_vel_raw", self.raw)
        hear(TwistStamped, "cmd_vel", self.driven)
        hear(Odometry, "odom", self.odometry)
        node.create_subscription(LaserScan, f"/{robot}/scan", keep_scan, EVENTS, raw=True)
