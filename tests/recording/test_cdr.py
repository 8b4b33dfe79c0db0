"""Messages in CDR: byte for byte what rosbags serialises, and yaws that come back to the last bit."""

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import foreign_bags as ros
from helpers.foreign_bags import message, serialise
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.decoding import decoded
from arena_trees.recording.bags.reader import read_bag
from arena_trees.recording.bags.robot_writer import RobotBagWriter
from arena_trees.recording.bags.serialising import serialised
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.scan import LaserScan
from arena_trees.sensors.battery.sensor import SENSOR, Battery
from arena_trees.sensors.detections.sensor import SENSOR as DETECTIONS
from arena_trees.world.body import TURTLEBOT4

STAMP = 1_234_567_890_123_456_789
FRAMES = ["", "a", "ab", "abc", "abcd", "wolf/base_link"]
POSE, TWIST = Pose2D(1.5, -2.25, 0.3), Twist2D(0.1, -0.5)


def pose(place: Pose2D) -> Any:
    z, w = cdr.half_turn(place.yaw)
    value = ros.pose(place.x, place.y, place.yaw)
    value.orientation.z, value.orientation.w = z, w
    return value


@pytest.mark.parametrize("frame", FRAMES)
def test_stamped_messages(frame: str) -> None:
    twist = message(
        "geometry_msgs/msg/TwistStamped",
        header=ros.header(STAMP, frame),
        twist=ros.twist(TWIST.linear, TWIST.angular),
    )
    assert cdr.TwistStamped(frame).encode(STAMP, TWIST) == serialise(twist)
    stamped = message("geometry_msgs/msg/PoseStamped", header=ros.header(STAMP, frame), pose=pose(POSE))
    assert cdr.PoseStamped(frame).encode(STAMP, POSE) == serialise(stamped)
    assert cdr.string(frame) == serialise(message("std_msgs/msg/String", data=frame))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("child", FRAMES[1:])
def test_messages_with_two_frames(frame: str, child: str) -> None:
    value = ros.odometry(STAMP, POSE.x, POSE.y, POSE.yaw, frame, child)
    value.pose.pose = pose(POSE)
    value.twist.twist = ros.twist(TWIST.linear, TWIST.angular)
    assert cdr.Odometry(frame, child).encode(STAMP, POSE, TWIST) == serialise(value)
    moved = ros.transform(STAMP, frame, child, POSE.x, POSE.y, POSE.yaw)
    moved.transforms[0].transform.rotation = pose(POSE).orientation
    assert cdr.Transform(frame, child).encode(STAMP, POSE) == serialise(moved)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", range(4))
def test_lists(frame: str, count: int) -> None:
    boxes = [Detection("x" + "yz" * number, 0.5, 10.0 + number, 20.0, 30.0, 40.0) for number in range(count)]
    found = ros.detections(STAMP, *((box.label, box.x, box.y, box.width, box.height) for box in boxes))
    found.header.frame_id = frame
    for detection in found.detections:
        detection.header.frame_id = frame
        detection.results[0].hypothesis.score = 0.5
        detection.results[0].pose.pose.orientation.w = 0.0
    seen = Detections(STAMP, STAMP, 1, 250, 250, tuple(boxes))
    _, array = DETECTIONS.ros.topics(TURTLEBOT4)
    assert serialised(array.type, STAMP, frame, array.fields(seen)) == serialise(found)
    zones = ["bump_front_left", "bump_left", "b"][:count]
    hazards = [
        message("irobot_create_msgs/msg/HazardDetection", header=ros.header(STAMP, zone), type=1) for zone in zones
    ]
    value = message("irobot_create_msgs/msg/HazardDetectionVector", header=ros.header(STAMP, frame), detections=hazards)
    assert cdr.Hazards(frame).encode(STAMP, zones) == serialise(value)


@pytest.mark.parametrize("frame", FRAMES)
def test_scans(frame: str) -> None:
    ranges = np.array([1.0, 2.0, np.inf, 0.25], dtype=np.float32)
    value = ros.scan(STAMP, ranges, frame)
    laser = LaserScan(
        STAMP, STAMP, 1, ranges, value.angle_min, value.angle_max, value.angle_increment, value.range_min,
        value.range_max,
    )  # fmt: skip
    assert cdr.Scan(frame).encode(laser, scan_time=0.1) == serialise(value)


@pytest.mark.parametrize("frame", FRAMES)
def test_batteries(frame: str) -> None:
    unknown = dict.fromkeys(
        ("voltage", "temperature", "current", "charge", "capacity", "design_capacity"), float("nan")
    )  # fmt: skip
    value = message(
        "sensor_msgs/msg/BatteryState",
        header=ros.header(STAMP, frame),
        **unknown,
        percentage=0.75,
        power_supply_status=0,
        power_supply_health=0,
        power_supply_technology=0,
        present=True,
        cell_voltage=np.zeros(0, np.float32),
        cell_temperature=np.zeros(0, np.float32),
        location="",
        serial_number="",
    )
    fields = SENSOR.ros.fields(Battery(STAMP, STAMP, 1, 0.75))
    assert serialised("sensor_msgs/msg/BatteryState", STAMP, frame, fields) == serialise(value)
    with pytest.raises(ValueError, match="has no field colour"):
        serialised("sensor_msgs/msg/BatteryState", STAMP, frame, {"colour": 1.0})


def test_another_stamp() -> None:
    twist = cdr.TwistStamped("map")
    assert cdr.stamped(twist.encode(7, TWIST), STAMP) == twist.encode(STAMP, TWIST)


@given(st.floats(-math.pi, math.pi).filter(lambda yaw: yaw == 0.0 or abs(yaw) >= 2.0 * sys.float_info.min))
def test_a_yaw_comes_back_to_the_last_bit(yaw: float) -> None:
    z, w = cdr.half_turn(yaw)
    assert math.hypot(z, w) == pytest.approx(1.0, abs=3e-5)
    assert 2.0 * math.atan2(z, w) == pytest.approx(yaw, rel=3e-16, abs=0.0)


def test_nearly_every_yaw_comes_back_whole() -> None:
    yaws = np.random.default_rng(5).uniform(-math.pi, math.pi, 5000).tolist()
    wrong = [yaw for yaw in yaws if 2.0 * math.atan2(*cdr.half_turn(yaw)) != yaw]
    assert not wrong


def test_markers_and_pictures_are_what_rosbags_reads(recorded: Path) -> None:
    """What is written once, by hand: rosbags serialises what it read to the same bytes."""
    kinds = {"visualization_msgs/msg/MarkerArray", "sensor_msgs/msg/CameraInfo", "sensor_msgs/msg/BatteryState"}
    seen = set()
    for raw in read_bag(recorded, kinds).messages():
        seen.add(raw.topic.type)
        assert serialise(decoded(raw)) == raw.data
    assert seen == kinds


def test_a_picture() -> None:
    written: list[bytes] = []
    picture = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    writer = RobotBagWriter("wolf", 1, lambda *message: written.append(message[-1]))
    writer.image(STAMP, picture)
    value = ros.image(STAMP, picture[..., ::-1])
    value.header.frame_id, value.encoding = "wolf/oakd_rgb_camera_optical_frame", "rgb8"
    assert written == [serialise(value)]
