"""Robots on a real ROS graph, each with some things wrong with it, for the doctor."""

from __future__ import annotations

import gc
import json
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import rclpy
from geometry_msgs.msg import TransformStamped, TwistStamped
from irobot_create_msgs.msg import DockStatus, WheelStatus
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from arena_trees.nodes.runtime.diagnostics import OK, Diagnostics
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.robot.loop import LoopState

PERIOD = 0.1
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class Ward:
    """Runs robots in a context of their own, and threads of their own; a context manager.

    What is repeated does not go through timers, which make the executor look at every entity of every
    robot each time.

    Args:
        domain_id: ROS domain
    """

    def __init__(self, domain_id: int) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._nodes: list[Any] = []
        self._repeated: list[Callable[[], None]] = []
        self._closed = threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._spin, self._repeat)]

    def __enter__(self) -> Ward:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closed.set()
        self._executor.wake()
        for thread in self._threads:
            thread.join()
        self._executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)
        # A robot stays on the graph until nothing refers to its nodes any more.
        del self._executor, self._nodes, self._repeated
        gc.collect()

    @property
    def names(self) -> set[str]:
        return {node.get_fully_qualified_name() for node in self._nodes}

    def node(self, name: str, namespace: str, sim_time: bool = False) -> Any:
        """Return a new node that the ward spins."""
        overrides = [rclpy.Parameter("use_sim_time", value=sim_time)]
        node = Node(name, namespace=namespace, context=self.context, parameter_overrides=overrides)
        self._nodes.append(node)
        self._executor.add_node(node)
        return node

    def repeat(self, publish: Callable[[], None]) -> None:
        """Call a function again and again until the ward closes."""
        self._repeated.append(publish)

    def _spin(self) -> None:
        while not self._closed.is_set():
            self._executor.spin_once(timeout_sec=0.2)

    def _repeat(self) -> None:
        while not self._closed.wait(PERIOD):
            for publish in list(self._repeated):
                publish()


class Base:
    """The base of a robot: listens to cmd_vel, and publishes sensors.

    Args:
        ward: that runs it
        namespace: of the robot
        listens: type of cmd_vel that it listens to; None for a base that does not
        scan: "sees", "blind", "unplaced" (in a frame that tf does not know), "best effort", or None
        odometry: whether it is published
        links: child to parent of the transforms
        everywhere: whether transforms go to /tf instead of the robot's own tf
        stale: child of the transform whose stamp is 3 s old
        docked: whether it stands on its dock
        wheels: whether its wheels are enabled
        clock_off: seconds by which its clock is ahead
        stamp: of everything, s, where its time is simulated
    """

    def __init__(
        self,
        ward: Ward,
        namespace: str,
        listens: Any = TwistStamped,
        scan: str | None = "sees",
        odometry: bool = True,
        links: dict[str, str] | None = None,
        everywhere: bool = False,
        stale: str = "",
        docked: bool = False,
        wheels: bool = True,
        clock_off: float = 0.0,
        stamp: float | None = None,
    ) -> None:
        node = ward.node("turtlebot", namespace)
        self._scan, self._stale, self._clock_off, self._stamp = scan, stale, clock_off, stamp
        self._links = {"base_link": "odom", "odom": "map"} if links is None else links
        self._docked, self._wheels = docked, wheels
        if listens is not None:
            node.create_subscription(listens, "cmd_vel", lambda message: None, 1)
        scan_qos = BEST_EFFORT if scan == "best effort" else 5
        self._scans = None if scan is None else node.create_publisher(LaserScan, "scan", scan_qos)
        self._odometry = node.create_publisher(Odometry, "odom", 5) if odometry else None
        self._tf = node.create_publisher(TFMessage, "/tf" if everywhere else "tf", 10)
        self._tf_static = node.create_publisher(TFMessage, "tf_static", LATCHED)
        self._tf_static.publish(TFMessage(transforms=[self._transform("base_link", "rplidar_link")]))
        self._dock = node.create_publisher(DockStatus, "dock_status", 5)
        self._wheel = node.create_publisher(WheelStatus, "wheel_status", 5)
        ward.repeat(self._publish)

    def _publish(self) -> None:
        stamp = self._now()
        if self._scans is not None:
            self._scans.publish(self._laser(stamp))
        if self._odometry is not None:
            odometry = Odometry()
            odometry.header.stamp = stamp
            self._odometry.publish(odometry)
        self._tf.publish(TFMessage(transforms=[self._transform(up, down) for down, up in self._links.items()]))
        self._dock.publish(DockStatus(is_docked=self._docked))
        self._wheel.publish(WheelStatus(wheels_enabled=self._wheels))

    def _now(self, ago: float = 0.0) -> Any:
        seconds = time.time() + self._clock_off if self._stamp is None else self._stamp
        return Time(nanoseconds=round((seconds - ago) * 1e9)).to_msg()

    def _laser(self, stamp: Any) -> Any:
        distance = math.inf if self._scan == "blind" else 1.0
        scan = LaserScan(angle_min=0.0, angle_max=3.5, angle_increment=0.5, range_min=0.1, range_max=12.0)
        scan.ranges = [distance] * 8
        scan.header.stamp = stamp
        scan.header.frame_id = "nowhere" if self._scan == "unplaced" else "rplidar_link"
        return scan

    def _transform(self, parent: str, child: str) -> Any:
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transform.header.stamp = self._now(ago=3.0 if child == self._stale else 0.0)
        transform.transform.rotation.w = 1.0
        return transform


def gate(ward: Ward, namespace: str, state: str = "ok", sends: Any = TwistStamped, **settings: Any) -> None:
    """Run what looks like a velocity gate that says it is in that state."""
    node = ward.node("velocity_gate", namespace, **settings)
    node.create_publisher(sends, "cmd_vel", 1)
    node.create_publisher(String, "velocity_gate/state", LATCHED).publish(String(data=state))
    speak(ward, node, OK, state, {"pose age (s)": "0.010"})


def tree(
    ward: Ward, namespace: str, active: bool = True, fault: str = "", silent: bool = False, isolated: bool = True,
    status: tuple[bytes, str] | None = (OK, ""), **settings: Any,
) -> None:  # fmt: skip
    """Run what looks like a tree node; without a status it says nothing of itself."""
    node = ward.node("tree", namespace, **settings)
    commands = node.create_publisher(TwistStamped, "cmd_vel_raw", 1)
    state = LoopState.ACTIVE if active else LoopState.INACTIVE
    if status is not None:
        speak(ward, node, *status, {"state": state.value, "fault": fault, "isolated": str(isolated).lower()})

    def publish() -> None:
        if active and not silent:
            command = TwistStamped()
            command.header.stamp = Time(nanoseconds=time.time_ns()).to_msg()
            commands.publish(command)

    ward.repeat(publish)


def clock(ward: Ward, seconds: float) -> None:
    """Publish a simulated time that stands."""
    node = ward.node("simulation", "/")
    publisher = node.create_publisher(Clock, "/clock", 1)
    message = Clock(clock=Time(seconds=seconds).to_msg())
    ward.repeat(lambda: publisher.publish(message))


def speak(ward: Ward, node: Any, level: bytes, message: str, values: dict[str, str] | None = None) -> None:
    """Let a node say on ``/diagnostics`` how it is."""
    diagnostics = Diagnostics(node, node.get_name())
    ward.repeat(lambda: diagnostics.publish(level, message, values or {}))


def rival(ward: Ward, namespace: str, kind: Any = TwistStamped, topic: str = "cmd_vel") -> None:
    """Publish, or be able to, beside the one that should."""
    ward.node("rival", namespace).create_publisher(kind, topic, 1)


def reliable_listener(ward: Ward, namespace: str) -> None:
    """Listen to scans in a way that a best-effort publisher cannot serve."""
    ward.node("listener", namespace).create_subscription(LaserScan, "scan", lambda message: None, 5)


def rules(ward: Ward, outcome: str) -> None:
    """Say how the game has ended."""
    publisher = ward.node("game", "/").create_publisher(String, "/arena/end", LATCHED)
    publisher.publish(String(data=json.dumps({"outcome": outcome, "reason": "claim 1", "stamp": 1})))
