"""Listens to one robot, and to the clock, for the doctor."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.diagnosis.graph_state import Link, Stream
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED, SENSOR
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.json_text import JsonError, read_json
from arena_trees.robot.ros_messages.layout import laser_scan
from arena_trees.robot.scan import Scan

__all__ = ["ClockMonitor", "RobotMonitor"]

_TF = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
_TF_STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class ClockMonitor:
    """Listens to ``/clock``, and knows by which time messages are stamped.

    Attributes:
        count: messages on it

    Args:
        node: that subscribes
    """

    def __init__(self, node: Any) -> None:
        self.count = 0
        self._first = self._newest = 0
        node.create_subscription(Clock, "/clock", self._on_clock, SENSOR)

    @property
    def advanced(self) -> float:
        """By how much the simulated time went on, s."""
        return to_seconds(self._newest - self._first)

    def now(self) -> int:
        """Return simulated time where there is any, else the system's, ns."""
        return self._newest if self.count else time.time_ns()

    def _on_clock(self, message: Any) -> None:
        self._newest = nanoseconds(message.clock)
        self._first = self._first if self.count else self._newest
        self.count += 1


class RobotMonitor:
    """Listens to one robot.

    Attributes:
        namespace: of the robot
        diagnostics: node to the newest values that it published on ``/diagnostics``

    Args:
        node: that subscribes
        namespace: of the robot, with a leading slash
        clock: by which messages are stamped
    """

    def __init__(self, node: Any, namespace: str, clock: ClockMonitor) -> None:
        self.namespace = namespace
        self.diagnostics: dict[str, dict[str, str]] = {}
        self._found: dict[str, Any] = {}
        self._clock = clock
        self._streams: dict[str, Stream] = {}
        self._links: dict[tuple[str, str], tuple[float, int, bool]] = {}
        self._gate: list[str] = []

        def listen(kind: Any, name: str, callback: Callable[[Any], None], qos: Any = SENSOR) -> None:
            node.create_subscription(kind, self._full(name), callback, qos)

        listen(LaserScan, "scan", self._on_scan)
        listen(Odometry, "odom", lambda message: self._count("odom", message))
        listen(TwistStamped, "cmd_vel_raw", lambda message: self._count("cmd_vel_raw", message))
        listen(String, "velocity_gate/state", lambda message: self._gate.append(message.data), LATCHED)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, EVENTS)
        node.create_subscription(String, "/arena/end", self._on_end, LATCHED)
        self._tf = optional_type(node, "tf2_msgs", "msg", "TFMessage", "transforms")
        if self._tf is not None:
            listen(self._tf, "tf", lambda message: self._on_transforms(message, static=False), _TF)
            listen(self._tf, "tf_static", lambda message: self._on_transforms(message, static=True), _TF_STATIC)
        if dock := optional_type(node, "irobot_create_msgs", "msg", "DockStatus", "dock status"):
            listen(dock, "dock_status", lambda message: self._found.update(docked=message.is_docked))
        if wheels := optional_type(node, "irobot_create_msgs", "msg", "WheelStatus", "wheel status"):
            listen(wheels, "wheel_status", lambda message: self._found.update(wheels_enabled=message.wheels_enabled))

    def fields(self) -> dict[str, Any]:
        """Return those fields of :class:`~arena_trees.nodes.diagnosis.graph_state.GraphState` that messages fill."""
        now, stamped_now = time.monotonic(), self._clock.now()
        links = {
            key: Link(max(now - arrival, to_seconds(stamped_now - stamp)), static)
            for key, (arrival, stamp, static) in self._links.items()
        }
        return {
            **self._found,
            "diagnostics": self.diagnostics,
            "streams": self._streams,
            "links": None if self._tf is None else links,
            "gate": tuple(self._gate),
        }

    def _full(self, name: str) -> str:
        return f"{self.namespace.rstrip('/')}/{name}"

    def _count(self, name: str, message: Any, with_return: int = 0) -> None:
        before = self._streams.get(self._full(name), Stream())
        age = to_seconds(self._clock.now() - nanoseconds(message.header.stamp))
        self._streams[self._full(name)] = Stream(before.count + 1, age, before.with_return + with_return)

    def _on_scan(self, message: Any) -> None:
        try:
            usable = Scan.from_laser(laser_scan(message, (0, 0, 1), Pose2D())).distance.size > 0
        except ScanError:
            usable = False
        self._found["scan_frame"] = message.header.frame_id.lstrip("/")
        self._count("scan", message, int(usable))

    def _on_transforms(self, message: Any, static: bool) -> None:
        for link in message.transforms:
            key = (link.header.frame_id.lstrip("/"), link.child_frame_id.lstrip("/"))
            self._links[key] = (time.monotonic(), nanoseconds(link.header.stamp), static)

    def _on_diagnostics(self, message: Any) -> None:
        for status in message.status:
            node = "/" + status.name.partition(":")[0]
            if node.rpartition("/")[0] == self.namespace.rstrip("/"):
                self.diagnostics[node] = {item.key: item.value for item in status.values}

    def _on_end(self, message: Any) -> None:
        try:
            end = read_json(message.data)
        except JsonError:
            return
        words = [end.get(key) for key in ("outcome", "reason")] if isinstance(end, dict) else []
        self._found["ended"] = ": ".join(word for word in words if isinstance(word, str) and word) or None
