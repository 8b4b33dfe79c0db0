"""The behaviour tree that py_trees' viewers for ROS can watch, where they are installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import py_trees

from arena_trees.robot.errors import format_error
from arena_trees.robot.ticking.tree import RobotTree

__all__ = ["delayed_close", "viewed_tree"]

_DISCOVERY_S = 10.0
"""How long a viewer may take to find the topic that was opened for it."""


def viewed_tree(node: Any) -> py_trees.trees.BehaviourTree:
    """Return a tree with a placeholder for a root, to be replaced by the robot's own.

    With py_trees_ros the tree answers py-trees-tree-watcher, py-trees-blackboard-watcher and
    py-trees-tree-viewer; without it, or where anything in it raises, it is a plain tree, which is logged: a viewer
    never costs the robot its tree. The services are made here, once for the node's life: the robot loop sets the
    behaviours up by itself, as often as the node is configured.

    Args:
        node: that offers the services
    """
    placeholder = py_trees.behaviours.Dummy(name="not configured")
    before = list(node.services)
    try:
        from py_trees_ros.trees import BehaviourTree

        return _served(node, BehaviourTree(placeholder), before)
    except ModuleNotFoundError as error:
        reason = f"{error.name} is not installed (apt install ros-jazzy-py-trees-ros)"
    except Exception as error:
        reason = f"py_trees_ros raised {format_error(error)}"
    for service in list(node.services):
        if service not in before:
            node.destroy_service(service)
    node.get_logger().warning(f"tree viewers: off, because {reason}")
    return RobotTree(placeholder)


def _served(node: Any, tree: Any, before: list[Any]) -> py_trees.trees.BehaviourTree:
    """Return a tree of py_trees_ros that is set up, and whose exceptions end no tick and no process."""
    tree.setup(node=node)
    for service in node.services:
        if service not in before:
            service.callback = _contained(node, service.callback)
    # It follows every attribute of every value, and of an array's transpose's transpose there is no end.
    tree.blackboard_exchange._get_nested_keys = _variables
    # It closes a view in the first tick without a subscriber, 20 ms after the viewer was given its topic.
    tree.blackboard_exchange._close_view = delayed_close(tree.blackboard_exchange._close_view)
    off: list[str] = []
    for handlers in (tree.pre_tick_handlers, tree.post_tick_handlers):
        handlers[:] = [_harmless(node, handler, off) for handler in handlers]
    tree.tree_update_handler = _harmless(node, tree.tree_update_handler, off)
    viewed: py_trees.trees.BehaviourTree = tree
    return viewed


def _harmless(node: Any, handler: Callable[..., object], off: list[str]) -> Callable[..., None]:
    """Return a handler of a tree that is called until one of those that share a list of problems raises."""

    def called(*arguments: Any) -> None:
        if off:
            return
        try:
            handler(*arguments)
        except Exception as error:
            off.append(format_error(error))
            node.get_logger().error(f"tree viewers: off from now on, because py_trees_ros raised {off[0]}")

    return called


def delayed_close(close: Callable[[Any], None], now: Callable[[], float] = time.monotonic) -> Callable[[Any], None]:
    """Return what closes a view only some time after it was first to be closed for want of a subscriber."""
    since: dict[str, float] = {}

    def closed(view: Any) -> None:
        if now() - since.setdefault(view.topic_name, now()) > _DISCOVERY_S:
            del since[view.topic_name]
            close(view)

    return closed


def _variables() -> list[str]:
    return sorted(py_trees.blackboard.Blackboard.storage)


def _contained(node: Any, serve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a service's callback that logs an exception, instead of ending the robot's process by it."""

    def contained(request: Any, response: Any) -> Any:
        try:
            return serve(request, response)
        except Exception as error:
            node.get_logger().error(f"a viewer's request raised {format_error(error)}")
            return response

    return contained
