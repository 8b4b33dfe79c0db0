"""Range sensors on ROS: from the arena, and to the robot's readings and its velocity gate."""

import json
import math

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import TwistStamped
from helpers.node_bench import NodeBench, QuietNode
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import LaserScan, Range
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from arena_trees.nodes.adapters.convert import fill, odometry_message, sensor_message, twist_message
from arena_trees.nodes.adapters.sensors import Sensors
from arena_trees.nodes.adapters.timelines import RosTimeline, nanoseconds
from arena_trees.nodes.arena_simulator import ArenaSimulator
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.nodes.tree_node import TreeNode
from arena_trees.nodes.velocity_gate import VelocityGateNode
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry as OdometryPercept
from arena_trees.safety.guard import RESTING
from arena_trees.sensors.ranges.sensor import SENSOR, RangeReading, Ranges
from arena_trees.world.body import Body, RangeMount

FRONT = RangeMount(name="front", x=0.14, y=0.0, yaw_deg=0.0)
LEFT = RangeMount(name="left", x=0.0, y=0.15, yaw_deg=90.0)
BODY = Body(lidar=False, ranges=(FRONT, LEFT))


def range_message(mount, distance, now):
    """Return a reading (m) of a sensor at an instant (ns) as a message."""
    (topic,) = SENSOR.ros.topics(Body(ranges=[mount]))
    return sensor_message(topic, Ranges(now, now, 1, (RangeReading(mount.name, mount.pose, distance, 4.0),)), Range)


SAID = json.dumps(BODY.model_dump(mode="json", exclude_defaults=True))
PATIENT = {
    "command_timeout": 0.5, "stamp_tolerance": 1.0, "tree_timeout": 10.0, "ranges_timeout": 3.0,
    "odometry_timeout": 5.0, "allow_loose_gate": True, "start_latched": False,
}  # fmt: skip
RELIABLE = QoSProfile(depth=500)


class Post:
    """What a robot without LiDAR tells its nodes: ranges, odometry, and a tree that drives."""

    def __init__(self, bench: NodeBench) -> None:
        self.bench = bench
        self.distances = {"front": math.inf, "left": 1.0}
        self._beams = {
            mount.name: (mount, bench.speaker(Range, f"/wolf/ranges/{mount.name}")) for mount in (FRONT, LEFT)
        }

    def now(self) -> int:
        return int(self.bench.observer.get_clock().now().nanoseconds)

    def tell(self) -> None:
        """Publish a reading of each sensor that has a distance."""
        for name, (mount, beam) in self._beams.items():
            if name in self.distances:
                beam.publish(range_message(mount, self.distances[name], self.now()))


class Listener(QuietNode):
    """A node with the sensors of a robot that sees by beams."""

    def __init__(self) -> None:
        super().__init__("listener", namespace="wolf")
        self.sensors = Sensors(self, RosTimeline(self), frozenset({"ranges"}), None, BODY)


def test_readings_of_every_sensor_make_ranges_in_the_order_of_the_mounts():
    with NodeBench(Listener) as bench:
        post = Post(bench)
        del post.distances["left"]
        for _ in range(10):
            post.tell()
            bench.spin()
        assert bench.node.sensors.read().ranges is None
        post.distances["left"] = 1.25
        ranges = bench.until(lambda: bench.node.sensors.read().ranges, "ranges", post.tell)
        assert [(one.name, one.mount, one.distance, one.limit) for one in ranges.readings] == [
            ("front", FRONT.pose, math.inf, 4.0),
            ("left", LEFT.pose, 1.25, 4.0),
        ]
        assert ranges.stamp <= ranges.arrival
        number = ranges.sequence
        post.distances |= {"front": 9.0, "left": -math.inf}
        bench.until(lambda: bench.node.sensors.read().ranges["left"].distance == 0.0, "something near", post.tell)
        newest = bench.node.sensors.read().ranges
        assert newest["front"].distance == math.inf and newest.sequence > number
        assert PerceptFilter().take(bench.node.sensors.read(), ()).ranges is not None
        post.distances["left"] = math.nan
        bench.until(lambda: math.isnan(bench.node.sensors.read().ranges["left"].distance), "nonsense", post.tell)
        assert PerceptFilter().take(bench.node.sensors.read(), ()).ranges is None


def test_a_gate_without_lidar_waits_for_every_sensor_then_stops_before_what_a_beam_meets():
    options = [option for key, value in PATIENT.items() for option in ("-p", f"{key}:={value}")]
    with NodeBench(VelocityGateNode, "-r", "__ns:=/wolf", "-p", f"body:='{SAID}'", *options) as bench:
        assert not bench.node.get_subscriptions_info_by_topic("/wolf/scan")
        post = Post(bench)
        driven = bench.hear(TwistStamped, "/wolf/cmd_vel", RELIABLE)
        states = bench.hear(String, "/wolf/velocity_gate/state")
        commands = bench.speaker(TwistStamped, "/wolf/cmd_vel_raw")
        odometry = bench.speaker(Odometry, "/wolf/odom")
        wanted = Twist2D(0.2, 0.3)

        def drive() -> None:
            post.tell()
            now = post.now()
            odometry.publish(odometry_message(OdometryPercept(now, now, 0, Pose2D(), ZERO)))
            rests = not states or RESTING in states[-1].data
            commands.publish(twist_message(ZERO if rests else wanted, now))

        def speeds() -> tuple[float, float]:
            return (driven[-1].twist.linear.x, driven[-1].twist.angular.z) if driven else (0.0, 0.0)

        left = post.distances.pop("left")
        bench.until(lambda: states and "no ranges" in states[-1].data, "no ranges", drive)
        post.distances["left"] = left
        bench.until(lambda: speeds() == (0.2, 0.3), "motion without a scan", drive)
        post.distances["front"] = 0.05
        bench.until(lambda: speeds() == (0.0, 0.3), "a stop that leaves rotation", drive)
        bench.until(lambda: bench.value("ranges age (s)"), "diagnostics", drive)
        assert not bench.value("scan age (s)")
        post.distances = {"front": math.inf}
        bench.until(lambda: "ranges stale" in states[-1].data, "staleness", drive)
        assert speeds() == (0.0, 0.0)


def test_the_arena_publishes_each_sensor_in_its_frame_and_no_scan():
    changes = f"wolf.body={SAID}", "wolf.sensors={ranges.dropout: 0.0}"
    given = ", ".join(f"'{change}'" for change in changes)
    with NodeBench(ArenaSimulator, "-p", "scenario:=wolf_rabbit", "-p", f"set:=[{given}]") as bench:
        heard = {name: bench.hear(Range, f"/wolf/ranges/{name}", RELIABLE) for name in ("front", "left")}
        static = bench.hear(TFMessage, "/wolf/tf_static", LATCHED)
        scans = bench.hear(LaserScan, "/rabbit/scan", RELIABLE)
        bench.until(lambda: static and scans and all(len(some) > 5 for some in heard.values()), "ranges")
        topics = {topic for topic, _ in bench.node.get_topic_names_and_types()}
        assert not {"/wolf/scan", "/rabbit/ranges/front"} & topics
        links = {link.child_frame_id: link for message in static for link in message.transforms}
        for mount in BODY.ranges:
            message = heard[mount.name][-1]
            link = links[message.header.frame_id]
            place = link.transform.translation
            assert (place.x, place.y, place.z) == (mount.x, mount.y, pytest.approx(0.1))
            assert link.header.frame_id == "base_link"
            assert 0.0 < message.range < message.max_range == 10.0
            assert message.radiation_type == Range.INFRARED
        assert "rplidar_link" not in links
        # What both measured at one instant has one stamp, and belongs together again.
        stamps = [{nanoseconds(message.header.stamp) for message in some} for some in heard.values()]
        assert len(stamps[0] & stamps[1]) >= 5


def test_a_tree_node_waits_for_what_its_robot_sees_by():
    arguments = ("-r", "__ns:=/wolf", "-p", "role:=wolf", "-p", "arena:=arena_4x4")
    with NodeBench(TreeNode, *arguments, "-p", f"body:='{SAID}'") as bench:
        bench.until(lambda: bench.state() == "waiting for ranges", "the complaint")
        post = Post(bench)
        bench.until(lambda: "waiting" not in bench.state(), "content", post.tell)


def test_a_message_of_another_maker_is_read_by_its_fields_alone():
    message = fill(range_message(FRONT, 1.5, 2_500_000_000), {"field_of_view": 0.5})
    assert (message.header.frame_id, message.header.stamp.sec, message.range) == ("range_front", 2, 1.5)
