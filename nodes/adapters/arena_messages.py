"""Makes the ROS messages of a simulated TurtleBot 4 that are no percepts: images, optics, mounts, the truth."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Point, PointStamped, Quaternion
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage
from std_msgs.msg import Header

from arena_trees.nodes.adapters.convert import fill, odometry_message, transform_message
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.perception.image import Image
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.ros_messages.layout import BASE_FRAME, LIDAR_FRAME, MAP_FRAME, OPTICAL_FRAME, TURRET_FRAMES
from arena_trees.robot.ros_messages.quaternions import turn
from arena_trees.sensors.ranges.sensor import range_frame
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.world.body import Body
from arena_trees.world.camera_pose import CameraMount, CameraPose
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.spheres import PlacedSphere

__all__ = [
    "ball_message",
    "camera_info_message",
    "header",
    "image_message",
    "mounts",
    "truth_message",
    "turret_transforms",
]

_CAMERA_FRAME, _BARREL_FRAME = "oakd_rgb_camera_frame", "barrel_link"


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


def ball_message(camera: CameraPose, ball: PlacedSphere, stamp: int) -> Any:
    """Return where the centre of a ball is in a camera's optical frame as a ``geometry_msgs/PointStamped``."""
    ahead, left, up = camera.place((ball.x, ball.y, ball.z))
    return PointStamped(header=header(stamp, OPTICAL_FRAME), point=Point(x=-left, y=-up, z=ahead))


def camera_info_message(pinhole: Pinhole, stamp: int) -> Any:
    """Return the optics of a camera without distortion as a ``sensor_msgs/CameraInfo``."""
    fields = layout.camera_info_fields(pinhole.width, pinhole.height, pinhole.focal_length)
    return fill(CameraInfo(header=header(stamp, OPTICAL_FRAME)), fields)


def mounts(sensors: SensorParameters, body: Body, pinhole: Pinhole) -> list[Any]:
    """Return the static transforms of camera, barrel, LiDAR and range sensors; base_link is on the floor.

    Camera and barrel of a body with a turret are fixed to what its pitch joint turns.
    """
    lidar, height = sensors.lidar, sensors.ranges.height
    found = [_mounted(mount.pose, height, range_frame(mount.name)) for mount in body.ranges]
    if body.lidar:
        place = Pose2D(lidar.mount_x, lidar.mount_y, lidar.mount_yaw)
        found.append(_mounted(place, lidar.height, LIDAR_FRAME))
    mount = CameraMount.on(body, pinhole.mount_x, pinhole.mount_z)
    parent, pivot = (BASE_FRAME, 0.0) if mount.pivot is None else (TURRET_FRAMES[1], mount.pivot)
    if body.barrel is not None:
        found.append(_mounted(Pose2D(body.barrel.x), body.barrel.height - pivot, _BARREL_FRAME, parent))
    camera = _mounted(Pose2D(mount.x), mount.z - pivot, _CAMERA_FRAME, parent)
    optics = transform_message(Pose2D(), _CAMERA_FRAME, OPTICAL_FRAME, 0)
    optics.transform.rotation = Quaternion(x=-0.5, y=0.5, z=-0.5, w=0.5)
    return [*found, camera, optics]


def turret_transforms(state: TurretState, body: Body, pinhole: Pinhole) -> list[Any]:
    """Return where a turret's joints have turned what they carry, as robot_state_publisher would."""
    mount = CameraMount.on(body, pinhole.mount_x, pinhole.mount_z)
    yaw, pitch = (
        transform_message(Pose2D(yaw=angle), parent, child, state.stamp)
        for angle, parent, child in zip((state.yaw, 0.0), (BASE_FRAME, TURRET_FRAMES[0]), TURRET_FRAMES, strict=True)
    )
    yaw.transform.translation.z = 0.0 if mount.pivot is None else mount.pivot
    # Upwards is a negative turn about y.
    y, w = turn(-state.pitch)
    pitch.transform.rotation = Quaternion(x=0.0, y=y, z=0.0, w=w)
    return [yaw, pitch]


def _mounted(place: Pose2D, height: float, frame: str, parent: str = BASE_FRAME) -> Any:
    link = transform_message(place, parent, frame, 0)
    link.transform.translation.z = height
    return link


def truth_message(truth: RobotTruth, now: int) -> Any:
    """Return what is true of a robot as a ``nav_msgs/Odometry`` in the map frame."""
    return odometry_message(Odometry(now, now, 0, truth.pose, truth.twist), frame=MAP_FRAME)
