"""Looks at a ROS graph for some seconds, for the doctor, and says what it saw of each robot."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.diagnosis.graph_state import Endpoint, Environment, GraphState
from arena_trees.nodes.diagnosis.judgement import WATCHED
from arena_trees.nodes.diagnosis.robot_monitor import ClockMonitor, RobotMonitor
from arena_trees.nodes.gate.cmd_vel import endpoints

__all__ = ["GraphProbe"]

_NAME = "arena_trees_doctor"
_SIGNS = ("velocity_gate", "tree")
"""Nodes by which a robot is known."""
_SETTLED_S = 1.0
"""As long as this no further robot must have appeared."""
_DIAGNOSTICS_S = 3.0
"""Longest wait for the diagnostics of all nodes that are there; they come once a second."""


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
        monitors = [RobotMonitor(self._node, namespace, clock) for namespace in namespaces]
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)
        end = time.monotonic() + _DIAGNOSTICS_S
        while any(self._silent(monitor) for monitor in monitors) and time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.1)
        return [self._state(monitor, clock, seconds) for monitor in monitors]

    def _silent(self, monitor: RobotMonitor) -> bool:
        """Return whether a node by which a robot is known is there, and was not heard yet."""
        signs = {_full(name, monitor.namespace) for name in _SIGNS}
        return not signs.intersection(self.nodes(monitor.namespace)) <= monitor.diagnostics.keys()

    def _state(self, monitor: RobotMonitor, clock: ClockMonitor, seconds: float) -> GraphState:
        topics = self._topics(monitor.namespace)
        return GraphState(
            namespace=monitor.namespace,
            environment=self._environment(),
            seconds=seconds,
            nodes=self.nodes(monitor.namespace),
            robots=self._robots(),
            publishers=_endpoints(topics, self._node.get_publishers_info_by_topic),
            subscribers=_endpoints(topics, self._node.get_subscriptions_info_by_topic),
            clock_publishers=len(self._node.get_publishers_info_by_topic("/clock")),
            clock_count=clock.count,
            clock_advanced=clock.advanced,
            **monitor.fields(),
        )

    def _topics(self, namespace: str) -> list[str]:
        inside = namespace.rstrip("/") + "/"
        known = [name for name, _ in self._node.get_topic_names_and_types()]
        if namespace == "/":
            # A robot without a namespace does not own all that stands at the root, such as /rosout.
            return [name for name in known if name[1:] in WATCHED]
        return [name for name in known if name.startswith(inside) or name == "/tf"]

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


def _endpoints(topics: Sequence[str], infos: Callable[[str], Sequence[Any]]) -> dict[str, tuple[Endpoint, ...]]:
    """Return the publishers or subscribers of topics, where there are others than the probe."""
    found = {topic: endpoints(one for one in infos(topic) if one.node_name != _NAME) for topic in topics}
    return {topic: ends for topic, ends in found.items() if ends}


def _full(name: str, namespace: str) -> str:
    return f"{namespace.rstrip('/')}/{name}"
