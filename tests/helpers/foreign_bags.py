"""Bags as other software makes them, by rosbags' own writer."""

import math
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from arena_trees.recording.bags.message_types import typestore

DATA = Path(os.environ.get("ARENA_TREES_DATA", Path(__file__).resolve().parents[2] / ".." / "shared" / "data")) / "bags"
"""Recordings of real robots and of rosbag2's own, where there are any."""
SECOND = 1_000_000_000
EPOCH = 1_700_000_000 * SECOND


def message(name: str, /, **fields: Any) -> Any:
    """Return a message; every field of its definition must be given."""
    return typestore().types[name](**fields)


def serialise(value: Any) -> bytes:
    """Return a message in little-endian CDR, as it goes over the wire."""
    return bytes(typestore().serialize_cdr(value, value.__msgtype__, little_endian=True))


def time(instant: int) -> Any:
    return message("builtin_interfaces/msg/Time", sec=instant // SECOND, nanosec=instant % SECOND)


def header(stamp: int, frame: str) -> Any:
    return message("std_msgs/msg/Header", stamp=time(stamp), frame_id=frame)


def vector(x: float, y: float = 0.0, z: float = 0.0) -> Any:
    return message("geometry_msgs/msg/Vector3", x=x, y=y, z=z)


def twist(linear: float, angular: float) -> Any:
    return message("geometry_msgs/msg/Twist", linear=vector(linear), angular=vector(0.0, 0.0, angular))


def rotation(yaw: float) -> Any:
    return message("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def pose(x: float, y: float, yaw: float) -> Any:
    point = message("geometry_msgs/msg/Point", x=x, y=y, z=0.0)
    return message("geometry_msgs/msg/Pose", position=point, orientation=rotation(yaw))


def scan(stamp: int, ranges: np.ndarray, frame: str = "laser") -> Any:
    count = len(ranges)
    return message(
        "sensor_msgs/msg/LaserScan",
        header=header(stamp, frame),
        angle_min=-math.pi,
        angle_max=math.pi,
        angle_increment=2 * math.pi / (count - 1),
        time_increment=0.0,
        scan_time=0.1,
        range_min=0.1,
        range_max=5.0,
        ranges=ranges.astype(np.float32),
        intensities=np.zeros(0, np.float32),
    )


def odometry(stamp: int, x: float, y: float, yaw: float, frame: str = "odom", child: str = "base_link") -> Any:
    return message(
        "nav_msgs/msg/Odometry",
        header=header(stamp, frame),
        child_frame_id=child,
        pose=message("geometry_msgs/msg/PoseWithCovariance", pose=pose(x, y, yaw), covariance=np.zeros(36)),
        twist=message("geometry_msgs/msg/TwistWithCovariance", twist=twist(0.1, 0.0), covariance=np.zeros(36)),
    )


def transform(stamp: int, parent: str, child: str, x: float, y: float, yaw: float) -> Any:
    return message(
        "tf2_msgs/msg/TFMessage",
        transforms=[
            message(
                "geometry_msgs/msg/TransformStamped",
                header=header(stamp, parent),
                child_frame_id=child,
                transform=message("geometry_msgs/msg/Transform", translation=vector(x, y), rotation=rotation(yaw)),
            )
        ],
    )


def image(stamp: int, pixels: np.ndarray) -> Any:
    height, width = pixels.shape[:2]
    return message(
        "sensor_msgs/msg/Image",
        header=header(stamp, "camera"),
        height=height,
        width=width,
        encoding="bgr8",
        is_bigendian=0,
        step=3 * width,
        data=np.ascontiguousarray(pixels[..., ::-1]).reshape(-1),
    )


def detections(stamp: int, *boxes: tuple[str, float, float, float, float]) -> Any:
    nowhere = message("geometry_msgs/msg/PoseWithCovariance", pose=pose(0.0, 0.0, 0.0), covariance=np.zeros(36))
    found = [
        message(
            "vision_msgs/msg/Detection2D",
            header=header(stamp, "camera"),
            results=[
                message(
                    "vision_msgs/msg/ObjectHypothesisWithPose",
                    hypothesis=message("vision_msgs/msg/ObjectHypothesis", class_id=label, score=0.9),
                    pose=nowhere,
                )
            ],
            bbox=message(
                "vision_msgs/msg/BoundingBox2D",
                center=message(
                    "vision_msgs/msg/Pose2D", position=message("vision_msgs/msg/Point2D", x=x, y=y), theta=0.0
                ),
                size_x=width,
                size_y=height,
            ),
            id="",
        )
        for label, x, y, width, height in boxes
    ]
    return message("vision_msgs/msg/Detection2DArray", header=header(stamp, "camera"), detections=found)


Written = tuple[str, int, Any]
"""Topic, instant of recording (ns), message."""


def write_bag(
    path: Path, messages: list[Written], storage: str = "mcap", compression: str = "none", version: Literal[8, 9] = 9
) -> Path:
    """Write a bag in the order given, and return its path."""
    plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
    writer = Writer(path, version=version, storage_plugin=plugin)
    writer.set_compression(CompressionMode[compression.upper()], CompressionFormat.ZSTD)
    with writer:
        connections = {}
        for topic, instant, value in messages:
            key = (topic, value.__msgtype__)
            if key not in connections:
                connections[key] = writer.add_connection(*key, typestore=typestore())
            writer.write(connections[key], instant, serialise(value))
    return path


def drive(seconds: float = 5.0, namespace: str = "", clock: int = EPOCH, stamps: int | None = None) -> list[Written]:
    """Return what a robot publishes that drives straight on in a corridor, 1 m from either wall.

    Args:
        seconds: how long
        namespace: of its topics
        clock: instant of the first message, ns
        stamps: the same by the clock of its headers; the same clock where not given
    """
    bearings = np.linspace(-math.pi, math.pi, 361)
    with np.errstate(divide="ignore"):
        ranges = np.minimum(1.0 / np.abs(np.sin(bearings)), 6.0)
    ranges[ranges >= 5.0] = np.inf
    ahead = (clock if stamps is None else stamps) - clock
    written: list[Written] = [
        (f"{namespace}/tf_static", clock, transform(clock + ahead, "base_link", "laser", -0.1, 0.0, 0.0))
    ]
    for tick in range(int(seconds * 50)):
        now = clock + tick * SECOND // 50
        if tick % 5 == 0:
            written.append((f"{namespace}/odom", now, odometry(now + ahead, 0.02 * tick, 0.0, 0.0)))
        if tick % 7 == 0:
            # No two scans of a real LiDAR are alike.
            written.append((f"{namespace}/scan", now, scan(now + ahead, ranges + 0.0005 * (tick % 2))))
    return written
