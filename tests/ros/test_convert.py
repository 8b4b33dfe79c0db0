"""Percepts as messages of rclpy, over the wire and back."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import BatteryState, CameraInfo, Imu, JointState, MultiDOFJointState
from std_msgs.msg import Header

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.timelines import nanoseconds, stamp_message
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.scan import LaserScan
from arena_trees.sensors.battery.sensor import SENSOR, Battery
from arena_trees.sensors.detections.sensor import SENSOR as DETECTIONS
from arena_trees.world.body import TURTLEBOT4

UNHURRIED = settings(deadline=None)
"""A machine that is busy may take its time."""

STAMPS = st.integers(0, (1 << 31) * 1_000_000_000 - 1)
NUMBERS = st.floats(-1e6, 1e6)
SINGLES = st.floats(0.0, 100.0, width=32)
POSES = st.builds(Pose2D, NUMBERS, NUMBERS, st.floats(-math.pi, math.pi))
TWISTS = st.builds(Twist2D, NUMBERS, NUMBERS)
LABELS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=20)
BOXES = st.builds(Detection, LABELS, st.floats(0, 1), NUMBERS, NUMBERS, NUMBERS, NUMBERS)


def over_the_wire(message):
    """Return the message as another process would get it."""
    return deserialize_message(serialize_message(message), type(message))


def assert_near(pose, other):
    assert (pose.x, pose.y) == (other.x, other.y)
    assert math.isclose(math.remainder(pose.yaw - other.yaw, math.tau), 0.0, abs_tol=1e-9)


@UNHURRIED
@given(STAMPS)
def test_stamps_come_back_whole(stamp):
    assert nanoseconds(over_the_wire(stamp_message(stamp))) == stamp


@UNHURRIED
@given(POSES, STAMPS)
def test_transforms(pose, stamp):
    message = over_the_wire(convert.transform_message(pose, "map", "odom", stamp))
    assert_near(layout.transform(message), pose)
    assert (message.header.frame_id, message.child_frame_id) == ("map", "odom")
    assert nanoseconds(message.header.stamp) == stamp


@UNHURRIED
@given(TWISTS, st.none() | STAMPS)
def test_velocities_with_and_without_a_stamp(twist, stamp):
    message = over_the_wire(convert.twist_message(twist, stamp))
    assert type(message).__name__ == ("Twist" if stamp is None else "TwistStamped")
    assert layout.twist(message) == twist


@UNHURRIED
@given(POSES, TWISTS, STAMPS)
def test_odometry(pose, twist, stamp):
    message = over_the_wire(convert.odometry_message(Odometry(stamp, 0, 0, pose, twist)))
    percept = layout.odometry(message, (nanoseconds(message.header.stamp), 7, 8))
    assert (percept.stamp, percept.arrival, percept.sequence, percept.twist) == (stamp, 7, 8, twist)
    assert_near(percept.pose, pose)


@UNHURRIED
@given(arrays(np.float32, st.integers(0, 50), elements=st.floats(width=32)), SINGLES, SINGLES, STAMPS)
def test_scans_whatever_their_ranges_hold(ranges, angle, limit, stamp):
    mount = Pose2D(-0.04, 0.0, math.pi / 2)
    scan = LaserScan(stamp, 0, 0, ranges, -angle, angle, 0.5, 0.25, limit, mount)
    message = over_the_wire(convert.laser_scan_message(scan, "rplidar_link"))
    percept = layout.laser_scan(message, (stamp, 7, 8), mount)
    np.testing.assert_array_equal(percept.ranges, ranges)
    assert percept.ranges.dtype == np.float32
    numbers = (percept.angle_min, percept.angle_max, percept.angle_increment, percept.range_min, percept.range_max)
    assert numbers == (-angle, angle, 0.5, 0.25, limit)
    assert (percept.mount, message.header.frame_id) == (mount, "rplidar_link")


@UNHURRIED
@given(SINGLES, STAMPS)
def test_batteries(charge, stamp):
    message = over_the_wire(convert.sensor_message(SENSOR.ros, Battery(stamp, 0, 0, charge), BatteryState))
    assert SENSOR.ros.reading(message, (1, 2, 3)) == Battery(1, 2, 3, charge)


@UNHURRIED
@given(st.frozensets(LABELS, max_size=5))
def test_bumpers(pressed):
    hazards = pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")
    message = convert.hazards_message(Bumpers(5, 6, 7, pressed))
    message.detections.append(hazards.HazardDetection(type=hazards.HazardDetection.CLIFF))
    assert layout.bumpers(over_the_wire(message), (5, 6, 7)) == Bumpers(5, 6, 7, pressed)


@UNHURRIED
@given(st.lists(BOXES, max_size=4), STAMPS)
def test_detections(boxes, stamp):
    vision = pytest.importorskip("vision_msgs.msg", reason="vision_msgs is not installed")
    percept = Detections(stamp, 6, 7, 320, 240, tuple(boxes), 325.5)
    header = Header(stamp=stamp_message(stamp), frame_id="camera")
    join = DETECTIONS.ros.joiner(TURTLEBOT4)
    for topic, kind in zip(DETECTIONS.ros.topics(TURTLEBOT4), (CameraInfo, vision.Detection2DArray), strict=True):
        message = over_the_wire(convert.sensor_message(topic, percept, kind, header))
        assert message.header == header
        found = join(topic.reading(message, (stamp, 6, 7)))
    assert all(one.header == header for one in message.detections)
    assert found == percept


def test_arrays_take_the_kind_of_their_field_and_lists_of_maps_are_messages():
    whole = np.arange(9)
    imu = over_the_wire(convert.fill(Imu(), {"orientation_covariance": whole}))
    assert list(imu.orientation_covariance) == list(range(9))
    joints = over_the_wire(convert.fill(JointState(), {"position": whole.astype(np.float32)}))
    assert list(joints.position) == list(range(9))
    links = over_the_wire(convert.fill(MultiDOFJointState(), {"transforms": [{"translation": {"x": 1.5}}]}))
    assert links.transforms[0].translation.x == 1.5
