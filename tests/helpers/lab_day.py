"""A day in the lab as the simulated arena has it: robots whose nodes run, and an operator who does as he is asked."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import radians
from pathlib import Path
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.programs.game_programs import Options, prepare, write_programs
from arena_trees.nodes.programs.processes import Processes
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.ros_messages.quaternions import turn
from helpers.patience import Patience

STARTS = re.compile(r"^\s*(\w+) starts at \(([-+.\d]+), ([-+.\d]+)\) ([-+\d]+) deg")


class Carrier:
    """Puts robots of the simulated arena somewhere, as a person would."""

    def __init__(self, domain: int, robots: list[str]) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node("_carrier", context=self._context, enable_rosout=False, start_parameter_services=False)
        self._places = {name: self._node.create_publisher(PoseStamped, f"/{name}/place", EVENTS) for name in robots}

    def put(self, robot: str, x: float, y: float, yaw: float) -> None:
        """Put a robot somewhere (m, m, rad, map frame)."""
        patience = Patience(f"somebody who carries {robot}")
        while not self._places[robot].get_subscription_count():
            patience.check()
        message = PoseStamped()
        message.header.frame_id = "map"
        message.pose.position.x, message.pose.position.y = x, y
        orientation = turn(yaw)
        message.pose.orientation.z, message.pose.orientation.w = orientation[-2], orientation[-1]
        self._places[robot].publish(message)

    @contextmanager
    def stray(self, topic: str) -> Iterator[None]:
        """Have a node that nobody wants offer velocities, of which it sends none, on a topic."""
        publisher = self._node.create_publisher(TwistStamped, topic, 1)
        yield
        self._node.destroy_publisher(publisher)

    def subscribes(self, node: str, topic: str) -> bool:
        """Return whether a node subscribes to a topic."""
        return any(one.node_name == node for one in self._node.get_subscriptions_info_by_topic(topic))

    def close(self) -> None:
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)


class Lab:
    """The command ``lab`` in a process of its own, and its operator."""

    def __init__(self, process: "subprocess.Popen[str]", carrier: Carrier) -> None:
        self.process = process
        self.carrier = carrier
        self.lines: list[str] = []
        self.starts: dict[str, tuple[float, float, float]] = {}

    def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self) -> Iterator[str]:
        """Give each line that is printed, until the command ends; robots are put where lines have them start."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if found := STARTS.match(line):
                name, x, y, yaw = found.groups()
                self.starts[name] = float(x), float(y), radians(float(yaw))
                self.carrier.put(name, *self.starts[name])
            yield self.lines[-1]

    def until(self, text: str) -> str:
        """Read up to a line that holds a text."""
        for line in self.read():
            if text in line:
                return line
        raise AssertionError(f"{text!r} is not printed: {self.lines}")


@contextmanager
def robots_of(
    scenario: str, changes: list[str], seed: int, folder: Path, options: Options | None = None
) -> Iterator[tuple[int, Processes, Any]]:
    """Run a scenario's nodes in the simulated arena; they wait to be begun.

    Yields:
        their ROS domain, their processes, and the trial that they play
    """
    order = prepare(scenario, changes, {"seed": seed})
    with reserved_domain() as domain, Processes(folder, domain) as processes:
        for program in write_programs(order, folder, options):
            processes.start(program)
        yield domain, processes, order
        processes.stop()


@contextmanager
def conducted(domain: int, robots: list[str], *arguments: object) -> Iterator[Lab]:
    """Run the command ``lab``."""
    command = [sys.executable, "-m", "arena_trees", "lab", *map(str, arguments)]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "PYTHONUNBUFFERED": "1"}
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    pipe = subprocess.PIPE
    carrier = Carrier(domain, robots)
    with subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield Lab(process, carrier)
        finally:
            process.kill()
            carrier.close()


def record(bag: Path, domain: int, *arguments: str) -> "subprocess.Popen[str]":
    """Start the command ``record``."""
    command = [sys.executable, "-m", "arena_trees", "record", str(bag), *arguments]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
