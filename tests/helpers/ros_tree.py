"""A process that commands like a tree, for tests that kill it: ``python ros_tree.py NAMESPACE LINEAR``."""

import sys

import rclpy
from geometry_msgs.msg import TwistStamped
from rclpy.clock import Clock, ClockType

from arena_trees.nodes.runtime.parent import end_with_parent


def main() -> None:
    """Publish the same command at 50 Hz until killed."""
    namespace, linear = sys.argv[1], float(sys.argv[2])
    end_with_parent()
    rclpy.init()
    node = rclpy.create_node("tree", namespace=namespace)
    publisher = node.create_publisher(TwistStamped, "cmd_vel_raw", 1)
    message = TwistStamped()
    message.twist.linear.x = linear

    def send() -> None:
        message.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(message)

    node.create_timer(0.02, send, clock=Clock(clock_type=ClockType.STEADY_TIME))
    rclpy.spin(node)


if __name__ == "__main__":
    main()
