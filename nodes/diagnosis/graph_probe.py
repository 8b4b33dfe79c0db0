"""Looks at a ROS graph for some seconds, for the doctor, and returns what it saw of each robot."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.diagnosis.graph_state import Endpoint, Environment, GraphState
from arena_trees.nodes.diagnosis.judgement import watched
from arena_trees.nodes.diagnosis.launch_log import deaths, launch_end, launch_log
from arena_trees.nodes.diagnosis.local_processes import local_processes
from arena_trees.nodes.diagnosis.robot_monitor import RobotMonitor, SharedMonitor
from arena_trees.nodes.gate.cmd_vel import endpoints

__all__ = ["GraphProbe"]

_NAME = "arena_trees_doctor"
_SIGNS = ("velocity_gate", "tree")
"""Nodes by which a robot is known."""
_SETTLED_S = 1.0
"""As long as this no further robot must have appeared."""
_DIAGNOSTICS_S = 3.0
"""Longest wait for the diagnostics of all nodes that are there; they come once a second."""
_PERIOD_S = 0.05
"""Time between two looks at the graph."""


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

    def __enter__(self) -> GraphProbe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the node."""
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def robots(self, seconds: float) -> tuple[str, ...]:
        """Return the namespaces of the robots that are there, once no further one appears, or after that time."""
        end = time.monotonic() + seconds
        found, since = self._robots(), time.monotonic()
        while time.monotonic() < end and not (found and time.monotonic() - since > _SETTLED_S):
            time.sleep(_PERIOD_S)
            now_there = self._robots()
            if now_there != found:
                found, since = now_there, time.monotonic()
        return found

    def nodes(self, namespace: str) -> tuple[str, ...]:
        """Return the full names of the nodes that have been found in a namespace by now."""
        there = self._node.get_node_names_and_namespaces()
        own = {name for name, where in there if where == namespace and name != _NAME and not name.startswith("_")}
        return tuple(sorted(_full(name, namespace) for name in own))

    def observe(
        self, namespaces: Sequence[str], seconds: float, is_enough: Callable[[], bool] = lambda: False
    ) -> list[GraphState]:
        """Listen for some seconds and return what was seen of each robot.

        Args:
            namespaces: of the robots, each with a leading slash; ``/`` for none
            seconds: how long to listen
            is_enough: asked all the time whether to end earlier
        """
        shared = SharedMonitor(self._node)
        try:
            return self._observe(shared, namespaces, seconds, is_enough)
        finally:
            shared.close()

    def _observe(
        self, shared: SharedMonitor, namespaces: Sequence[str], seconds: float, is_enough: Callable[[], bool]
    ) -> list[GraphState]:
        monitors = [RobotMonitor(self._node, namespace, shared) for namespace in namespaces]
        end = time.monotonic() + seconds
        while time.monotonic() < end and not is_enough():
            time.sleep(_PERIOD_S)
            shared.take()
        end = time.monotonic() + _DIAGNOSTICS_S
        while any(self._silent(monitor) for monitor in monitors) and time.monotonic() < end and not is_enough():
            time.sleep(_PERIOD_S)
            shared.take()
        shared.take()
        now = time.time_ns()
        # All of them now: looking at the graph takes its time, in which nothing is taken.
        found = [monitor.fields(now) for monitor in monitors]
        return [self._state(monitor, shared, seconds, fields) for monitor, fields in zip(monitors, found, strict=True)]

    def _silent(self, monitor: RobotMonitor) -> bool:
        """Return whether a node by which a robot is known is there, and has not published yet."""
        signs = {_full(name, monitor.namespace) for name in _SIGNS}
        return not signs.intersection(self.nodes(monitor.namespace)) <= monitor.diagnostics.keys()

    def _state(
        self, monitor: RobotMonitor, shared: SharedMonitor, seconds: float, found: Mapping[str, Any]
    ) -> GraphState:
        topics = self._topics(monitor.namespace)
        here = local_processes(monitor.namespace, self._context.get_domain_id())
        return GraphState(
            namespace=monitor.namespace,
            environment=self._environment(),
            seconds=seconds,
            nodes=self.nodes(monitor.namespace),
            robots=self._robots(),
            publishers=_endpoints(topics, self._node.get_publishers_info_by_topic),
            subscribers=_endpoints(topics, self._node.get_subscriptions_info_by_topic),
            clock_publishers=len(self._node.get_publishers_info_by_topic("/clock")),
            clock_count=shared.clock_count,
            clock_advanced=shared.clock_advanced,
            processes={_full(name, monitor.namespace): process for name, process in here.items()},
            deaths=deaths(launch_log()),
            launch_end=launch_end(launch_log()),
            **found,
        )

    def _topics(self, namespace: str) -> list[str]:
        inside = namespace.rstrip("/") + "/"
        known = [name for name, _ in self._node.get_topic_names_and_types()]
        if namespace == "/":
            # A robot without a namespace does not own all that stands at the root, such as /rosout.
            return [name for name in known if name[1:] in watched()]
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
