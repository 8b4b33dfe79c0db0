"""What a real node of ours publishes, subscribes and serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from arena_trees.nodes.programs.node_graph import NodeGraph

NODES: dict[str, dict[str, Any]] = {
    "tree": {"role": "wolf", "autostart": False},
    "velocity_gate": {"arena": "arena_4x4"},
    "sign_detector": {},
    "geofence_supervisor": {"arena": "arena_4x4"},
    "feedback": {},
}
"""Nodes of a robot, and their parameters."""
OTHERS: dict[str, dict[str, Any]] = {
    "undock": {},
    "sphere_detector": {},
    "localiser": {"role": "crosser", "arena": "crossing_4"},
}
"""Nodes of robots of other games, in the same namespace."""
ALONE: dict[str, dict[str, Any]] = {
    "game": {"scenario": "wolf_rabbit"},
    "arena_simulator": {"scenario": "wolf_rabbit"},
    "ceiling_tracker": {"cameras": ["c1"]},
    "tracking_relay": {"robots": ["wolf=tf:wolf_body"]},
}
"""Nodes that belong to no robot."""
_MODULES = {"tree": "tree_node"}

_NEEDED = ("tf2_msgs", "vision_msgs", "irobot_create_msgs", "turtlebot4_msgs")


def node_graph(name: str) -> NodeGraph:
    """Return the full names of a node's topics, services and actions.

    The test is skipped without ROS.
    """
    need_ros()
    from arena_trees.nodes.programs.node_graph import read_graph
    from arena_trees.nodes.programs.program import Program

    module, parameters = _MODULES.get(name, name), {**NODES, **OTHERS, **ALONE}[name]
    if name in ALONE:
        return read_graph(Program(name, module, parameters=parameters))
    return read_graph(Program(name, module, "/wolf", parameters, {"/tf": "tf", "/tf_static": "tf_static"}))


def need_ros() -> None:
    """Skip a test where a package is missing that a node needs for all of its topics."""
    pytest.importorskip("rclpy", reason="there is no ROS here")
    for package in _NEEDED:
        pytest.importorskip(package, reason=f"{package} is not installed")
