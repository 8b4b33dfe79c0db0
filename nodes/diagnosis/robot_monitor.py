"""Listens to a robot, and to what all robots share, for the doctor."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.diagnosis.graph_state import Link, Status, Stream
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED, SENSOR
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.json_text import JsonError, read_json
from arena_trees.robot.ros_messages.layout import laser_scan
from arena_trees.robot.scan import Scan

__all__ = ["RobotMonitor", "SharedMonitor"]

_TF = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
_TF_STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class SharedMonitor:
    """Listens to what all robots share: the clock, what nodes report of themselves, and the end of the game.

    Attributes:
        statuses: node to what it reported last of itself
        clock_count: messages on ``/clock``
        ended: why the game is not being played; None where it is, or nothing came from the rules

    Args:
        node: that subscribes
    """

    def __init__(self, node: Any) -> None:
        self.statuses: dict[str, Status] = {}
        self.clock_count = 0
        self.ended: str | None = None
        self._node = node
        self._subscriptions: list[tuple[Any, Callable[[Any, int], None]]] = []
        self._advanced = self._newest = 0
        self.listen(Clock, "/clock", self._on_clock, SENSOR)
        self.listen(DiagnosticArray, "/diagnostics", self._on_diagnostics, EVENTS)
        self.listen(String, "/arena/end", self._on_end, LATCHED)

    @property
    def clock_advanced(self) -> float:
        """By how much the simulated time went on, s; where it went back in between, that does not count."""
        return to_seconds(self._advanced)

    def at(self, instant: int) -> int:
        """Return the newest simulated time where there is any, else the instant itself, ns."""
        return self._newest if self.clock_count else instant

    def listen(self, kind: Any, topic: str, callback: Callable[[Any, int], None], qos: Any) -> None:
        """Subscribe; the callback is given a message and when the middleware received it, ns."""
        subscription = self._node.create_subscription(kind, topic, lambda message: None, qos)
        self._subscriptions.append((subscription, callback))

    def close(self) -> None:
        """Listen no longer."""
        for subscription, _ in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions.clear()

    def take(self) -> None:
        """Take all that was received.

        No executor does it: one waits for every message by itself, which with two robots is more than a busy machine
        can do, and what is received falls behind.
        """
        for subscription, callback in self._subscriptions:
            with subscription.handle:
                while (taken := subscription.handle.take_message(subscription.msg_type, False)) is not None:
                    message, info = taken
                    callback(message, info["received_timestamp"] or time.time_ns())

    def _on_clock(self, message: Any, received: int) -> None:
        before, self._newest = self._newest, nanoseconds(message.clock)
        if self.clock_count:
            # A bag that begins again, or a simulation: time that goes back stands as little as any other.
            self._advanced += max(0, self._newest - before)
        self.clock_count += 1

    def _on_diagnostics(self, message: Any, received: int) -> None:
        for status in message.status:
            values = {item.key: item.value for item in status.values}
            self.statuses["/" + status.name.partition(":")[0]] = Status(status.level, status.message, values)

    def _on_end(self, message: Any, received: int) -> None:
        try:
            end = read_json(message.data)
        except JsonError:
            return
        words = [end.get(key) for key in ("outcome", "reason")] if isinstance(end, dict) else []
        self.ended = ": ".join(word for word in words if isinstance(word, str) and word) or None


class RobotMonitor:
    """Listens to one robot.

    Attributes:
        namespace: of the robot

    Args:
        node: that subscribes
        namespace: of the robot, with a leading slash
        shared: listens to the rest
    """

    def __init__(self, node: Any, namespace: str, shared: SharedMonitor) -> None:
        self.namespace = namespace
        self._found: dict[str, Any] = {}
        self._shared = shared
        self._streams: dict[str, Stream] = {}
        self._links: dict[tuple[str, str], tuple[int, int, bool]] = {}
        self._gate: list[str] = []

        def listen(kind: Any, name: str, callback: Callable[[Any, int], None], qos: Any = SENSOR) -> None:
            shared.listen(kind, self._full(name), callback, qos)

        listen(LaserScan, "scan", self._on_scan)
        listen(Odometry, "odom", partial(self._count, "odom"))
        listen(TwistStamped, "cmd_vel_raw", partial(self._count, "cmd_vel_raw"))
        listen(String, "velocity_gate/state", lambda message, _: self._gate.append(message.data), LATCHED)
        self._tf = optional_type(node, "tf2_msgs", "msg", "TFMessage", "transforms")
        if self._tf is not None:
            listen(self._tf, "tf", partial(self._on_transforms, static=False), _TF)
            listen(self._tf, "tf_static", partial(self._on_transforms, static=True), _TF_STATIC)
        if dock := optional_type(node, "irobot_create_msgs", "msg", "DockStatus", "dock status"):
            listen(dock, "dock_status", lambda message, _: self._found.update(docked=message.is_docked))
        if wheels := optional_type(node, "irobot_create_msgs", "msg", "WheelStatus", "wheel status"):
            listen(wheels, "wheel_status", lambda message, _: self._found.update(wheels_enabled=message.wheels_enabled))

    @property
    def diagnostics(self) -> dict[str, Status]:
        """What the robot's nodes, and those that stand at the root, reported last of themselves."""
        spaces = ("", self.namespace.rstrip("/"))
        return {node: status for node, status in self._shared.statuses.items() if node.rpartition("/")[0] in spaces}

    def fields(self, now: int) -> dict[str, Any]:
        """Return those fields of :class:`~arena_trees.nodes.diagnosis.graph_state.GraphState` that messages fill.

        Args:
            now: instant up to which everything that was received has been taken, ns
        """
        links = {
            key: Link(to_seconds(max(now - arrival, self._shared.at(now) - stamp)), static)
            for key, (arrival, stamp, static) in self._links.items()
        }
        return {
            **self._found,
            "ended": self._shared.ended,
            "diagnostics": self.diagnostics,
            "streams": self._streams,
            "links": None if self._tf is None else links,
            "gate": tuple(self._gate),
        }

    def _full(self, name: str) -> str:
        return f"{self.namespace.rstrip('/')}/{name}"

    def _count(self, name: str, message: Any, received: int, with_return: int = 0) -> None:
        before = self._streams.get(self._full(name), Stream())
        age = to_seconds(self._shared.at(received) - nanoseconds(message.header.stamp))
        self._streams[self._full(name)] = Stream(before.count + 1, age, before.with_return + with_return)

    def _on_scan(self, message: Any, received: int) -> None:
        try:
            usable = Scan.from_laser(laser_scan(message, (0, 0, 1), Pose2D())).distance.size > 0
        except ScanError:
            usable = False
        self._found["scan_frame"] = message.header.frame_id.lstrip("/")
        self._count("scan", message, received, int(usable))

    def _on_transforms(self, message: Any, received: int, *, static: bool) -> None:
        for link in message.transforms:
            key = (link.header.frame_id.lstrip("/"), link.child_frame_id.lstrip("/"))
            self._links[key] = (received, nanoseconds(link.header.stamp), static)
