"""A robot at a crossing without physics: its camera, LiDAR and odometry on ROS, and a base that does as it is told."""

from __future__ import annotations

import array
import math
from typing import Any

import numpy as np
import shapely
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import Image as ImageMessage
from sensor_msgs.msg import LaserScan as LaserScanMessage
from tf2_msgs.msg import TFMessage

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import LaserScan
from helpers.road_pictures import Road
from helpers.robot_senses import LATCHED, LIDAR

_RAYS = 360
_OFTEN = 5


class RoadBody:
    """Publishes odometry as often as :meth:`live` is called, and a picture and a scan every fifth time.

    Args:
        bench: whose observer publishes
        road: where it stands
        robot: namespace
        place: of base_link, map frame
        origin: of the odom frame, map frame
    """

    def __init__(self, bench: Any, road: Road, robot: str, place: Pose2D, origin: Pose2D) -> None:
        self.road = road
        self.place = place
        self.origin = origin
        self.twist = Twist2D()
        self.now = lambda: int(bench.observer.get_clock().now().nanoseconds)
        self.images = bench.speaker(ImageMessage, f"/{robot}/oakd/rgb/preview/image_raw")
        self.scans = bench.speaker(LaserScanMessage, f"/{robot}/scan")
        self.odometry = bench.speaker(OdometryMessage, f"/{robot}/odom")
        self.tf = bench.speaker(TFMessage, f"/{robot}/tf")
        self.mounts = bench.speaker(TFMessage, f"/{robot}/tf_static", LATCHED)
        self.mounts.publish(TFMessage(transforms=[convert.transform_message(LIDAR, "base_link", "rplidar_link", 0)]))
        self._looks = 0
        self._moved: int | None = None
        self._newest: tuple[Pose2D, np.ndarray] | None = None
        thickness = road.floor.parameters.wall_thickness
        walls = [shapely.LineString([wall.start, wall.end]) for wall in road.floor.walls]
        self._walls = shapely.union_all([wall.buffer(thickness / 2, cap_style="flat") for wall in walls])

    def live(self) -> None:
        """Move as the twist says, and publish what is sensed."""
        now = self.now()
        dt = 0.0 if self._moved is None else min(0.1, to_seconds(now - self._moved))
        self._moved = now
        turned, way = self.twist.angular * dt, self.twist.linear * dt
        self.place = self.place.compose(Pose2D(way * math.cos(turned / 2), way * math.sin(turned / 2), turned))
        self.move()
        self._looks += 1
        if self._looks % _OFTEN == 0:
            self.images.publish(self.picture())
            self.scans.publish(convert.laser_scan_message(self.scan(), "rplidar_link"))

    def move(self) -> None:
        """Publish the odometry."""
        odometry = Odometry(self.now(), 0, 0, self.origin.relative(self.place), self.twist)
        self.odometry.publish(convert.odometry_message(odometry))
        link = convert.transform_message(odometry.pose, "odom", "base_link", odometry.stamp)
        self.tf.publish(TFMessage(transforms=[link]))

    def picture(self) -> ImageMessage:
        """Return what the camera sees."""
        if self._newest is None or self._newest[0] != self.place:
            self._newest = (self.place, self.road.photograph(self.place))
        pixels = self._newest[1]
        height, width = pixels.shape[:2]
        message = ImageMessage(height=height, width=width, encoding="bgr8", step=3 * width)
        message.header.stamp = stamp_message(self.now())
        message.data = array.array("B", np.ascontiguousarray(pixels[..., ::-1]).tobytes())
        return message

    def scan(self) -> LaserScan:
        """Return what the LiDAR sees of the walls."""
        lidar = self.place.compose(LIDAR)
        increment = math.tau / _RAYS
        angles = lidar.yaw - math.pi + increment * np.arange(_RAYS)
        far = np.column_stack([lidar.x + 8.0 * np.cos(angles), lidar.y + 8.0 * np.sin(angles)])
        near = np.broadcast_to((lidar.x, lidar.y), far.shape)
        hits = shapely.intersection(shapely.linestrings(np.stack([near, far], axis=1)), self._walls)
        ranges = np.where(shapely.is_empty(hits), math.inf, shapely.distance(hits, shapely.Point(lidar.x, lidar.y)))
        last = math.pi - increment
        return LaserScan(self.now(), 0, 0, ranges.astype(np.float32), -math.pi, last, increment, 0.164, 12.0)
