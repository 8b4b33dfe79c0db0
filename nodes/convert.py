"""ROS messages to percepts and back. Pure: no node, no clock.

Functions named after a percept return the percept; those that end in ``_message`` return the message.
``times`` is (stamp, arrival, sequence) of the percept. Messages may hold anything: what is not finite
stays so, and is refused by the checks that every percept goes through.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from geometry_msgs.msg import Quaternion, TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import BatteryState
from sensor_msgs.msg import LaserScan as LaserScanMessage

from arena_trees.nodes.timelines import stamp_message
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Battery, Bumpers, Odometry, Sighting, Sightings
from arena_trees.robot.scan import LaserScan

__all__ = [
    "Times",
    "battery",
    "battery_message",
    "bumpers",
    "hazards_message",
    "laser_scan",
    "laser_scan_message",
    "odometry",
    "odometry_message",
    "pose",
    "quaternion_message",
    "sightings",
    "sightings_message",
    "transform_message",
    "twist",
    "twist_message",
    "yaw",
]

Times = tuple[int, int, int]

_BUMP = 1
"""``irobot_create_msgs/HazardDetection.BUMP``."""

_UNIT_TOLERANCE = 0.05
"""How far a quaternion's length may be from 1; an unset one has the length 0."""


def yaw(quaternion: Any) -> float:
    """Return the yaw (rad) of a quaternion message; NaN where it is not of unit length."""
    x, y, z, w = quaternion.x, quaternion.y, quaternion.z, quaternion.w
    if not abs(math.sqrt(x * x + y * y + z * z + w * w) - 1.0) <= _UNIT_TOLERANCE:
        return math.nan
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def quaternion_message(angle: float) -> Any:
    """Return a yaw (rad) as a quaternion message."""
    return Quaternion(z=math.sin(0.5 * angle), w=math.cos(0.5 * angle))


def pose(transform: Any) -> Pose2D:
    """Return the planar pose of a ``geometry_msgs/Transform``."""
    return Pose2D(transform.translation.x, transform.translation.y, yaw(transform.rotation))


def transform_message(place: Pose2D, parent: str, child: str, stamp: int) -> Any:
    """Return a ``geometry_msgs/TransformStamped``: the pose of ``child`` in ``parent`` at an instant (ns)."""
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp_message(stamp)
    message.transform.translation.x, message.transform.translation.y = place.x, place.y
    message.transform.rotation = quaternion_message(place.yaw)
    return message


def twist(message: Any) -> Twist2D:
    """Return the velocity in a ``Twist`` or a ``TwistStamped``."""
    inner = getattr(message, "twist", message)
    return Twist2D(inner.linear.x, inner.angular.z)


def twist_message(velocity: Twist2D, stamp: int | None, frame: str = "base_link") -> Any:
    """Return a velocity as a ``TwistStamped``, or as a ``Twist`` where there is no stamp (ns)."""
    inner = Twist()
    inner.linear.x, inner.angular.z = velocity.linear, velocity.angular
    if stamp is None:
        return inner
    message = TwistStamped(twist=inner)
    message.header.frame_id, message.header.stamp = frame, stamp_message(stamp)
    return message


def laser_scan(message: Any, times: Times, mount: Pose2D) -> LaserScan:
    """Return a ``sensor_msgs/LaserScan`` of a sensor that is mounted there in base_link."""
    return LaserScan(
        *times,
        ranges=np.frombuffer(message.ranges, dtype=np.float32) if len(message.ranges) else np.empty(0, np.float32),
        angle_min=message.angle_min,
        angle_max=message.angle_max,
        angle_increment=message.angle_increment,
        range_min=message.range_min,
        range_max=message.range_max,
        mount=mount,
    )


def laser_scan_message(scan: LaserScan, frame: str) -> Any:
    """Return a scan as a ``sensor_msgs/LaserScan`` in its sensor's frame."""
    message = LaserScanMessage(
        angle_min=scan.angle_min,
        angle_max=scan.angle_max,
        angle_increment=scan.angle_increment,
        range_min=scan.range_min,
        range_max=scan.range_max,
    )
    message.header.frame_id, message.header.stamp = frame, stamp_message(scan.stamp)
    message.ranges.frombytes(np.ascontiguousarray(scan.ranges, dtype=np.float32).tobytes())
    return message


def odometry(message: Any, times: Times) -> Odometry:
    """Return a ``nav_msgs/Odometry``."""
    place = message.pose.pose
    return Odometry(*times, Pose2D(place.position.x, place.position.y, yaw(place.orientation)), twist(message.twist))


def odometry_message(percept: Odometry, frame: str = "odom", child: str = "base_link") -> Any:
    """Return odometry as a ``nav_msgs/Odometry``."""
    message = OdometryMessage(child_frame_id=child)
    message.header.frame_id, message.header.stamp = frame, stamp_message(percept.stamp)
    place = message.pose.pose
    place.position.x, place.position.y = percept.pose.x, percept.pose.y
    place.orientation = quaternion_message(percept.pose.yaw)
    message.twist.twist = twist_message(percept.twist, None)
    return message


def battery(message: Any, times: Times) -> Battery:
    """Return the charge in a ``sensor_msgs/BatteryState``; NaN where it is not measured."""
    return Battery(*times, message.percentage)


def battery_message(percept: Battery) -> Any:
    """Return a charge as a ``sensor_msgs/BatteryState``."""
    message = BatteryState(percentage=percept.charge, present=True)
    message.header.stamp = stamp_message(percept.stamp)
    return message


def bumpers(message: Any, times: Times) -> Bumpers:
    """Return the pressed zones in an ``irobot_create_msgs/HazardDetectionVector``."""
    pressed = (hazard.header.frame_id for hazard in message.detections if hazard.type == _BUMP)
    return Bumpers(*times, frozenset(pressed))


def hazards_message(percept: Bumpers) -> Any:
    """Return bumpers as an ``irobot_create_msgs/HazardDetectionVector``; needs that package."""
    from irobot_create_msgs.msg import HazardDetection, HazardDetectionVector

    message = HazardDetectionVector()
    message.header.frame_id, message.header.stamp = "base_link", stamp_message(percept.stamp)
    for zone in sorted(percept.pressed):
        hazard = HazardDetection(type=_BUMP)
        hazard.header.frame_id, hazard.header.stamp = zone, message.header.stamp
        message.detections.append(hazard)
    return message


def sightings(message: Any, times: Times, width: int, height: int) -> Sightings:
    """Return a ``vision_msgs/Detection2DArray`` found in an image of that size (px).

    Of several hypotheses of one box the best counts; a box without any is left out.
    """
    boxes = []
    for detection in message.detections:
        if detection.results:
            best = max((result.hypothesis for result in detection.results), key=lambda guess: guess.score)
            box = detection.bbox
            place = box.center.position
            boxes.append(Sighting(best.class_id, best.score, place.x, place.y, box.size_x, box.size_y))
    return Sightings(*times, width, height, tuple(boxes))


def sightings_message(percept: Sightings, header: Any) -> Any:
    """Return sightings as a ``vision_msgs/Detection2DArray`` with the image's header; needs that package."""
    from vision_msgs.msg import BoundingBox2D, Detection2D, Detection2DArray, ObjectHypothesisWithPose

    message = Detection2DArray(header=header)
    for sighting in percept.boxes:
        box = BoundingBox2D(size_x=sighting.width, size_y=sighting.height)
        box.center.position.x, box.center.position.y = sighting.x, sighting.y
        guess = ObjectHypothesisWithPose()
        guess.hypothesis.class_id, guess.hypothesis.score = sighting.label, sighting.confidence
        message.detections.append(Detection2D(header=header, results=[guess], bbox=box))
    return message
