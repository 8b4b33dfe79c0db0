"""A velocity gate as a process of its own, among real publishers, with a recorder of what it lets through."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rcl_interfaces.srv import ListParameters, SetParameters
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import qos_profile_sensor_data
from rclpy.timer import Timer
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.safety.guard import RESTING
from arena_trees.safety.reasons import GateReason
from helpers.patience import until
from helpers.scans import laser
from helpers.velocity_record import Record, Sent
from helpers.world_clock import WorldClock

_SERVICES = {"stop": Trigger, "reset": Trigger, "set_parameters": SetParameters}
PATIENT = {
    "command_timeout": 0.5, "stamp_tolerance": 1.0, "tree_timeout": 10.0, "scan_timeout": 5.0, "odometry_timeout": 5.0,
    "pose_timeout": 5.0, "lost_timeout": 600.0, "hang_timeout": 60.0, "allow_loose_gate": True, "start_latched": False,
}  # fmt: skip
"""Parameters of a gate, for tests of anything but these times: on a busy machine everything comes late."""

_numbers = itertools.count(os.getpid() * 1000)


class GateBench:
    """Everything around a gate but the gate: base and sensors of a robot, a tree, an operator.

    Namespaces are never used twice, because a killed process stays on the graph for a while.

    Args:
        listens: type that the base takes; None for a base that is absent
        parameters: of the gate
        gates: how many gates the robot has
    """

    def __init__(self, listens: type | None = TwistStamped, gates: int = 1, **parameters: Any) -> None:
        self.robot = f"wolf{next(_numbers)}"
        self.sent = Record()
        self.states: list[str] = []
        self.processes: list[subprocess.Popen[str]] = []
        self.scanning = True
        self.world: WorldClock | None = None
        self.command: tuple[float, float] | None = None
        self._news = threading.Condition()
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self.node = node = rclpy.create_node("base", namespace=self.robot, context=self._context)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        if listens is not None:
            self.listen(listens)
        self.listen_to_state()
        self._diagnoses: dict[str, str] = {}
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._scan = node.create_publisher(LaserScanMessage, "scan", qos_profile_sensor_data)
        self._trembles = 0.015
        self._odometry = node.create_publisher(OdometryMessage, "odom", qos_profile_sensor_data)
        node.create_timer(0.05, self._sense, clock=self._steady)
        self._raw: Any = None
        self._began = False
        self._clients: dict[str, Any] = {}
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._over = False
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()
        self.gates = [self.start_gate(**parameters) for _ in range(gates)]

    def __enter__(self) -> GateBench:
        return self

    def __exit__(self, *problem: object) -> None:
        for process in list(self.processes):
            self.kill(process)
        # An executor that is shut down while another thread spins it takes away what that one waits for.
        self._over = True
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def gate_command(self, **parameters: Any) -> list[str]:
        given = {"start_latched": False, **parameters}
        options = [option for key, value in given.items() for option in ("-p", f"{key}:={value}")]
        module = [sys.executable, "-m", "arena_trees.nodes.velocity_gate"]
        return [*module, "--ros-args", "-r", f"__ns:=/{self.robot}", *options]

    def start_gate(self, **parameters: Any) -> subprocess.Popen[str]:
        return self.start(self.gate_command(**parameters))

    def start_tree(self, linear: float = 0.1) -> subprocess.Popen[str]:
        """Start a process that commands as a tree does, to be killed."""
        return self.start([sys.executable, str(Path(__file__).with_name("ros_tree.py")), self.robot, str(linear)])

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        """Start a process that ends with the bench at the latest."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.processes.append(process)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kill a process that was started here, and forget it."""
        self.processes.remove(process)
        # Leaving it closes what it writes to.
        with process:
            process.send_signal(signal.SIGCONT)
            process.kill()

    def drive(self, linear: float, angular: float = 0.0) -> None:
        """Command at 50 Hz from now on."""
        self._began = self._began and self.command is not None
        self.command = (linear, angular)
        if self._raw is None:
            self._raw = self.node.create_publisher(TwistStamped, "cmd_vel_raw", 1)
            self.node.create_timer(0.02, self._drive, clock=self._steady)

    def listen(self, kind: type) -> None:
        """Take velocities of that type."""
        self.node.create_subscription(kind, "cmd_vel", self._on_velocity, 100)

    def listen_to_state(self) -> None:
        self.node.create_subscription(String, "velocity_gate/state", self._on_state, LATCHED)

    def locate(self, pose: Pose2D | None = None) -> None:
        """Publish at 20 Hz that the robot is there, by default at the map's origin; needs tf2_msgs."""
        from tf2_msgs.msg import TFMessage

        publisher = self.node.create_publisher(TFMessage, "/tf", 10)

        def publish() -> None:
            places = ((pose or Pose2D(), "map", "odom"), (Pose2D(), "odom", "base_link"))
            links = [convert.transform_message(*place, self._now()) for place in places]
            publisher.publish(TFMessage(transforms=links))

        self.node.create_timer(0.05, publish, clock=self._steady)

    @contextlib.contextmanager
    def stranger(self, name: str) -> Iterator[Any]:
        """Yield a node of that name beside the robot's, in a participant of its own."""
        with rclpy.Context() as context:
            node = rclpy.create_node(name, namespace=self.robot, context=context)
            try:
                yield node
            finally:
                node.destroy_node()

    @contextlib.contextmanager
    def publishing(self, topic: str, message: Any) -> Iterator[None]:
        """Publish a message at 20 Hz, best effort, meanwhile."""
        publisher = self.node.create_publisher(type(message), topic, qos_profile_sensor_data)
        timer = self.node.create_timer(0.05, lambda: publisher.publish(message), clock=self._steady)
        try:
            yield
        finally:
            self.destroy(timer, publisher)

    def destroy(self, *parts: Any) -> None:
        """Destroy timers, publishers and clients of the node, in the thread that waits for them.

        Elsewhere it could be while rclpy looks at them, which ends that thread.
        """

        def work() -> None:
            for part in parts:
                kind = "timer" if isinstance(part, Timer) else "publisher" if isinstance(part, Publisher) else "client"
                getattr(self.node, f"destroy_{kind}")(part)

        until(self._executor.create_task(work).done, "the end of what was destroyed")

    def diagnosis(self, key: str) -> str | None:
        """Return a value of the gate's newest diagnostics, or None."""
        return self._diagnoses.get(key)

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something is so.

        Raises:
            AssertionError: it never was
        """
        with self._news:
            until(condition, lambda: f"{what}; state {self.states[-1:]}", lambda: self._news.wait(1.0))

    def wait_for_state(self, *words: str) -> None:
        """Wait until the gate's newest state holds every one of these words."""
        self.wait(lambda: bool(self.states) and all(word in self.states[-1] for word in words), f"state {words}")

    def wait_for_motion(self) -> None:
        self.wait(lambda: bool(self.sent) and not self.sent[-1].is_zero, "motion")

    def wait_for_standstill(self, count: int = 15) -> None:
        """Wait until so many zeros have come one after the other: 50 a second, where the machine has the time."""
        self.wait(lambda: self.sent.stands(count), "standstill")

    def call(self, service: str) -> Any:
        return self._ask(service, Trigger.Request())

    def set_parameters(self, **values: Any) -> list[Any]:
        """Set parameters of the gate at once, and return the result of each."""
        request = SetParameters.Request(
            parameters=[Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
        )
        return list(self._ask("set_parameters", request).results)

    def calm(self) -> None:
        """Clear whatever stops the robot, and command nothing any more."""
        self.drive(0.0)
        until(lambda: self.call("reset").success, lambda: f"a reset; state {self.states[-1:]}")
        self.wait_for_state("ok")
        self.command = None
        self.wait_for_state("no command")

    def recover(self) -> None:
        """Clear whatever stops the robot, and drive."""
        self.calm()
        self.drive(0.1)
        self.wait_for_motion()

    def run_in_simulated_time(self) -> WorldClock:
        """Publish ``/clock`` from now on, and stamp by it."""
        self.world = WorldClock(self.node, 1000 * 10**9)
        return self.world

    def _spin(self) -> None:
        while not self._over:
            self._executor.spin_once(timeout_sec=0.05)

    def _ask(self, service: str, request: Any) -> Any:
        # On a busy machine discovery now and then misses a client for good; new ones are announced anew.
        asked: list[Any] = []
        renewal = 0.0

        def answer() -> Any:
            nonlocal renewal
            found = next((future for future in asked if future.done()), None)
            if found is None and (now := time.monotonic()) >= renewal:
                if asked:
                    self._forget_the_gate()
                if not self._clients:
                    self._clients = self._meet_the_gate()
                asked.append(self._clients[service].call_async(request))
                renewal = now + 10.0
            return found

        return until(answer, f"an answer of {service}").result()

    def _forget_the_gate(self) -> None:
        self.destroy(*self._clients.values())
        self._clients = {}

    def _meet_the_gate(self) -> dict[str, Any]:
        """Return a client of each service, once the gate has found them all: to others its answers are lost."""
        create = self.node.create_client
        clients = {name: create(kind, f"velocity_gate/{name}") for name, kind in _SERVICES.items()}
        # It finds clients in their order. This one may ask as often as it likes.
        last = create(ListParameters, "velocity_gate/list_parameters")
        until(lambda: all(client.service_is_ready() for client in (*clients.values(), last)), "the gate's services")
        asked: list[Any] = []

        def ask() -> None:
            asked.append(last.call_async(ListParameters.Request()))
            time.sleep(0.1)

        until(lambda: any(future.done() for future in asked), "a first answer", ask)
        self.destroy(last)
        return clients

    def _on_velocity(self, message: Any, info: Any) -> None:
        stamp, twist = (
            (0, message) if isinstance(message, Twist) else (nanoseconds(message.header.stamp), message.twist)
        )
        with self._news:
            number = info["publication_sequence_number"]
            self.sent.append(Sent(stamp, twist.linear.x, twist.angular.z, number))
            self._news.notify_all()

    def _on_state(self, message: Any) -> None:
        with self._news:
            self.states.append(message.data)
            self._news.notify_all()

    def _on_diagnostics(self, message: Any) -> None:
        with self._news:
            for status in message.status:
                if status.name.startswith(f"{self.robot}/velocity_gate"):
                    self._diagnoses = {pair.key: pair.value for pair in status.values}
            self._news.notify_all()

    def _now(self) -> int:
        return self.node.get_clock().now().nanoseconds if self.world is None else self.world.now()

    def _drive(self) -> None:
        if self.command is not None:
            # As a tree node does until it drives or is latched: of a gate that has no scan yet it cannot be seen
            # whether it waits for a standstill as well.
            state = self.states[-1] if self.states else GateReason.NO_COMMAND
            self._began = self._began or state.startswith("latched") or bool(self.sent and not self.sent[-1].is_zero)
            waits = RESTING in state or GateReason.NO_COMMAND in state
            command = ZERO if waits and not self._began else Twist2D(*self.command)
            self._raw.publish(convert.twist_message(command, self._now()))

    def _sense(self) -> None:
        now = self._now()
        # It trembles: odometry that never moves while its wheels turn is taken for stuck.
        self._trembles = -self._trembles
        self._odometry.publish(convert.odometry_message(Odometry(now, now, 1, Pose2D(yaw=self._trembles), Twist2D())))
        if self.scanning:
            self._scan.publish(convert.laser_scan_message(laser([3.0] * 360, now), "base_link"))
