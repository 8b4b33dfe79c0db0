"""The trees of wall following on ROS: scans become commands."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import TwistStamped
from helpers.node_bench import NodeBench
from helpers.robot_senses import LIDAR, Senses
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import String

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.nodes.tree_node import TreeNode
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.scan import LaserScan


def wall_on_the_right(distance: float) -> np.ndarray:
    """Return the ranges of 360 rays, from -pi on in the LiDAR's frame, with a straight wall beside the robot."""
    bearing = -math.pi + np.arange(360) * math.tau / 360 + LIDAR.yaw
    away = distance / np.maximum(-np.sin(bearing), 1e-6)
    return np.where(away < 12.0, away, np.inf).astype(np.float32)


def test_a_wall_follower_comes_nearer_to_a_far_wall():
    said = ("-r", "__ns:=/r1", "-p", "role:=wall_follower", "-p", "arena:=tilde_room")
    with NodeBench(TreeNode, *said) as bench:
        senses = Senses(bench.observer, "r1")
        senses.ranges = wall_on_the_right(0.9)
        commands = bench.hear(TwistStamped, "/r1/cmd_vel_raw")
        bench.until(lambda: commands and commands[-1].twist.linear.x > 0.1, "a drive", senses.publish)
    assert commands[-1].twist.angular.z < -0.05


def test_a_robot_follower_follows_whom_its_second_lidar_sees_and_the_wall_otherwise():
    parameters = config_path("robot_follower_source_scale.yaml")
    said = (
        *("-r", "__ns:=/r2", "-p", "role:=robot_follower", "-p", "arena:=tilde_hall", "--params-file", str(parameters)),
        *("-p", "body:='{robot_lidar: true}'"),
    )  # fmt: skip
    with NodeBench(TreeNode, *said) as bench:
        senses = Senses(bench.observer, "r2")
        senses.ranges = wall_on_the_right(1.75)
        seen = bench.speaker(LaserScanMessage, "/r2/robot_scan")
        leaves = bench.hear(String, "/r2/tree/active", LATCHED)
        ahead = np.full(90, np.inf, dtype=np.float32)

        def publish() -> None:
            senses.publish()
            increment = math.tau / 90
            scan = LaserScan(senses.now(), 0, 0, ahead, -math.pi, math.pi - increment, increment, 0.05, 10.0)
            seen.publish(convert.laser_scan_message(scan, layout.LIDAR_FRAME))

        bench.until(lambda: leaves and leaves[-1].data == "Follow the wall", "the wall", publish)
        ahead[22] = 2.0
        bench.until(lambda: leaves[-1].data == "Follow the leader", "the leader", publish)
