"""What a healthy robot in the middle of its fence senses, published as its drivers would."""

import math
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import LaserScan as LaserScanMessage
from tf2_msgs.msg import TFMessage

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import LaserScan

LIDAR = Pose2D(-0.04, 0.0, math.pi / 2)
"""Mount of a TurtleBot4's LiDAR."""


class Senses:
    """Publishes scan, odometry and tf of one robot, as often as :meth:`publish` is called.

    Args:
        node: whose publishers they are
        robot: namespace
    """

    def __init__(self, node: Any, robot: str) -> None:
        self.place = Pose2D()
        self.ranges = np.full(360, 2.0, dtype=np.float32)
        """Of the scan, m, from the bearing -pi on in the LiDAR's frame."""
        self._clock = node.get_clock()
        self._scan = node.create_publisher(LaserScanMessage, f"/{robot}/scan", 1)
        self._odometry = node.create_publisher(OdometryMessage, f"/{robot}/odom", 1)
        self.tf = node.create_publisher(TFMessage, "/tf", 10)
        self.tf_static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        link = convert.transform_message(LIDAR, "base_link", "rplidar_link", self.now())
        self.tf_static.publish(TFMessage(transforms=[link]))

    def now(self) -> int:
        """Return the ROS clock, ns."""
        return int(self._clock.now().nanoseconds)

    def publish(self) -> None:
        """Publish everything once."""
        self.publish_transforms()
        self.publish_scan()
        self._odometry.publish(convert.odometry_message(Odometry(self.now(), 0, 0, Pose2D(), Twist2D())))

    def publish_scan(self, frame: str = "rplidar_link") -> None:
        increment = math.tau / 360
        scan = LaserScan(self.now(), 0, 0, self.ranges, -math.pi, math.pi - increment, increment, 0.164, 12.0)
        self._scan.publish(convert.laser_scan_message(scan, frame))

    def publish_transforms(self) -> None:
        """Publish where the robot is; the localisation stamps ahead, as AMCL does."""
        now = self.now()
        above = convert.transform_message(self.place, "map", "odom", now + 1_000_000_000)
        below = convert.transform_message(Pose2D(), "odom", "base_link", now)
        self.tf.publish(TFMessage(transforms=[above, below]))
