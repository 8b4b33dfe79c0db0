"""The behaviour tree that py_trees' viewers for ROS can watch, where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import py_trees

from arena_trees.robot.containment import phrase
from arena_trees.robot.tree import RobotTree

__all__ = ["viewed_tree"]


def viewed_tree(node: Any) -> py_trees.trees.BehaviourTree:
    """Return a tree with a placeholder for a root, to be replaced by the robot's own.

    With py_trees_ros the tree answers py-trees-tree-watcher, py-trees-blackboard-watcher and
    py-trees-tree-viewer; without it, it is a plain tree, which is logged. The services are made
    here, once for the node's life: the robot loop sets the behaviours up by itself, as often as
    the node is configured.

    Args:
        node: that offers the services
    """
    placeholder = py_trees.behaviours.Dummy(name="not configured")
    try:
        from py_trees_ros.trees import BehaviourTree
    except ImportError as error:
        node.get_logger().warning(
            f"tree viewers: off, because {error.name} is not installed (apt install ros-jazzy-py-trees-ros)"
        )
        return RobotTree(placeholder)
    tree = BehaviourTree(placeholder)
    own = {id(service) for service in node.services}
    tree.setup(node=node)
    for service in node.services:
        if id(service) not in own:
            service.callback = _contained(node, service.callback)
    # It follows every attribute of every value, and of an array's transpose's transpose there is no end.
    tree.blackboard_exchange._get_nested_keys = _variables
    viewed: py_trees.trees.BehaviourTree = tree
    return viewed


def _variables() -> list[str]:
    return sorted(py_trees.blackboard.Blackboard.storage)


def _contained(node: Any, serve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a service's callback that tells of an exception, instead of ending the robot's process by it."""

    def contained(request: Any, response: Any) -> Any:
        try:
            return serve(request, response)
        except Exception as error:
            node.get_logger().error(f"a viewer's request raised {phrase(error)}")
            return response

    return contained
