"""Messages of a bag as percepts: every value is checked, for whoever wrote the bag."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from arena_trees.recording.message_types import typestore
from arena_trees.recording.ranges import restored
from arena_trees.recording.raw_message import RawMessage
from arena_trees.recording.tick_decoder import MalformedError, parse_json
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.lane import LaneLines
from arena_trees.robot.lane_text import LaneTextError, lane_from_text
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import Battery, Bumpers, Odometry, PoseEstimate, Sighting, Sightings
from arena_trees.robot.scan import LaserScan, Scan

__all__ = [
    "Times",
    "battery",
    "bumpers",
    "decoded",
    "frame_of",
    "image_size",
    "lane",
    "laser_scan",
    "message",
    "odometry",
    "planar",
    "pose_estimate",
    "sightings",
    "stamp_of",
    "text",
    "twist",
    "yaw_of",
]

_BUMP = 1
_FARTHEST = 1e6
"""Metres; what is farther away is a broken number."""

_FASTEST = 100.0
_MOST_BOXES = 1000
_MOST_ZONES = 100
_LONGEST_NAME = 200
_LARGEST_IMAGE = 65_536
_MESSAGE_KEYS = frozenset(Message.__dataclass_fields__)
_UPRIGHT = math.cos(math.radians(10.0))
_UNIT = 0.05
"""How far a quaternion's length may be from 1."""


class Times(NamedTuple):
    """Stamp and arrival (ns) and sequence number of a percept."""

    stamp: int
    arrival: int
    sequence: int


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
    return int(header.stamp.sec) * SECOND + int(header.stamp.nanosec)


def frame_of(name: str) -> str:
    """Return a frame's name without a leading slash."""
    return name[:_LONGEST_NAME].lstrip("/")


def yaw_of(quaternion: Any) -> float:
    """Return the yaw (rad) of a quaternion.

    Raises:
        MalformedError: it is none of unit length
    """
    x, y, z, w = quaternion.x, quaternion.y, quaternion.z, quaternion.w
    if not abs(math.sqrt(x * x + y * y + z * z + w * w) - 1.0) <= _UNIT:
        raise MalformedError("no rotation")
    if x == 0.0 == y:
        # To the last bit what was recorded; see cdr.half_turn.
        return wrap(2.0 * math.atan2(z, w))
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def planar(position: Any, orientation: Any) -> Pose2D:
    """Return the planar part of a pose.

    Raises:
        MalformedError: it is not finite, or far from anywhere
    """
    pose = Pose2D(float(position.x), float(position.y), yaw_of(orientation))
    if not (abs(pose.x) <= _FARTHEST and abs(pose.y) <= _FARTHEST):
        raise MalformedError("out of range")
    return pose


def is_upright(quaternion: Any) -> bool:
    """Return whether a rotation leaves z within 10 degrees of up."""
    return bool(1.0 - 2.0 * (quaternion.x**2 + quaternion.y**2) >= _UPRIGHT)


def twist(value: Any) -> Twist2D:
    """Return the velocity of a ``Twist`` or a ``TwistStamped``.

    Raises:
        MalformedError: it is not finite, or absurdly fast
    """
    inner = getattr(value, "twist", value)
    velocity = Twist2D(float(inner.linear.x), float(inner.angular.z))
    if not (abs(velocity.linear) <= _FASTEST and abs(velocity.angular) <= _FASTEST):
        raise MalformedError("out of range")
    return velocity


def laser_scan(value: Any, times: Times, mount: Pose2D) -> LaserScan:
    """Return a scan of a sensor that is mounted there in base_link; ranges that were shortened are restored.

    Raises:
        MalformedError: it contradicts itself
    """
    with np.errstate(invalid="ignore"):
        # Adding nothing makes quiet NaNs of those that would warn whenever they are looked at.
        ranges = np.asarray(value.ranges, dtype=np.float32) + np.float32(0.0)
    ranges = restored(ranges)
    ranges.flags.writeable = False
    scan = LaserScan(
        *times,
        ranges=ranges,
        angle_min=float(value.angle_min),
        angle_max=float(value.angle_max),
        angle_increment=float(value.angle_increment),
        range_min=float(value.range_min),
        range_max=float(value.range_max),
        mount=mount,
    )
    try:
        Scan.from_laser(scan)
    except (ScanError, ValueError) as error:
        raise MalformedError("malformed") from error
    return scan


def odometry(value: Any, times: Times) -> Odometry:
    """Return odometry.

    Raises:
        MalformedError: it is not finite, or absurd
    """
    pose = value.pose.pose
    return Odometry(*times, planar(pose.position, pose.orientation), twist(value.twist))


def pose_estimate(value: Any, times: Times) -> PoseEstimate:
    """Return the pose of a ``PoseStamped`` or a ``PoseWithCovarianceStamped``.

    Raises:
        MalformedError: it is not finite, or absurd
    """
    pose = getattr(value.pose, "pose", value.pose)
    return PoseEstimate(*times, planar(pose.position, pose.orientation))


def sightings(value: Any, times: Times, size: tuple[int, int]) -> Sightings:
    """Return the boxes found in an image of that width and height (px); of several guesses the best.

    Raises:
        MalformedError: a box is not finite, or there are absurdly many
    """
    if len(value.detections) > _MOST_BOXES:
        raise MalformedError("out of range")
    boxes = []
    for detection in value.detections:
        if not detection.results:
            continue
        best = max((result.hypothesis for result in detection.results), key=lambda guess: guess.score)
        place = detection.bbox.center.position
        numbers = (best.score, place.x, place.y, detection.bbox.size_x, detection.bbox.size_y)
        if not all(abs(number) <= _FARTHEST for number in numbers):
            raise MalformedError("out of range")
        boxes.append(Sighting(best.class_id[:_LONGEST_NAME], *map(float, numbers)))
    return Sightings(*times, *size, tuple(boxes))


def image_size(value: Any) -> tuple[int, int]:
    """Return width and height (px) of a ``CameraInfo``.

    Raises:
        MalformedError: they are absurd
    """
    size = (int(value.width), int(value.height))
    if not all(0 < side <= _LARGEST_IMAGE for side in size):
        raise MalformedError("out of range")
    return size


def bumpers(value: Any, times: Times) -> Bumpers:
    """Return the pressed zones.

    Raises:
        MalformedError: there are absurdly many
    """
    zones = [hazard.header.frame_id for hazard in value.detections if hazard.type == _BUMP]
    if len(zones) > _MOST_ZONES or any(len(zone) > _LONGEST_NAME for zone in zones):
        raise MalformedError("out of range")
    return Bumpers(*times, frozenset(zones))


def battery(value: Any, times: Times) -> Battery:
    """Return the charge.

    Raises:
        MalformedError: it is not within 0 to 1
    """
    charge = float(value.percentage)
    if not 0.0 <= charge <= 1.0:
        raise MalformedError("out of range")
    return Battery(*times, charge)


def lane(value: Any, arrival: int, sequence: int) -> LaneLines:
    """Return the lines of a lane in a ``std_msgs/String`` that arrived at an instant (ns).

    Raises:
        MalformedError: the text tells of none
    """
    try:
        seen = lane_from_text(str(value.data), sequence)
    except LaneTextError as error:
        raise MalformedError("no lane") from error
    return replace(seen, arrival=arrival)


def text(value: Any) -> str:
    """Return the text of a ``std_msgs/String``."""
    return str(value.data)


def message(value: str) -> Message:
    """Return the message between robots that a text holds.

    Raises:
        MalformedError: it holds none
    """
    values = parse_json(value)
    if values.keys() != _MESSAGE_KEYS:
        raise MalformedError("malformed")
    names = (values["topic"], values["sender"])
    numbers = (values["epoch"], values["sequence"], values["stamp"])
    if not (
        all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in names)
        and all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)
        and isinstance(values["payload"], dict)
    ):
        raise MalformedError("malformed")
    return Message(**values)
