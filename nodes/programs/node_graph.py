"""What a node publishes, subscribes to, serves and calls: read from the real node, which is made and never spun."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rclpy
from rclpy.action import get_action_client_names_and_types_by_node, get_action_server_names_and_types_by_node
from rclpy.logging import LoggingSeverity, get_logger_level, set_logger_level
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.programs.processes import ros_arguments
from arena_trees.nodes.programs.program import Program
from arena_trees.nodes.runtime.half_made import destroy_half_made

__all__ = ["NodeGraph", "read_graph"]

_ACTION = "/_action/"
"""In the names of the topics and services that an action is made of."""


@dataclass(frozen=True, slots=True)
class NodeGraph:
    """Full names of what a node has.

    Attributes:
        publishes: topics
        subscribes: topics
        serves: services
        requests: services
        calls: actions, as their client
        executes: actions, as their server
    """

    publishes: frozenset[str] = frozenset()
    subscribes: frozenset[str] = frozenset()
    serves: frozenset[str] = frozenset()
    requests: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    executes: frozenset[str] = frozenset()

    def __or__(self, other: NodeGraph) -> NodeGraph:
        """Return what either has."""
        return NodeGraph(*(getattr(self, one.name) | getattr(other, one.name) for one in fields(self)))


def read_graph(program: Program) -> NodeGraph:
    """Return what a program's node has once it is made, in a ROS domain that nobody else uses.

    Raises:
        ArenaTreesError: the node refuses its parameters
    """
    with TemporaryDirectory() as folder, reserved_domain() as domain:
        arguments = ros_arguments(program, Path(folder))
        level = get_logger_level("")
        # What a node logs that is only looked at is no news; an error is.
        set_logger_level("", LoggingSeverity.ERROR)
        rclpy.init(
            args=["", *arguments],
            domain_id=domain,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        try:
            try:
                node = _node_class(program.module)()
            except Exception as error:
                destroy_half_made(error)
                raise
            try:
                return _names(node)
            finally:
                node.destroy_node()
        finally:
            rclpy.try_shutdown()
            set_logger_level("", level)


def _node_class(module: str) -> Any:
    """Return the class of the node that a module is about."""
    found = importlib.import_module(f"arena_trees.nodes.{module}")
    (kind,) = (
        one
        for one in vars(found).values()
        if inspect.isclass(one) and issubclass(one, Node) and one.__module__ == found.__name__
    )
    return kind


def _names(node: Any) -> NodeGraph:
    own = (node.get_name(), node.get_namespace())
    return NodeGraph(
        publishes=_plain(_first(node.get_publisher_names_and_types_by_node(*own))),
        subscribes=_plain(_first(node.get_subscriber_names_and_types_by_node(*own))),
        serves=_plain(_first(node.get_service_names_and_types_by_node(*own))),
        requests=_plain(_first(node.get_client_names_and_types_by_node(*own))),
        calls=_first(get_action_client_names_and_types_by_node(node, *own)),
        executes=_first(get_action_server_names_and_types_by_node(node, *own)),
    )


def _first(pairs: Iterable[tuple[str, Any]]) -> frozenset[str]:
    return frozenset(name for name, _ in pairs)


def _plain(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in names if _ACTION not in name)
