"""A robot crosses on ROS: tree, gate, localiser and scheduler, each a process, and a body that does as it is told."""

from __future__ import annotations

import json
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
from helpers.world_clock import DrivenClock
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.message_text import message_from_text
from arena_trees.robot.ros_messages import layout

START = Pose2D(0.3, -1.3, math.pi / 2)
STOP = -0.7
"""y of the middle of the stop line."""
HULL = 0.17
SCOPE = ("__ns:=/robot_1", "/tf:=tf", "/tf_static:=tf_static")
PROGRAMS = {
    "localiser": ("role:=crosser", "arena:=crossing_4", f"start:=[{START.x}, {START.y}, {START.yaw}]"),
    # The gate counts by the machine's own clock, by which anything may be late here.
    "velocity_gate": (
        "role:=crosser", "arena:=crossing_4", "stamped_cmd_vel:=true", "command_timeout:=0.5", "stamp_tolerance:=1.0",
        "scan_timeout:=5.0", "pose_timeout:=5.0", "tree_timeout:=10.0", "lost_timeout:=600.0",
        "allow_loose_gate:=true",
    ),
    "tree_node": ("role:=crosser", "movement:=straight"),
}  # fmt: skip
STEP_S = 0.02
LATE = {"tree": 0.1, "place": 0.1, "lane": 0.4, "scheduler": 0.4}
"""Seconds by which the newest word of each may be older than the present."""


class Bystander(Node):
    """A node that does nothing; those that are tested are processes of their own."""

    def __init__(self) -> None:
        super().__init__("bystander")

    def halt(self) -> None:
        """Do nothing."""


class Body(RoadBody):
    """A robot in simulated time, which goes on with each velocity of the gate, and waits for every other node."""

    def __init__(self, bench: NodeBench) -> None:
        self._velocities, self._used, self._turns = 0, 0, 0
        self._told: dict[str, int] = {}
        self.claims: list[dict] = []
        self.clock = DrivenClock(bench, STEP_S, self._may_go_on)
        super().__init__(bench, Road(), "robot_1", START, Pose2D(0.4, -0.2, 0.5))
        self.now = lambda: self.clock.now
        for topic in ("crossing_request", "crossing_claim"):
            self._hear(bench, String, f"/arena/{topic}", self._on_claim)
        self._hear(bench, String, "/arena/crossing", self._on_state)
        self._hear(bench, String, "/robot_1/lane", lambda text: self._note("lane", json.loads(text.data)["stamp"]))
        stamped = lambda message: self._note("tree", nanoseconds(message.header.stamp))  # noqa: E731
        self._hear(bench, TwistStamped, "/robot_1/cmd_vel_raw", stamped)
        self._hear(bench, TwistStamped, "/robot_1/cmd_vel", self._drive)
        self._hear(bench, TFMessage, "/robot_1/tf", self._on_transforms)
        self.waits_for = {"tree", "place", "lane"}

    def turn(self) -> None:
        """Go on by one step where nobody is late; say from time to time what was said already."""
        before = self.clock.now
        self.clock.tick()
        self._turns += 1
        if self.clock.now != before or self._turns % 10 == 0:
            self._used = self._velocities
            self.live()

    def _may_go_on(self, now: int) -> bool:
        late = (name for name in self.waits_for if now - self._told.get(name, -SECOND) > LATE[name] * SECOND)
        return self._velocities > self._used and not any(late)

    def _hear(self, bench: NodeBench, kind: type, topic: str, take) -> None:
        bench.observer.create_subscription(kind, topic, take, 50)

    def _note(self, name: str, stamp: int) -> None:
        self._told[name] = max(stamp, self._told.get(name, 0))

    def _on_claim(self, text: String) -> None:
        self.claims.append(message_from_text(text.data).payload)

    def _on_state(self, text: String) -> None:
        self._note("scheduler", message_from_text(text.data).stamp)

    def _drive(self, message: TwistStamped) -> None:
        self._velocities += 1
        self.twist = layout.twist(message)

    def _on_transforms(self, message: TFMessage) -> None:
        for link in message.transforms:
            if link.header.frame_id == "map":
                self._note("place", nanoseconds(link.header.stamp))


@pytest.fixture
def start():
    running = []

    def begin(module: str, parameters: tuple[str, ...], remaps: tuple[str, ...] = ()) -> None:
        pairs = [("-r", remap) for remap in remaps] + [("-p", value) for value in (*parameters, "use_sim_time:=true")]
        given = [part for pair in pairs for part in pair]
        running.append(subprocess.Popen([sys.executable, "-m", f"arena_trees.nodes.{module}", "--ros-args", *given]))

    yield begin
    for process in running:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_it_waits_at_its_line_for_the_scheduler_and_crosses_when_there_is_one(start):
    with NodeBench(Bystander, "-p", "use_sim_time:=true") as bench:
        for module, parameters in PROGRAMS.items():
            start(module, parameters, SCOPE)
        body = Body(bench)
        claims = body.claims
        stages = lambda: [claim["stage"] for claim in claims]  # noqa: E731
        front = lambda: body.place.y + HULL  # noqa: E731
        at_line = lambda: front() > STOP - 0.15 and stages()[-1] == "WAITING" and body.twist.linear == 0.0  # noqa: E731
        bench.until(at_line, "its standing at the line", body.turn)
        first = len(claims)
        bench.until(lambda: len(claims) > first + 10, "two seconds", body.turn)
        assert stages()[-1] == "WAITING" and front() < STOP
        assert (claims[-1]["robot"], claims[-1]["approach"], claims[-1]["movement"]) == ("robot_1", "south", "straight")
        start("game", ("scenario:=crossroads_lidar", "set:=['robots.count=1', 'rules.plan.size=3.0']", "truth:=tf"))
        body.waits_for.add("scheduler")
        bench.until(lambda: "LEFT" in stages()[first:], "its leaving", body.turn)
        assert body.place.y > 0.6 and abs(body.place.x - 0.3) < 0.05
        assert "PASSING" in stages()[first:]
