"""Which part of a ROS message is which part of a percept: each message is read and laid out here alone.

A message that is read may be of rclpy or of rosbags, whose attributes have the same names. It may hold anything:
nothing is refused here, and a quaternion that is no rotation gives a yaw of NaN. ``times`` is (stamp, arrival,
sequence) of the percept.

Functions that end in ``_fields`` give what a message holds behind its header, by the names of its fields and in
their order; a part of a message is a map itself. What they leave out has the message's defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry
from arena_trees.robot.ros_messages.quaternions import turn, yaw
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor import Times
from arena_trees.robot.turret import TurretRates

__all__ = [
    "BASE_FRAME",
    "BUMP",
    "CEILING_TOPIC",
    "CIRCLES_TRUTH_TOPIC",
    "LIDAR_FRAME",
    "MAP_FRAME",
    "ODOM_FRAME",
    "OPTICAL_FRAME",
    "SHOTS_RAW_TOPIC",
    "SHOTS_TOPIC",
    "TURRET_FRAMES",
    "TURRET_RATES_RAW_TOPIC",
    "TURRET_RATES_TOPIC",
    "Fields",
    "Times",
    "bumpers",
    "camera_info_fields",
    "hazards_fields",
    "header_fields",
    "laser_scan",
    "laser_scan_fields",
    "nanoseconds",
    "odometry",
    "odometry_fields",
    "pose",
    "pose_fields",
    "quaternion_fields",
    "transform",
    "transform_fields",
    "turret_rates",
    "turret_rates_fields",
    "twist",
    "twist_fields",
]

Fields = dict[str, Any]
Yaw = Callable[[Any], float]
"""Gives the yaw (rad) of a quaternion."""

Turn = Callable[[float], tuple[float, float]]
"""Gives z and w of the quaternion of a yaw (rad)."""

MAP_FRAME, ODOM_FRAME, BASE_FRAME, LIDAR_FRAME = "map", "odom", "base_link", "rplidar_link"

OPTICAL_FRAME = "oakd_rgb_camera_optical_frame"
"""Of images and of what is found in them: z into the picture, x rightwards, y downwards (REP-103)."""

TURRET_RATES_RAW_TOPIC, TURRET_RATES_TOPIC = "turret/cmd_vel_raw", "turret/cmd_vel"
"""What a tree asks of a turret, and what the velocity gate lets through."""

CEILING_TOPIC = "ceiling/pose"
"""Where cameras on the ceiling see the robot."""

SHOTS_RAW_TOPIC, SHOTS_TOPIC = "engage_raw", "engage"
"""What a tree fires, and what the velocity gate lets it."""

TURRET_FRAMES = ("turret_yaw_link", "turret_pitch_link")
"""What a turret's joints turn: the first in base_link about z, the second in the first about y (REP-103: a positive
turn about y lowers the nose). Camera and barrel are fixed to the second, which looks along its x."""

CIRCLES_TRUTH_TOPIC = "circles/ground_truth"
"""Where the ball truly was when an image was exposed, in the camera's optical frame."""

BUMP = 1
"""``irobot_create_msgs/HazardDetection.BUMP``."""


def nanoseconds(stamp: Any) -> int:
    """Return a ``builtin_interfaces/Time`` in nanoseconds."""
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def header_fields(stamp: int, frame: str) -> Fields:
    """Return a ``std_msgs/Header`` of an instant (ns, zero or more)."""
    seconds, rest = divmod(stamp, SECOND)
    return {"stamp": {"sec": seconds, "nanosec": rest}, "frame_id": frame}


def quaternion_fields(angle: float, turn: Turn = turn) -> Fields:
    """Return a yaw (rad) as a ``geometry_msgs/Quaternion``."""
    z, w = turn(angle)
    return {"x": 0.0, "y": 0.0, "z": z, "w": w}


def transform(message: Any, yaw: Yaw = yaw) -> Pose2D:
    """Return the planar pose in a ``geometry_msgs/TransformStamped``: that of the child in the frame."""
    place = message.transform.translation
    return Pose2D(place.x, place.y, yaw(message.transform.rotation))


def transform_fields(place: Pose2D, turn: Turn = turn) -> Fields:
    """Return a pose as a ``geometry_msgs/Transform``."""
    return {"translation": _vector(place.x, place.y), "rotation": quaternion_fields(place.yaw, turn)}


def pose(message: Any, yaw: Yaw = yaw) -> Pose2D:
    """Return the planar pose in a ``PoseStamped``, a ``PoseWithCovarianceStamped`` or an ``Odometry``."""
    inner = getattr(message.pose, "pose", message.pose)
    return Pose2D(inner.position.x, inner.position.y, yaw(inner.orientation))


def pose_fields(place: Pose2D, turn: Turn = turn) -> Fields:
    """Return a pose as a ``geometry_msgs/Pose``."""
    return {"position": _vector(place.x, place.y), "orientation": quaternion_fields(place.yaw, turn)}


def twist(message: Any) -> Twist2D:
    """Return the velocity in a ``Twist``, a ``TwistStamped`` or a ``TwistWithCovariance``."""
    inner = getattr(message, "twist", message)
    return Twist2D(inner.linear.x, inner.angular.z)


def twist_fields(velocity: Twist2D) -> Fields:
    """Return a velocity as a ``geometry_msgs/Twist``."""
    return {"linear": _vector(velocity.linear), "angular": _vector(z=velocity.angular)}


def odometry(message: Any, times: Times, yaw: Yaw = yaw) -> Odometry:
    """Return a ``nav_msgs/Odometry``."""
    return Odometry(*times, pose(message, yaw), twist(message.twist))


def odometry_fields(percept: Odometry, child: str, turn: Turn = turn) -> Fields:
    """Return odometry of a frame as a ``nav_msgs/Odometry``; covariances of zero mean that they are not known."""
    return {
        "child_frame_id": child,
        "pose": {"pose": pose_fields(percept.pose, turn)},
        "twist": {"twist": twist_fields(percept.twist)},
    }


def laser_scan(message: Any, times: Times, mount: Pose2D) -> LaserScan:
    """Return a ``sensor_msgs/LaserScan`` of a sensor that is mounted there in base_link; its ranges are not copied."""
    return LaserScan(
        *times,
        ranges=np.asarray(message.ranges, dtype=np.float32),
        angle_min=message.angle_min,
        angle_max=message.angle_max,
        angle_increment=message.angle_increment,
        range_min=message.range_min,
        range_max=message.range_max,
        mount=mount,
    )


def laser_scan_fields(scan: LaserScan, scan_time: float = 0.0) -> Fields:
    """Return a scan as a ``sensor_msgs/LaserScan`` without intensities.

    Args:
        scan: the scan
        scan_time: from scan to scan, s; 0 where it is not known
    """
    return {
        "angle_min": scan.angle_min,
        "angle_max": scan.angle_max,
        "angle_increment": scan.angle_increment,
        "time_increment": 0.0,
        "scan_time": scan_time,
        "range_min": scan.range_min,
        "range_max": scan.range_max,
        "ranges": scan.ranges,
    }


def bumpers(message: Any, times: Times) -> Bumpers:
    """Return the pressed zones in an ``irobot_create_msgs/HazardDetectionVector``."""
    pressed = (hazard.header.frame_id for hazard in message.detections if hazard.type == BUMP)
    return Bumpers(*times, frozenset(pressed))


def hazards_fields(percept: Bumpers) -> Fields:
    """Return bumpers as an ``irobot_create_msgs/HazardDetectionVector``."""
    zones = sorted(percept.pressed)
    return {"detections": [{"header": header_fields(percept.stamp, zone), "type": BUMP} for zone in zones]}


def turret_rates(message: Any) -> TurretRates:
    """Return the rates of a turret in a ``geometry_msgs/TwistStamped``, where a positive pitch lowers the nose."""
    angular = message.twist.angular
    return TurretRates(angular.z, -angular.y)


def turret_rates_fields(rates: TurretRates) -> Fields:
    """Return the rates of a turret as a ``geometry_msgs/Twist``, where a positive pitch lowers the nose [REP-103]."""
    return {"linear": _vector(), "angular": _vector(y=-rates.pitch, z=rates.yaw)}


def camera_info_fields(width: int, height: int, focal: float) -> Fields:
    """Return a ``sensor_msgs/CameraInfo`` of a camera without distortion.

    Args:
        width: of its image, px
        height: of its image, px
        focal: its focal length, px; 0 for an unknown one, which makes all the optics zeros
    """
    known = float(focal > 0.0)
    x, y = known * width / 2.0, known * height / 2.0
    return {
        "height": height,
        "width": width,
        "distortion_model": "plumb_bob",
        "d": [0.0] * 5,
        "k": [focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, known],
        "r": [known, 0.0, 0.0, 0.0, known, 0.0, 0.0, 0.0, known],
        "p": [focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, known, 0.0],
    }


def _vector(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Fields:
    # A whole number is refused by rclpy.
    return {"x": float(x), "y": float(y), "z": float(z)}
