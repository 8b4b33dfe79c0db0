"""A robot crosses on ROS: tree, gate, localiser and scheduler, each a process, and a body that does as it is told."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")

from geometry_msgs.msg import TwistStamped
from helpers.node_bench import NodeBench
from helpers.road_body import RoadBody
from helpers.road_pictures import Road
from rclpy.node import Node
from std_msgs.msg import String

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.message_text import message_from_text
from arena_trees.robot.ros_messages import layout

pytestmark = pytest.mark.xdist_group("ros")

START = Pose2D(0.3, -1.3, math.pi / 2)
STOP = -0.7
"""y of the middle of the stop line."""
HULL = 0.17
SCOPE = ("__ns:=/robot_1", "/tf:=tf", "/tf_static:=tf_static")
PROGRAMS = {
    "localiser": ("role:=crosser", "arena:=crossing_4", f"start:=[{START.x}, {START.y}, {START.yaw}]"),
    "velocity_gate": ("role:=crosser", "arena:=crossing_4", "stamped_cmd_vel:=true"),
    "tree_node": ("role:=crosser", "movement:=straight"),
}


class Bystander(Node):
    """A node that does nothing; those that are tested are processes of their own."""

    def __init__(self) -> None:
        super().__init__("bystander")

    def halt(self) -> None:
        """Do nothing."""


@pytest.fixture
def start():
    running = []

    def begin(module: str, parameters: tuple[str, ...], remaps: tuple[str, ...] = ()) -> None:
        given = [
            part for flag, values in (("-r", remaps), ("-p", parameters)) for one in values for part in (flag, one)
        ]
        running.append(subprocess.Popen([sys.executable, "-m", f"arena_trees.nodes.{module}", "--ros-args", *given]))

    yield begin
    for process in running:
        process.kill()
        process.wait()


def test_it_waits_at_its_line_for_the_scheduler_and_crosses_when_there_is_one(start):
    with NodeBench(Bystander) as bench:
        claims = []
        hear = lambda text: claims.append(message_from_text(text.data).payload)  # noqa: E731
        for topic in ("crossing_request", "crossing_claim"):
            bench.observer.create_subscription(String, f"/arena/{topic}", hear, 50)
        for module, parameters in PROGRAMS.items():
            start(module, parameters, SCOPE)
        body = RoadBody(bench, Road(), "robot_1", START, Pose2D(0.4, -0.2, 0.5))

        def drive(message: TwistStamped) -> None:
            body.twist = layout.twist(message)

        bench.observer.create_subscription(TwistStamped, "/robot_1/cmd_vel", drive, 1)
        stages = lambda: [claim["stage"] for claim in claims]  # noqa: E731
        front = lambda: body.place.y + HULL  # noqa: E731
        at_line = lambda: front() > STOP - 0.15 and stages()[-1] == "WAITING" and body.twist.linear == 0.0  # noqa: E731
        bench.until(at_line, "its standing at the line", body.live)
        first = len(claims)
        bench.until(lambda: len(claims) > first + 10, "two seconds", body.live)
        assert stages()[-1] == "WAITING" and front() < STOP
        assert (claims[-1]["robot"], claims[-1]["approach"], claims[-1]["movement"]) == ("robot_1", "south", "straight")
        start("game", ("scenario:=crossroads_lidar", "set:=['robots.count=1', 'rules.plan.size=3.0']", "truth:=tf"))
        bench.until(lambda: "LEFT" in stages()[first:], "its leaving", body.live)
        assert body.place.y > 0.6 and abs(body.place.x - 0.3) < 0.05
        assert "PASSING" in stages()[first:]
