"""Messages of a bag as percepts: every value is checked, because anybody may have written the bag."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.ranges import restored
from arena_trees.recording.bags.reader import RawMessage
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.json_text import JsonError, JsonLimits
from arena_trees.robot.messaging.message_text import message_from_text
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers, Odometry, PoseEstimate
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.layout import Times
from arena_trees.robot.ros_messages.quaternions import exact_yaw
from arena_trees.robot.scan import LaserScan, Scan
from arena_trees.robot.sensor import RefusedReadingError, RosTopic, Sensor
from arena_trees.robot.stamped import Stamped

__all__ = [
    "bumpers",
    "checked",
    "decoded",
    "frame_of",
    "laser_scan",
    "message",
    "odometry",
    "pose_estimate",
    "reading",
    "stamp_of",
    "text",
    "transform",
    "twist",
]

_FARTHEST = 1e6
"""Metres; what is farther away is a broken number."""

_FASTEST = 100.0
_ROUNDED = 1e-6
_MOST_ZONES = 100
_LONGEST_NAME = 200
_MESSAGE_LIMITS = JsonLimits(bytes=1 << 22, values=1 << 20)
"""In the arena, messages may be longer than on ROS."""


def decoded(raw: RawMessage) -> Any:
    """Return a message as rosbags decodes it.

    Raises:
        MalformedError: its bytes are no message of its type
    """
    try:
        return typestore().deserialize_cdr(raw.data, raw.topic.type)
    except Exception as error:
        # rosbags lets struct, Unicode, index, assertion and memory errors of broken bytes through.
        raise MalformedError("malformed") from error


def stamp_of(header: Any) -> int:
    """Return a header's stamp, ns.

    Raises:
        MalformedError: it is none
    """
    if header.stamp.sec < 0 or header.stamp.nanosec >= SECOND:
        raise MalformedError("stamp out of range")
    return layout.nanoseconds(header.stamp)


def frame_of(name: str) -> str:
    """Return a frame's name without a leading slash."""
    return name[:_LONGEST_NAME].lstrip("/")


def transform(value: Any) -> Pose2D:
    """Return the planar pose in a ``TransformStamped``.

    Raises:
        MalformedError: it is not finite, or far from anywhere
    """
    return _checked_pose(layout.transform(value, exact_yaw))


def twist(value: Any) -> Twist2D:
    """Return the velocity of a ``Twist`` or a ``TwistStamped``.

    Raises:
        MalformedError: it is not finite, or absurdly fast
    """
    return _checked_twist(layout.twist(value))


def laser_scan(value: Any, times: Times, mount: Pose2D) -> LaserScan:
    """Return a scan of a sensor that is mounted there in base_link; ranges that were shortened are restored.

    Raises:
        MalformedError: it contradicts itself
    """
    scan = _restored(layout.laser_scan(value, times, mount))
    try:
        Scan.checked(scan, None)
    except RefusedReadingError as error:
        raise MalformedError("malformed") from error
    return scan


def _restored(scan: LaserScan) -> LaserScan:
    with np.errstate(invalid="ignore"):
        # Adding nothing makes quiet NaNs of those that would warn whenever they are looked at.
        ranges = restored(scan.ranges + np.float32(0.0))
    ranges.flags.writeable = False
    return replace(scan, ranges=ranges)


def odometry(value: Any, times: Times) -> Odometry:
    """Return odometry.

    Raises:
        MalformedError: it is not finite, or absurd
    """
    percept = layout.odometry(value, times, exact_yaw)
    _checked_pose(percept.pose)
    _checked_twist(percept.twist)
    return percept


def pose_estimate(value: Any, times: Times) -> PoseEstimate:
    """Return the pose of a ``PoseStamped`` or a ``PoseWithCovarianceStamped``.

    Raises:
        MalformedError: it is not finite, or absurd
    """
    return PoseEstimate(*times, _checked_pose(layout.pose(value, exact_yaw)))


def bumpers(value: Any, times: Times) -> Bumpers:
    """Return the pressed zones.

    Raises:
        MalformedError: there are absurdly many
    """
    percept = layout.bumpers(value, times)
    _check(len(percept.pressed) <= _MOST_ZONES and all(len(zone) <= _LONGEST_NAME for zone in percept.pressed))
    return percept


def reading(value: Any, arrival: int, sequence: int, topic: RosTopic, mount: Pose2D | None = None) -> Stamped:
    """Return the reading in a message on a topic of a sensor.

    Args:
        value: the message
        arrival: when it arrived, ns
        sequence: its number
        topic: of the sensor
        mount: where its frame is in base_link, of a topic that needs it

    Raises:
        MalformedError: it holds no reading
    """
    try:
        stamp = stamp_of(value.header) if topic.stamp is None else topic.stamp(value)
        times = stamp, arrival, sequence
        found: Stamped = topic.reading(value, times, mount) if topic.mounted else topic.reading(value, times)
        if isinstance(found, LaserScan):
            found = _restored(found)
    except RefusedReadingError as error:
        raise MalformedError(str(error)) from error
    return found


def checked(sensor: Sensor, reading: Stamped) -> Stamped:
    """Return a reading that its sensor's own check takes.

    Raises:
        MalformedError: it refuses it
    """
    try:
        sensor.checked(reading)
    except RefusedReadingError as error:
        raise MalformedError(str(error)) from error
    return reading


def text(value: Any) -> str:
    """Return the text of a ``std_msgs/String``."""
    return str(value.data)


def message(value: str) -> Message:
    """Return the message between robots that a text holds.

    Raises:
        MalformedError: it holds none
    """
    try:
        return message_from_text(value, _MESSAGE_LIMITS)
    except JsonError as error:
        raise MalformedError("malformed") from error


def _checked_pose(pose: Pose2D) -> Pose2D:
    if math.isnan(pose.yaw):
        raise MalformedError("no rotation")
    _check(abs(pose.x) <= _FARTHEST and abs(pose.y) <= _FARTHEST)
    return pose


def _checked_twist(velocity: Twist2D) -> Twist2D:
    _check(abs(velocity.linear) <= _FASTEST and abs(velocity.angular) <= _FASTEST)
    return velocity


def _check(in_range: bool) -> None:
    if not in_range:
        raise MalformedError("out of range")
