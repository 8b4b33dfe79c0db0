"""What the doctor hears of one robot, and of the clock."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from lifecycle_msgs.srv import GetState
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.diagnosis.graph_state import Clock, Link, Stream, TreeHealth
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED, SENSOR
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ros_messages.layout import laser_scan
from arena_trees.robot.scan import Scan

__all__ = ["ClockMonitor", "RobotMonitor"]

_TF = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
_TF_STATIC = QoSProfile(
    depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)  # fmt: skip
_END = "/arena/end"
_TIME = "use_sim_time"
_ASKED = {
    "velocity_gate": (_TIME, "arena"),
    "tree": (_TIME, "isolated"),
    "sign_detector": (_TIME,),
    "geofence_supervisor": (_TIME,),
    "feedback": (_TIME,),
}
"""Parameters that the robot's nodes are asked for. A node answers nothing at all if it lacks one of them."""


@dataclass(slots=True)
class _Question:
    """Something to ask a node.

    Attributes:
        node: its full name
        client: of its service
        request: to send
        read: is given the answer
        answer: that future, once the question has been put
    """

    node: str
    client: Any
    request: Any
    read: Callable[[Any], None]
    answer: Any = None


class ClockMonitor:
    """Hears ``/clock``, and knows by which time messages are stamped.

    Args:
        node: that subscribes
    """

    def __init__(self, node: Any) -> None:
        self._count = 0
        self._first: int | None = None
        self._newest = 0
        node.create_subscription(ClockMessage, "/clock", self._receive, SENSOR)

    def now(self) -> int:
        """Return simulated time where there is any, else the system's, ns."""
        return time.time_ns() if self._first is None else self._newest

    def heard(self, publishers: int) -> Clock:
        """Return what was heard, given the number of publishers."""
        advanced = 0.0 if self._first is None else to_seconds(self._newest - self._first)
        return Clock(publishers, self._count, advanced)

    def _receive(self, message: Any) -> None:
        self._newest = nanoseconds(message.clock)
        self._first = self._newest if self._first is None else self._first
        self._count += 1


class RobotMonitor:
    """Hears one robot, and asks its nodes.

    Args:
        node: that subscribes
        namespace: of the robot, with a leading slash
        clock: by which messages are stamped
    """

    def __init__(self, node: Any, namespace: str, clock: ClockMonitor) -> None:
        self.namespace = namespace
        self._node = node
        self._clock = clock
        self._streams: dict[str, Stream] = {}
        self._scan_frame: str | None = None
        self._links: dict[tuple[str, str], tuple[float, int, bool]] = {}
        self._gate: list[str] = []
        self._fault: str | None = None
        self._ended: str | None = None
        self._docked: bool | None = None
        self._wheels: bool | None = None
        self._tree_state: str | None = None
        self._parameters: dict[str, dict[str, Any]] = {}
        self._tf = optional_type(node, "tf2_msgs", "msg", "TFMessage", "transforms")
        self._subscribe()
        # Made now and asked later, so that the services have been found by then.
        self._questions = [self._question(GetState, "tree", "get_state", self._read_state)]
        for name, keys in _ASKED.items():
            wanted = {"names": list(keys)}
            self._questions.append(
                self._question(GetParameters, name, "get_parameters", self._parameter_reader(name), **wanted)
            )

    def ask(self, nodes: Container[str]) -> bool:
        """Ask those of these nodes that can be asked by now; return whether all of them have answered."""
        mine = [question for question in self._questions if question.node in nodes]
        for question in mine:
            if question.answer is None and question.client.service_is_ready():
                question.answer = question.client.call_async(question.request)
        return all(question.answer is not None and question.answer.done() for question in mine)

    def heard(self) -> dict[str, Any]:
        """Return the fields of :class:`~arena_trees.nodes.diagnosis.graph_state.GraphState` that were heard."""
        for question in self._questions:
            if question.answer is not None and question.answer.done():
                question.read(question.answer.result())
        commands = self._streams.get(self._full("cmd_vel_raw"), Stream()).count
        isolated = self._parameters.get("tree", {}).get("isolated") is True
        return {
            "streams": dict(self._streams),
            "scan_frame": self._scan_frame,
            "links": None if self._tf is None else self._aged_links(),
            "sim_time": {
                self._full(name): values[_TIME]
                for name, values in self._parameters.items()
                if isinstance(values.get(_TIME), bool)
            },
            "arena": self._parameters.get("velocity_gate", {}).get("arena") or "",
            "gate": tuple(self._gate),
            "tree": TreeHealth(self._tree_state, commands, self._fault),
            "ended": None if isolated else self._ended,
            "docked": self._docked,
            "wheels_enabled": self._wheels,
        }

    def _full(self, name: str) -> str:
        return f"{self.namespace.rstrip('/')}/{name}"

    def _subscribe(self) -> None:
        self._listen(LaserScan, "scan", self._hear_scan)
        self._listen(Odometry, "odom", self._counter("odom"))
        self._listen(TwistStamped, "cmd_vel_raw", self._counter("cmd_vel_raw"))
        self._listen(String, "velocity_gate/state", lambda message: self._gate.append(message.data), LATCHED)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._hear_diagnostics, EVENTS)
        self._node.create_subscription(String, _END, self._hear_end, LATCHED)
        if self._tf is not None:
            self._listen(self._tf, "tf", self._hear_transforms(static=False), _TF)
            self._listen(self._tf, "tf_static", self._hear_transforms(static=True), _TF_STATIC)
        dock = optional_type(self._node, "irobot_create_msgs", "msg", "DockStatus", "dock status")
        wheels = optional_type(self._node, "irobot_create_msgs", "msg", "WheelStatus", "wheel status")
        if dock is not None:
            self._listen(dock, "dock_status", lambda message: setattr(self, "_docked", message.is_docked))
        if wheels is not None:
            self._listen(wheels, "wheel_status", lambda message: setattr(self, "_wheels", message.wheels_enabled))

    def _listen(self, kind: Any, name: str, callback: Callable[[Any], None], qos: Any = SENSOR) -> None:
        self._node.create_subscription(kind, self._full(name), callback, qos)

    def _question(self, kind: Any, name: str, service: str, read: Callable[[Any], None], **request: Any) -> _Question:
        client = self._node.create_client(kind, self._full(f"{name}/{service}"))
        return _Question(self._full(name), client, kind.Request(**request), read)

    def _counter(self, name: str) -> Callable[[Any], None]:
        return lambda message: self._count(name, message)

    def _count(self, name: str, message: Any, with_return: int = 0) -> None:
        before = self._streams.get(self._full(name), Stream())
        age = to_seconds(self._clock.now() - nanoseconds(message.header.stamp))
        self._streams[self._full(name)] = Stream(before.count + 1, age, before.with_return + with_return)

    def _hear_scan(self, message: Any) -> None:
        try:
            scan = Scan.from_laser(laser_scan(message, (0, 0, 1), Pose2D()))
        except ScanError:
            usable = False
        else:
            usable = scan.distance.size > 0
        self._scan_frame = message.header.frame_id.lstrip("/")
        self._count("scan", message, int(usable))

    def _hear_transforms(self, static: bool) -> Callable[[Any], None]:
        def hear(message: Any) -> None:
            for link in message.transforms:
                key = (link.header.frame_id.lstrip("/"), link.child_frame_id.lstrip("/"))
                self._links[key] = (time.monotonic(), nanoseconds(link.header.stamp), static)

        return hear

    def _aged_links(self) -> dict[tuple[str, str], Link]:
        now, stamped_now = time.monotonic(), self._clock.now()
        return {
            key: Link(max(now - arrival, to_seconds(stamped_now - stamp)), static)
            for key, (arrival, stamp, static) in self._links.items()
        }

    def _hear_diagnostics(self, message: Any) -> None:
        own = self._full("tree").lstrip("/") + ":"
        for status in message.status:
            if status.name.startswith(own):
                values = {item.key: item.value for item in status.values}
                self._fault = values.get("fault") or None

    def _hear_end(self, message: Any) -> None:
        try:
            reported = json.loads(message.data)
        except ValueError:
            return
        words = [reported.get(key) for key in ("outcome", "reason")] if isinstance(reported, dict) else []
        self._ended = ": ".join(word for word in words if isinstance(word, str) and word) or None

    def _parameter_reader(self, name: str) -> Callable[[Any], None]:
        def read(answer: Any) -> None:
            values = [parameter_value_to_python(value) for value in answer.values]
            self._parameters[name] = dict(zip(_ASKED[name], values, strict=False))

        return read

    def _read_state(self, answer: Any) -> None:
        self._tree_state = answer.current_state.label
