"""Messages of a robot's sensors as readings, poses and mounts from tf, and the clocks they are told by."""

import json
import math
import time
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import TransformStamped
from helpers.node_bench import NodeBench, QuietNode
from helpers.robot_senses import LIDAR, Senses
from irobot_create_msgs.msg import HazardDetectionVector
from sensor_msgs.msg import BatteryState, CameraInfo
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.sensors import BASIC_SENSORS, Sensors
from arena_trees.nodes.adapters.timelines import MonotonicTimeline, RosTimeline, stamp_message
from arena_trees.nodes.adapters.transforms import PoseListener
from arena_trees.nodes.runtime.optional_types import optional_type
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.clock import SECOND
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLine, LaneLines
from arena_trees.robot.percepts import Bumpers
from arena_trees.robot.ros_messages.lane_text import lane_to_text
from arena_trees.robot.sensor_registry import sensors
from arena_trees.sensors.battery.sensor import Battery
from arena_trees.world.body import TURTLEBOT4

EVERY_SENSOR = BASIC_SENSORS | {"scan", "detections", "battery"}


BOX = Detection("rabbit_sign", 0.9, 100.0, 80.0, 20.0, 20.0)


class Feeling(QuietNode):
    """A node that does nothing but sense."""

    def __init__(self, timeline=RosTimeline, wants=EVERY_SENSOR, base_frame="base_link"):
        super().__init__("feeling", namespace="wolf")
        self.timeline = timeline(self)
        self.poses = PoseListener(self, self.timeline, base_frame=base_frame)
        self.sensors = Sensors(self, self.timeline, wants, self.poses)

    def read(self):
        return self.sensors.read()


def detection_messages(stamp, width=320, height=240):
    header = Header(stamp=stamp_message(stamp), frame_id="camera")
    seen = Detections(stamp, 0, 0, width, height, (BOX,))
    topics = zip(sensors()["detections"].ros.topics(TURTLEBOT4), (CameraInfo, Detection2DArray), strict=True)
    optics, found = (convert.sensor_message(topic, seen, kind, header) for topic, kind in topics)
    return found, optics


def assert_near(pose, other):
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((other.x, other.y, other.yaw))


def test_every_sensor_becomes_a_reading_that_the_checks_accept():
    with NodeBench(Feeling) as bench:
        senses, node = Senses(bench.observer, "wolf"), bench.node
        senses.place = Pose2D(1.0, -0.5, 0.3)
        speakers = [
            bench.speaker(kind, f"/wolf/{topic}")
            for kind, topic in (
                (Detection2DArray, "detections"),
                (CameraInfo, "detections/camera_info"),
                (HazardDetectionVector, "hazard_detection"),
                (BatteryState, "battery_state"),
            )
        ]

        def publish():
            senses.publish()
            now = senses.now()
            battery = convert.sensor_message(sensors()["battery"].ros, Battery(now, 0, 0, 0.5), BatteryState)
            bumpers = convert.hazards_message(Bumpers(now, 0, 0, frozenset({"bump_left"})))
            for speaker, message in zip(speakers, (*detection_messages(now), bumpers, battery), strict=True):
                speaker.publish(message)

        def complete():
            readings = node.read()
            return None not in (readings.get(name) for name in EVERY_SENSOR) and readings

        readings = bench.until(complete, "every reading", publish)
        assert_near(readings.scan.mount, LIDAR)
        assert readings.scan.ranges.shape == (360,)
        assert_near(readings.pose.pose, senses.place)
        assert (readings.detections.image_width, readings.detections.boxes) == (320, (BOX,))
        assert readings.bumpers.pressed == {"bump_left"}
        assert readings.more["battery"].charge == 0.5
        assert all(0 <= readings.get(name).age(readings.now) < 5 * SECOND for name in EVERY_SENSOR)
        percept_filter = PerceptFilter()
        percepts = percept_filter.take(readings, ())
        assert not percept_filter.refusals
        # Nothing is nearer than 2 m, wherever the LiDAR looks.
        assert percepts.scan.distance.min() == pytest.approx(1.96, abs=0.01)


def test_nothing_comes_before_anything_was_published_and_a_reading_is_read_once():
    with NodeBench(Feeling) as bench:
        empty = bench.node.read()
        assert all(empty.get(name) is None for name in EVERY_SENSOR)
        senses = Senses(bench.observer, "wolf")
        first = bench.until(lambda: bench.node.read().odometry, "odometry", senses.publish)
        assert bench.node.read().odometry.sequence >= first.sequence
        bench.until(lambda: bench.node.read().odometry.sequence > first.sequence, "more odometry", senses.publish)


def test_a_scan_in_an_unknown_frame_is_not_used():
    with NodeBench(Feeling) as bench:
        senses, dropped = Senses(bench.observer, "wolf"), bench.node.sensors.dropped
        bench.until(
            lambda: dropped["scan: no transform to its frame"] > 2, "scans", lambda: senses.publish_scan("nowhere")
        )
        assert bench.node.read().scan is None
        bench.until(lambda: bench.node.read().scan, "a scan in a known frame", senses.publish_scan)


def test_detections_wait_for_the_optics_and_take_the_newest():
    with NodeBench(lambda: Feeling(wants=frozenset({"detections"}))) as bench:
        found = bench.speaker(Detection2DArray, "/wolf/detections")
        info = bench.speaker(CameraInfo, "/wolf/detections/camera_info")
        stamp = 7 * SECOND

        def say(*speakers, width=320):
            nonlocal stamp
            stamp += 1
            for speaker in speakers:
                speaker.publish(dict(zip((found, info), detection_messages(stamp, width), strict=True))[speaker])

        def seen():
            return bench.node.read().detections

        for _ in range(20):
            say(found)
        assert seen() is None
        bench.until(seen, "the first ones, after the optics", lambda: say(found, info))
        before = seen().stamp
        bench.until(lambda: seen().stamp > before, "more, whose optics are known", lambda: say(found))
        assert seen().image_width == 320
        bench.until(lambda: seen().image_width == 640, "other optics", lambda: say(info, found, width=640))


def test_the_lane_comes_as_text_where_it_is_wanted_and_what_is_none_is_dropped():
    lane = LaneLines(0, 0, 0, LaneLine(0.3, 0.1, 0.9), None, 1.2, 0.6)
    with NodeBench(lambda: Feeling(wants=EVERY_SENSOR | {"lane"})) as bench:
        node, speaker = bench.node, bench.speaker(String, "/wolf/lane")
        # Said again and again: a best-effort subscription hears nothing until it has found the speaker too.
        broken = String(data=json.dumps({"red": math.nan}))
        bench.until(lambda: node.sensors.dropped["lane: malformed"], "the refusal", lambda: speaker.publish(broken))

        def publish():
            speaker.publish(String(data=lane_to_text(replace(lane, stamp=node.timeline.now()))))

        found = bench.until(lambda: node.read().lane, "the lane", publish)
        assert (found.red, found.black, found.stop_distance, found.lane_width) == (lane.red, None, 1.2, 0.6)
        assert 0 <= found.age(node.timeline.now()) < 5 * SECOND
        assert PerceptFilter().take(node.read()).lane is not None


def test_the_pose_is_as_old_as_its_oldest_link_and_static_links_do_not_age():
    with NodeBench(Feeling) as bench:
        senses, poses = Senses(bench.observer, "wolf"), bench.node.poses

        def move_base(x):
            link = convert.transform_message(Pose2D(x), "odom", "base_link", senses.now())
            senses.tf.publish(TFMessage(transforms=[link]))
            return bench.until(lambda: poses.pose().pose.x == x and poses.pose(), "the base's link")

        assert poses.pose() is None
        first = bench.until(poses.pose, "a pose", senses.publish_transforms)
        assert first.stamp <= first.arrival, "the stamp is the base's, not that of the map, which lies ahead"
        assert poses.pose() is poses.pose(), "nothing new, no new pose"
        # Only the base moves on: the map's link, which is older by arrival, sets the age from now on. What comes
        # last from a publisher comes after all that was published until the first pose was there.
        move_base(0.4)
        now = senses.now()
        second = move_base(0.5)
        assert second.sequence > first.sequence
        assert second.arrival <= now
        bad = convert.transform_message(Pose2D(9.0), "map", "odom", senses.now())
        bad.transform.rotation.w = 0.0
        good = convert.transform_message(Pose2D(0.7), "odom", "base_link", senses.now())
        senses.tf.publish(TFMessage(transforms=[bad, good]))
        third = bench.until(lambda: poses.pose().pose.x == 0.7 and poses.pose(), "the base's link")
        assert third.arrival == second.arrival, "what is no rotation renews nothing"
        assert third.sequence == second.sequence + 1
        several = [convert.transform_message(Pose2D(x), "odom", "base_link", senses.now()) for x in (0.8, 0.9, 1.1)]
        senses.tf.publish(TFMessage(transforms=several))
        fourth = bench.until(lambda: poses.pose().pose.x == 1.1 and poses.pose(), "the base's link")
        assert fourth.sequence == third.sequence + 3, "as many as a recorder counts"


def test_a_map_that_stands_still_is_static():
    with NodeBench(Feeling) as bench:
        fixed = bench.speaker(TFMessage, "/tf_static", LATCHED)
        senses = bench.speaker(TFMessage, "/tf")
        fixed.publish(TFMessage(transforms=[convert.transform_message(Pose2D(1.0), "map", "odom", 5)]))
        link = convert.transform_message(Pose2D(), "odom", "base_footprint", 7 * SECOND)
        above = convert.transform_message(Pose2D(), "base_footprint", "base_link", 7 * SECOND)
        pose = bench.until(bench.node.poses.pose, "a pose", lambda: senses.publish(TFMessage(transforms=[link, above])))
        assert (pose.pose.x, pose.stamp) == (1.0, 7 * SECOND)


def test_mounts_over_several_links_and_one_that_is_not_upright():
    half = math.sqrt(0.5)
    tilted = TransformStamped(child_frame_id="camera")
    tilted.header.frame_id = "shell"
    tilted.transform.rotation.x, tilted.transform.rotation.w = half, half
    with NodeBench(Feeling) as bench:
        poses = bench.node.poses
        links = [
            convert.transform_message(Pose2D(0.1, 0.0, math.pi / 2), "base_link", "shell", 0),
            convert.transform_message(Pose2D(0.2, 0.0, math.pi / 2), "shell", "lidar", 0),
            tilted,
        ]
        speaker = bench.speaker(TFMessage, "/tf_static", LATCHED)
        speaker.publish(TFMessage(transforms=links))
        mount = bench.until(lambda: poses.mount("/lidar"), "the mount")
        assert (mount.x, mount.y) == pytest.approx((0.1, 0.2))
        assert abs(mount.yaw) == pytest.approx(math.pi)
        assert poses.mount("base_link") == Pose2D()
        assert poses.mount("camera") is None
        assert poses.mount("nowhere") is None


def test_a_mount_beside_the_base_frame_is_found_over_the_frame_above_both():
    with NodeBench(lambda: Feeling(base_frame="base_footprint")) as bench:
        links = [
            convert.transform_message(Pose2D(0.1, 0.0, math.pi / 2), "base_link", "lidar", 0),
            convert.transform_message(Pose2D(0.0, 0.2, math.pi / 2), "base_link", "base_footprint", 0),
        ]
        speaker = bench.speaker(TFMessage, "/tf_static", LATCHED)
        speaker.publish(TFMessage(transforms=links))
        mount = bench.until(lambda: bench.node.poses.mount("lidar"), "the mount")
        assert (mount.x, mount.y, mount.yaw) == pytest.approx((-0.2, -0.1, 0.0))


def test_the_monotonic_timeline_keeps_ages_and_the_future():
    with NodeBench(lambda: Feeling(MonotonicTimeline, frozenset())) as bench:
        timeline, clock = bench.node.timeline, bench.node.get_clock()
        for age in (0, 3 * SECOND, -5 * SECOND):
            before = time.monotonic_ns()
            stamp, arrival = timeline.received(clock.now().nanoseconds - age)
            assert before <= arrival <= timeline.now()
            assert arrival - stamp == pytest.approx(age, abs=2e8)


def test_a_package_that_is_missing_is_told_of_once(capfd):
    with NodeBench(lambda: Feeling(wants=frozenset())) as bench:
        for _ in range(2):
            assert optional_type(bench.node, "no_such_msgs", "msg", "Nothing", "nothingness") is None
        assert optional_type(bench.node, "tf2_msgs", "msg", "TFMessage", "transforms") is TFMessage
    assert capfd.readouterr().err.count("nothingness: off") == 1
