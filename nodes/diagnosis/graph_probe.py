"""The doctor's senses: looks at a ROS graph for some seconds, and says what it saw of each robot."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSCompatibility, qos_check_compatible
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.diagnosis.graph_state import Endpoint, Environment, GraphState, Mismatch
from arena_trees.nodes.diagnosis.robot_monitor import ClockMonitor, RobotMonitor

__all__ = ["GraphProbe"]

_NAME = "arena_trees_doctor"
_SIGNS = ("velocity_gate", "tree")
"""Nodes by which a robot is known."""
_WATCHED = (
    "scan", "odom", "tf", "tf_static", "cmd_vel", "cmd_vel_raw", "hazard_detection", "battery_state", "detections",
    "oakd/rgb/preview/image_raw",
)  # fmt: skip
"""Topics on which a robot's nodes must hear each other."""
_SETTLED_S = 1.0
"""As long as this no further robot must have appeared."""
_ANSWER_S = 3.0
"""Longest wait for the answers of all services together."""


class GraphProbe:
    """A node that looks and listens, in a context of its own; a context manager.

    It publishes nothing of the robot, and subscribes to no velocity that goes to a base, so that
    a gate that looks for the base's type of message cannot take the probe for the base.

    Args:
        domain_id: ROS domain; that of the environment where not given
    """

    def __init__(self, domain_id: int | None = None) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain_id, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(_NAME, context=self._context, enable_rosout=False, start_parameter_services=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)

    def __enter__(self) -> GraphProbe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def robots(self, seconds: float) -> tuple[str, ...]:
        """Return the namespaces of the robots that are there, once no further one appears, or after that time."""
        end = time.monotonic() + seconds
        found, since = self._robots(), time.monotonic()
        while time.monotonic() < end and not (found and time.monotonic() - since > _SETTLED_S):
            self._executor.spin_once(timeout_sec=0.1)
            now_there = self._robots()
            if now_there != found:
                found, since = now_there, time.monotonic()
        return found

    def nodes(self, namespace: str) -> tuple[str, ...]:
        """Return the full names of the nodes that have been found in a namespace by now."""
        there = self._node.get_node_names_and_namespaces()
        own = {name for name, where in there if where == namespace and name != _NAME and not name.startswith("_")}
        return tuple(sorted(_full(name, namespace) for name in own))

    def observe(self, namespaces: Sequence[str], seconds: float) -> list[GraphState]:
        """Listen for some seconds and return what was seen of each robot.

        Args:
            namespaces: of the robots, each with a leading slash; ``/`` for none
            seconds: how long to listen
        """
        clock = ClockMonitor(self._node)
        ears = [RobotMonitor(self._node, namespace, clock) for namespace in namespaces]
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)
        end = time.monotonic() + _ANSWER_S
        while not all([ear.ask(self.nodes(ear.namespace)) for ear in ears]) and time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.1)
        return [self._state(ear, clock, seconds) for ear in ears]

    def _state(self, ear: RobotMonitor, clock: ClockMonitor, seconds: float) -> GraphState:
        namespace = ear.namespace
        publishers: dict[str, tuple[Endpoint, ...]] = {}
        subscribers: dict[str, tuple[Endpoint, ...]] = {}
        for topic in self._topics(namespace):
            speaking = self._foreign(self._node.get_publishers_info_by_topic(topic))
            hearing = self._foreign(self._node.get_subscriptions_info_by_topic(topic))
            if speaking:
                publishers[topic] = tuple(_endpoint(one) for one in speaking)
            if hearing:
                subscribers[topic] = tuple(_endpoint(one) for one in hearing)
        return GraphState(
            namespace=namespace,
            environment=self._environment(),
            seconds=seconds,
            nodes=self.nodes(namespace),
            robots=self._robots(),
            publishers=publishers,
            subscribers=subscribers,
            mismatches=tuple(self._mismatches(namespace)),
            clock=clock.heard(len(self._foreign(self._node.get_publishers_info_by_topic("/clock")))),
            **ear.heard(),
        )

    def _topics(self, namespace: str) -> list[str]:
        inside = namespace.rstrip("/") + "/"
        known = [name for name, _ in self._node.get_topic_names_and_types()]
        if namespace == "/":
            # A robot without a namespace does not own all that stands at the root, such as /rosout.
            return [name for name in known if name[1:] in _WATCHED]
        return [name for name in known if name.startswith(inside) or name == "/tf"]

    def _mismatches(self, namespace: str) -> Iterator[Mismatch]:
        for name in _WATCHED:
            topic = f"{namespace.rstrip('/')}/{name}"
            speaking = self._foreign(self._node.get_publishers_info_by_topic(topic))
            for hearing in self._foreign(self._node.get_subscriptions_info_by_topic(topic)):
                for one in speaking:
                    verdict, reason = qos_check_compatible(one.qos_profile, hearing.qos_profile)
                    if verdict == QoSCompatibility.ERROR:
                        reason = reason.removeprefix("ERROR: ").rstrip("; ")
                        yield Mismatch(topic, _endpoint(one).node, _endpoint(hearing).node, reason)

    def _robots(self) -> tuple[str, ...]:
        there = self._node.get_node_names_and_namespaces()
        return tuple(sorted({where for name, where in there if name in _SIGNS}))

    def _environment(self) -> Environment:
        localhost = os.environ.get("ROS_LOCALHOST_ONLY") == "1"
        return Environment(
            domain_id=self._context.get_domain_id(),
            rmw=rclpy.get_rmw_implementation_identifier(),
            discovery_range="LOCALHOST" if localhost else os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET"),
            discovery_server=os.environ.get("ROS_DISCOVERY_SERVER", ""),
        )

    @staticmethod
    def _foreign(endpoints: Sequence[Any]) -> list[Any]:
        return [one for one in endpoints if one.node_name != _NAME]


def _endpoint(info: Any) -> Endpoint:
    return Endpoint(_full(info.node_name, info.node_namespace), info.topic_type)


def _full(name: str, namespace: str) -> str:
    return f"{namespace.rstrip('/')}/{name}"
