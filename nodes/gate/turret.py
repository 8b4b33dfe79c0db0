"""Turret and weapon at the velocity gate: what the tree asks, and what the gate lets through, on topics."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TwistStamped
from std_msgs.msg import Empty, Header

from arena_trees.nodes.adapters.convert import turret_rates_message
from arena_trees.nodes.adapters.timelines import MonotonicTimeline, nanoseconds
from arena_trees.nodes.gate.cmd_vel import endpoints, others
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS
from arena_trees.robot.ros_messages import layout
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.guard import Guard
from arena_trees.world.body import Body

__all__ = ["TurretTopics"]


class TurretTopics:
    """Hands a tree's rates and shots to the guard, and publishes what comes out; nothing for a body without either.

    Another node that publishes the rates or the shots of the robot holds it.

    Topics, the first three of a body with a turret, the others of one with a barrel:
        * ``turret/cmd_vel_raw`` (geometry_msgs/TwistStamped, COMMAND) [subscribed]: rates that the tree asks for
        * ``turret/cmd_vel`` (geometry_msgs/TwistStamped, COMMAND) [published]: rates of the turret: yaw about z, and
          pitch about y, positive downwards
        * ``engage_raw`` (std_msgs/Header, EVENTS) [subscribed]: the tree fires, at the header's stamp
        * ``engage`` (std_msgs/Empty, EVENTS) [published]: the weapon fires

    Args:
        node: the node
        timeline: of the guard
        guard: of the gate
        body: of the robot
    """

    def __init__(self, node: Any, timeline: MonotonicTimeline, guard: Guard, body: Body) -> None:
        self._node = node
        self._clock = node.get_clock()
        self._timeline = timeline
        self._guard = guard
        self._rates = self._shots = None
        self._seen: dict[str, tuple[str, ...]] = {}
        if body.turret is not None:
            self._rates = node.create_publisher(TwistStamped, layout.TURRET_RATES_TOPIC, COMMAND)
            node.create_subscription(TwistStamped, layout.TURRET_RATES_RAW_TOPIC, self._on_rates, COMMAND)
            self._seen[layout.TURRET_RATES_TOPIC] = ()
        if body.barrel is not None:
            self._shots = node.create_publisher(Empty, layout.SHOTS_TOPIC, EVENTS)
            node.create_subscription(Header, layout.SHOTS_RAW_TOPIC, self._on_shot, EVENTS)
            self._seen[layout.SHOTS_TOPIC] = ()

    def send(self, rates: TurretRates = STEADY, fire: bool = False) -> None:
        """Publish rates, and a shot."""
        if self._rates is not None:
            self._rates.publish(turret_rates_message(rates, self._clock.now().nanoseconds))
        if fire and self._shots is not None:
            self._shots.publish(Empty())

    def review(self) -> None:
        """Look at the graph; hold the robot while another node publishes in the gate's place at two looks."""
        own = self._node.get_fully_qualified_name()
        for topic, before in self._seen.items():
            infos = self._node.get_publishers_info_by_topic(self._node.resolve_topic_name(topic))
            names = self._seen[topic] = others(endpoints(infos), own)
            strangers = [name for name in names if name in before]
            reason = f"another publisher on {topic}: {', '.join(strangers)}" if strangers else None
            self._guard.hold(topic, reason)

    def _on_rates(self, message: Any) -> None:
        label = nanoseconds(message.header.stamp)
        self._guard.aims.take(layout.turret_rates(message), label, *self._timeline.received(label))

    def _on_shot(self, message: Any) -> None:
        label = nanoseconds(message.stamp)
        self._guard.triggers.take(True, label, *self._timeline.received(label))
