"""Messages of a simulated TurtleBot4 that no node needs as percepts: pictures, optics, mounts, the truth."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Quaternion
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage
from std_msgs.msg import Header

from arena_trees.nodes.convert import odometry_message, transform_message
from arena_trees.nodes.timelines import stamp_message
from arena_trees.perception.image import Image
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Odometry
from arena_trees.simulation.lidar import LidarParameters
from arena_trees.world.pinhole import Pinhole
from arena_trees.simulation.robot import Truth

__all__ = ["LIDAR_FRAME", "OPTICAL_FRAME", "camera_info_message", "header", "image_message", "mounts", "truth_message"]

LIDAR_FRAME = "rplidar_link"

OPTICAL_FRAME = "oakd_rgb_camera_optical_frame"
"""Of images and of what is found in them: z into the picture, x rightwards, y downwards (REP-103)."""

_CAMERA_FRAME = "oakd_rgb_camera_frame"
_BASE_FRAME = "base_link"


def header(stamp: int, frame: str) -> Any:
    """Return a header with a stamp (ns)."""
    return Header(stamp=stamp_message(stamp), frame_id=frame)


def image_message(image: Image) -> Any:
    """Return a picture as a ``sensor_msgs/Image``."""
    message = ImageMessage(
        header=header(image.stamp, OPTICAL_FRAME),
        height=image.height,
        width=image.width,
        encoding=image.encoding,
        step=image.step,
    )
    # Not assigned: with its checks on, rclpy would look at each byte.
    message.data.frombytes(image.data)
    return message


def camera_info_message(pinhole: Pinhole, stamp: int) -> Any:
    """Return the optics of a camera without distortion as a ``sensor_msgs/CameraInfo``."""
    focal, x, y = pinhole.focal_length, pinhole.width / 2.0, pinhole.height / 2.0
    return CameraInfo(
        header=header(stamp, OPTICAL_FRAME),
        height=pinhole.height,
        width=pinhole.width,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def mounts(lidar: LidarParameters, pinhole: Pinhole) -> list[Any]:
    """Return the static transforms of LiDAR and camera; base_link is on the floor."""
    scanner = transform_message(Pose2D(lidar.mount_x, lidar.mount_y, lidar.mount_yaw), _BASE_FRAME, LIDAR_FRAME, 0)
    scanner.transform.translation.z = lidar.height
    camera = transform_message(Pose2D(pinhole.mount_x), _BASE_FRAME, _CAMERA_FRAME, 0)
    camera.transform.translation.z = pinhole.mount_z
    optics = transform_message(Pose2D(), _CAMERA_FRAME, OPTICAL_FRAME, 0)
    optics.transform.rotation = Quaternion(x=-0.5, y=0.5, z=-0.5, w=0.5)
    return [scanner, camera, optics]


def truth_message(truth: Truth, now: int) -> Any:
    """Return what is true of a robot as a ``nav_msgs/Odometry`` in the map frame."""
    return odometry_message(Odometry(now, now, 0, truth.pose, truth.twist), frame="map")
