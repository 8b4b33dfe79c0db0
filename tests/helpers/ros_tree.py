"""A process that commands like a tree, for tests that kill it: ``python ros_tree.py NAMESPACE LINEAR``."""

import sys

import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.clock import Clock, ClockType
from std_msgs.msg import String

from arena_trees.nodes.runtime.parent import end_with_parent
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.safety.guard import RESTING


def main() -> None:
    """Publish the same command at 50 Hz until killed, and zeros while the gate waits for them."""
    namespace, linear = sys.argv[1], float(sys.argv[2])
    end_with_parent()
    rclpy.init()
    node = rclpy.create_node("tree", namespace=namespace)
    publisher = node.create_publisher(TwistStamped, "cmd_vel_raw", 1)
    message = TwistStamped()
    gate = [String()]
    node.create_subscription(String, "velocity_gate/state", lambda said: gate.append(said), LATCHED)

    def send() -> None:
        message.twist = Twist()
        message.twist.linear.x = 0.0 if RESTING in gate[-1].data else linear
        message.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(message)

    node.create_timer(0.02, send, clock=Clock(clock_type=ClockType.STEADY_TIME))
    rclpy.spin(node)


if __name__ == "__main__":
    main()
