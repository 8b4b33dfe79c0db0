"""The velocity output: the publisher of ``cmd_vel``, of the type that the base wants, and who else is there."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.duration import Duration

from arena_trees.nodes.adapters.convert import fill
from arena_trees.nodes.diagnosis.graph_state import Endpoint
from arena_trees.nodes.gate.cmd_vel import PLAIN, STAMPED, choose_stamped, endpoints, listeners, others
from arena_trees.nodes.runtime.qos import COMMAND
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.ros_messages import layout

__all__ = ["VelocityOutput"]

_TOPIC = "cmd_vel"


class VelocityOutput:
    """Publishes velocities, and looks at the graph on request.

    Topics:
        * ``cmd_vel`` (geometry_msgs/TwistStamped or Twist, reliable, keep last 1) [published]

    Attributes:
        listeners: subscribers at the last look
        others: full names of the nodes that published at the last two looks though they must not
        mismatch: that nobody listens to the type that is published while somebody listens to the other, or None

    Args:
        node: the node
        setting: ``auto``, ``true`` or ``false``: whether the type is TwistStamped
        allowed: names, without namespace, of nodes that may publish too
    """

    def __init__(self, node: Any, setting: str, allowed: Collection[str] = ()) -> None:
        self.listeners: tuple[Endpoint, ...] = ()
        self.others: tuple[str, ...] = ()
        self.mismatch: str | None = None
        self._node = node
        self._clock = node.get_clock()
        self._setting = setting
        self._allowed = frozenset(allowed)
        self._topic = node.resolve_topic_name(_TOPIC)
        self._stamped: bool | None = None
        self._publisher: Any = None
        self._seen: tuple[str, ...] = ()
        self.review()

    @property
    def type(self) -> str:
        """Type that is published."""
        return STAMPED if self._stamped else PLAIN

    def send(self, velocity: Twist2D) -> None:
        """Publish a velocity."""
        message = self._message
        inner = message
        if self._stamped:
            message.header.stamp = self._clock.now().to_msg()
            inner = message.twist
        fill(inner, layout.twist_fields(velocity))
        self._publisher.publish(message)

    def flush(self, seconds: float) -> None:
        """Wait until everything published has reached its subscribers, no longer than that."""
        self._publisher.wait_for_all_acked(Duration(seconds=seconds))

    def review(self) -> None:
        """Look at the graph, and change the type where the subscribers want the other one."""
        self.listeners = listeners(endpoints(self._node.get_subscriptions_info_by_topic(self._topic)))
        wanted = {end.type for end in self.listeners}
        stamped, why = choose_stamped(self._setting, wanted, self._stamped, os.environ.get("ROS_DISTRO", ""))
        if stamped != self._stamped:
            self._publish_as(stamped, why)
        self.mismatch = None
        if wanted and self.type not in wanted:
            self.mismatch = f"{_TOPIC} is {self.type}, its subscriber wants {', '.join(sorted(wanted))}"
        publishers = endpoints(self._node.get_publishers_info_by_topic(self._topic))
        # A publisher is known before the name of its node, by which it may be one that is allowed.
        seen = others(publishers, self._node.get_fully_qualified_name(), self._allowed)
        self.others, self._seen = tuple(name for name in seen if name in self._seen), seen

    def _publish_as(self, stamped: bool, why: str) -> None:
        # One participant cannot hold two types of one topic, so the old publisher goes first.
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
        self._stamped = stamped
        self._message = TwistStamped() if stamped else Twist()
        if stamped:
            self._message.header.frame_id = layout.BASE_FRAME
        self._publisher = self._node.create_publisher(type(self._message), _TOPIC, COMMAND)
        self._node.get_logger().info(f"{self._topic} is {self.type}, {why}")
