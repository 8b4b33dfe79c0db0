"""Turret and weapon on ROS: from the tree's port through the gate to the arena, and to the rules."""

import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import TwistStamped
from helpers.node_bench import NodeBench, QuietNode
from helpers.robot_senses import Senses
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty, Header, String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from arena_trees.games.pursuit.laser import Laser
from arena_trees.games.truth import TruthSample
from arena_trees.nodes.adapters.arena_messages import mounts, turret_transforms
from arena_trees.nodes.adapters.convert import (
    odometry_message,
    sensor_message,
    turret_rates_message,
    twist_message,
)
from arena_trees.nodes.adapters.port import RosPort
from arena_trees.nodes.adapters.sensors import Sensors
from arena_trees.nodes.adapters.timelines import RosTimeline, nanoseconds, stamp_message
from arena_trees.nodes.arena_simulator import ArenaSimulator
from arena_trees.nodes.game import GameNode
from arena_trees.nodes.tree_node import TreeNode
from arena_trees.nodes.velocity_gate import VelocityGateNode
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.percepts import Odometry as OdometryPercept
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.guard import RESTING
from arena_trees.sensors.turret.sensor import SENSOR as TURRET
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.world.body import Barrel, Body, Sphere, Turret
from arena_trees.world.camera_pose import CameraMount
from arena_trees.world.line_of_sight import LineOfSight
from arena_trees.world.pinhole import Pinhole

ARMED = Body(turret=Turret(), barrel=Barrel())
SAID = ("-r", "__ns:=/wolf", "-p", "body:='{turret: {}, barrel: {}}'")
PATIENT = (
    "-p", "command_timeout:=0.5", "-p", "stamp_tolerance:=1.0", "-p", "tree_timeout:=10.0",
    "-p", "start_latched:=false",
)  # fmt: skip
RELIABLE = QoSProfile(depth=500)
RATES = TurretRates(1.0, 0.25)


class Post:
    """A velocity gate, and a tree beside it that stands, aims and fires."""

    def __init__(self, bench: NodeBench) -> None:
        self.bench = bench
        self.rates = bench.hear(TwistStamped, "/wolf/turret/cmd_vel", RELIABLE)
        self.shots = bench.hear(Empty, "/wolf/engage", RELIABLE)
        self.states = bench.hear(String, "/wolf/velocity_gate/state")
        self._commands = bench.speaker(TwistStamped, "/wolf/cmd_vel_raw")
        self._aims = bench.speaker(TwistStamped, "/wolf/turret/cmd_vel_raw")
        self._triggers = bench.speaker(Header, "/wolf/engage_raw")

    def _now(self) -> int:
        return int(self.bench.observer.get_clock().now().nanoseconds)

    def stand(self, rates: TurretRates = RATES) -> None:
        """Command a standstill, and aim as soon as the new gate lets that happen."""
        rests = not self.states or RESTING in self.states[-1].data
        self._commands.publish(twist_message(ZERO, self._now()))
        self._aims.publish(turret_rates_message(STEADY if rests else rates, self._now()))

    def fire(self, late: int = 0) -> None:
        """Pull the trigger, so much (ns) ago."""
        self._triggers.publish(Header(stamp=stamp_message(self._now() - late)))

    def until_turned(self, rates: TurretRates) -> None:
        self.rates.clear()
        self.bench.until(
            lambda: self.rates and layout.turret_rates(self.rates[-1]) == rates, f"rates {rates}", self.stand
        )

    def until_state(self, words: str) -> None:
        self.bench.until(lambda: self.states and words in self.states[-1].data, words, self.stand)


def test_the_gate_lets_rates_and_single_shots_of_a_blind_robot_through_until_it_latches():
    with NodeBench(VelocityGateNode, *SAID, *PATIENT) as bench:
        post = Post(bench)
        post.until_turned(RATES)
        assert "no scan" in post.states[-1].data
        turned = post.rates[-1].twist.angular
        assert (turned.z, turned.y) == (1.0, -0.25), "a positive pitch lowers the nose, in a Twist"
        post.fire()
        bench.until(lambda: post.shots, "a shot", post.stand)
        count = len(post.rates)
        bench.until(lambda: len(post.rates) > count + 10, "more rates", post.stand)
        assert len(post.shots) == 1
        post.fire(late=2_000_000_000)
        assert bench.ask(Trigger, "/wolf/velocity_gate/stop", Trigger.Request()).success
        post.until_turned(TurretRates())
        post.fire()
        count = len(post.rates)
        bench.until(lambda: len(post.rates) > count + 10, "more zeros", post.stand)
        assert len(post.shots) == 1
        assert all(layout.turret_rates(one) == TurretRates() for one in post.rates[count:])


def test_a_tree_that_falls_silent_turns_nothing():
    with NodeBench(VelocityGateNode, *SAID, *PATIENT) as bench:
        post = Post(bench)
        post.until_turned(RATES)
        bench.until(lambda: layout.turret_rates(post.rates[-1]) == TurretRates(), "a standstill")
        post.fire()
        count = len(post.rates)
        bench.until(lambda: len(post.rates) > count + 10, "more zeros")
        assert not post.shots


def test_another_who_fires_holds_the_robot():
    with NodeBench(VelocityGateNode, *SAID, *PATIENT) as bench:
        post = Post(bench)
        post.until_turned(RATES)
        stranger = bench.observer.create_publisher(Empty, "/wolf/engage", 10)
        post.until_state("another publisher on engage: /observer")
        post.until_turned(TurretRates())
        bench.observer.destroy_publisher(stranger)
        post.until_turned(RATES)


class Player(QuietNode):
    """A node with the port of a robot that is armed, or is not."""

    def __init__(self, body: Body) -> None:
        super().__init__("player", namespace="wolf")
        self.timeline = RosTimeline(self)
        sensors = Sensors(self, self.timeline, frozenset({"turret"} if body.turret else ()))
        self.port = RosPort(self, "wolf", self.timeline, sensors, body)


def test_a_port_tells_what_the_tree_asks_and_hears_the_encoders():
    with NodeBench(lambda: Player(ARMED)) as bench:
        port = bench.node.port
        rates = bench.hear(TwistStamped, "/wolf/turret/cmd_vel_raw")
        shots = bench.hear(Header, "/wolf/engage_raw", RELIABLE)
        port.aim(RATES)
        port.fire()
        bench.until(lambda: rates and shots, "rates and a shot")
        assert layout.turret_rates(rates[0]) == RATES
        assert shots[0].stamp.sec > 0
        joints = bench.speaker(JointState, "/wolf/turret/joint_states")

        def publish() -> None:
            now = bench.node.timeline.now()
            joints.publish(sensor_message(TURRET.ros, TurretState(now, now, 0, 0.5, -0.1, RATES), JointState))

        state = bench.until(lambda: port.read().turret, "the encoders", publish)
        assert (state.yaw, state.pitch, state.rates) == (0.5, -0.1, RATES)
        assert PerceptFilter().take(port.read()).turret is not None


def topics(node: Any) -> set[str]:
    """Return the topics that a node publishes or hears, of turrets and shots."""
    own = (node.get_name(), node.get_namespace())
    found = [*node.get_publisher_names_and_types_by_node(*own), *node.get_subscriber_names_and_types_by_node(*own)]
    return {topic for topic, _ in found if "turret" in topic or "engage" in topic}


def test_a_tree_node_of_an_armed_robot_aims_at_nothing_by_itself():
    with NodeBench(TreeNode, *SAID, "-p", "role:=wolf", "-p", "arena:=arena_4x4") as bench:
        senses = Senses(bench.observer, "wolf")
        rates = bench.hear(TwistStamped, "/wolf/turret/cmd_vel_raw")
        bench.until(lambda: len(rates) > 5, "rates", senses.publish)
        assert {layout.turret_rates(one) for one in rates} == {TurretRates()}
        armed = {"/wolf/turret/cmd_vel_raw", "/wolf/engage_raw", "/wolf/turret/joint_states"}
        bench.until(lambda: topics(bench.node) == armed, "the graph's knowledge of its topics")


def matrix(link: Any) -> np.ndarray:
    """Return a transform as a homogeneous matrix, shape (4, 4)."""
    q, place = link.transform.rotation, link.transform.translation
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array((
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y), place.x),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x), place.y),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y), place.z),
        (0.0, 0.0, 0.0, 1.0),
    ))  # fmt: skip


def in_base(links: list[Any], frame: str) -> np.ndarray:
    """Return where a frame is in base_link, by transforms in any order; each child has one parent."""
    parents = {link.child_frame_id: link for link in links}
    found = np.eye(4)
    while frame != layout.BASE_FRAME:
        found, frame = matrix(parents[frame]) @ found, parents[frame].header.frame_id
    return found


@pytest.mark.parametrize("barrel", [Barrel(x=0.2, height=0.3), None])
@pytest.mark.parametrize(("yaw", "pitch"), [(0.0, 0.0), (1.0, 0.25), (-2.5, -0.2)])
def test_camera_and_barrel_turn_with_the_turret_in_tf(barrel, yaw, pitch):
    body = Body(turret=Turret(camera_above_barrel=0.04), barrel=barrel)
    pinhole = Pinhole(640, 360, 1.2, 0.05, 0.34)
    links = mounts(SensorParameters(), body, pinhole)
    links += turret_transforms(TurretState(5, 5, 0, yaw, pitch), body, pinhole)
    optics = in_base(links, layout.OPTICAL_FRAME)
    camera = CameraMount.on(body, 0.05, 0.34).pose(Pose2D(), (yaw, pitch))
    assert optics[:3, 3] == pytest.approx((camera.x, camera.y, camera.z))
    ahead, left, up = camera.axes()
    assert pytest.approx(np.array((-left, -up, ahead))) == optics[:3, :3].T, "z into the picture, x right, y down"
    if barrel is not None:
        place = in_base(links, "barrel_link")
        laser = Laser(body, Sphere(), LineOfSight(()), 3.0, 0.1)
        origin, *_ = laser.barrel(TruthSample("chaser", 0, Pose2D(), turret=(yaw, pitch)))
        assert place[:3, 3] == pytest.approx(origin)
        assert place[:3, 0] == pytest.approx(ahead)


def test_what_has_no_turret_is_fixed_to_the_base():
    body = Body(barrel=Barrel(x=0.1, height=0.12))
    links = mounts(SensorParameters(), body, Pinhole(250, 250, 1.2, 0.05, 0.34))
    assert in_base(links, "barrel_link")[:3, 3] == pytest.approx((0.1, 0.0, 0.12))
    assert in_base(links, layout.OPTICAL_FRAME)[:3, 3] == pytest.approx((0.05, 0.0, 0.34))


def test_the_arena_turns_the_turret_and_fires():
    arms = "wolf.body={turret: {max_yaw_rate: 2.0}, barrel: {x: 0.1}}"
    with NodeBench(ArenaSimulator, "-p", "scenario:=wolf_rabbit", "-p", f"set:=['{arms}']") as bench:
        joints = bench.hear(JointState, "/wolf/turret/joint_states", RELIABLE)
        moved = bench.hear(TFMessage, "/wolf/tf", RELIABLE)
        rates = bench.speaker(TwistStamped, "/wolf/turret/cmd_vel")
        shots = bench.speaker(Empty, "/wolf/engage")
        fired: list[bool] = []
        port = bench.node._robots[0]._port
        fire = port.fire
        port.fire = lambda: (fire(), fired.append(port._port.truth.fired))
        shots.publish(Empty())
        turned = lambda: joints and joints[-1].position[0] > 0.3 and joints[-1].position[1] > 0.05  # noqa: E731
        bench.until(turned, "a turn", lambda: rates.publish(turret_rates_message(TurretRates(9.0, 0.3), 0)))
        assert list(joints[-1].name) == ["turret_yaw_joint", "turret_pitch_joint"]
        assert max(joint.velocity[0] for joint in joints) == 2.0
        assert joints[-1].header.frame_id == "base_link"
        bench.until(lambda: fired, "a shot")
        assert fired == [True]
        turned_at = {nanoseconds(joint.header.stamp): joint.position[0] for joint in joints}
        links = [link for one in moved for link in one.transforms if link.child_frame_id == "turret_yaw_link"]
        yaws = {nanoseconds(link.header.stamp): layout.transform(link).yaw for link in links}
        both = sorted(set(turned_at) & set(yaws))
        assert len(both) > 5 and all(yaws[stamp] == pytest.approx(turned_at[stamp]) for stamp in both)


def test_rules_are_told_of_turrets_and_of_shots_by_where_robots_were(monkeypatch):
    monkeypatch.setattr("arena_trees.nodes.game.PATIENCE", 10 * SECOND)
    arms = "wolf.body={turret: {max_yaw_rate: 2.0}, barrel: {x: 0.1}}"
    with NodeBench(GameNode, "-p", "scenario:=wolf_rabbit", "-p", f"set:=['{arms}']") as bench:
        truths = bench.speaker(Odometry, "/wolf/ground_truth")
        joints = bench.speaker(JointState, "/wolf/turret/joint_states")
        shots = bench.speaker(Empty, "/wolf/engage")
        assert topics(bench.node) == {"/wolf/turret/joint_states", "/wolf/engage"}
        seen: list[Any] = []
        make = bench.node._truth

        def watched(now: int) -> Any:
            truth = make(now)
            if "wolf" in truth:
                seen.append(truth["wolf"])
            return truth

        bench.node._truth = watched
        instants: list[int] = []
        next_shot = bench.node._next_shot

        def taken(now: int) -> Any:
            shot = next_shot(now)
            instants.extend(() if shot is None else shot[:1])
            return shot

        bench.node._next_shot = taken
        begun = time.time_ns()

        def publish() -> None:
            now = time.time_ns()
            pose = Pose2D((now - begun) / SECOND)
            truths.publish(odometry_message(OdometryPercept(now, now, 0, pose, ZERO), frame="map"))
            joints.publish(sensor_message(TURRET.ros, TurretState(now, now, 0, 0.5, -0.1), JointState))

        bench.until(lambda: seen and seen[-1].turret == (0.5, -0.1), "the turret", publish)
        assert not any(one.fired for one in seen)
        shots.publish(Empty())
        bench.until(lambda: any(one.fired for one in seen), "the shot", publish)
        count = len(seen)
        bench.until(lambda: len(seen) > count + 10, "more", publish)
        (fired,) = [one for one in seen if one.fired]
        # It drives 1 m/s: the newest message of before the shot lies some centimetres behind.
        assert fired.pose.x == pytest.approx((instants[0] - begun) / SECOND, abs=1e-6)
