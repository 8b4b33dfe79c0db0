"""What a real node of ours publishes, subscribes and serves."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from arena_trees.nodes.programs.domains import reserved_domain

NODES = {
    "tree": ("tree_node", "TreeNode", ["role:=wolf", "autostart:=false"]),
    "velocity_gate": ("velocity_gate", "VelocityGateNode", ["arena:=arena_4x4"]),
    "sign_detector": ("sign_detector", "SignDetectorNode", []),
    "geofence_supervisor": ("geofence_supervisor", "GeofenceSupervisorNode", ["arena:=arena_4x4"]),
    "feedback": ("feedback", "Feedback", []),
}
"""Nodes of a robot: module, class and parameters."""
OTHERS = {
    "sphere_detector": ("sphere_detector", "SphereDetectorNode", []),
    "localiser": ("localiser", "LocaliserNode", ["role:=crosser", "arena:=crossing_4"]),
}
"""Nodes of robots of other games, in the same namespace."""
ALONE = {
    "game": ("game", "GameNode", ["scenario:=wolf_rabbit"]),
    "arena_simulator": ("arena_simulator", "ArenaSimulator", ["scenario:=wolf_rabbit"]),
}
"""Nodes that belong to no robot."""
_ACTION = "/_action/"
"""In the names of the topics and services that an action is made of."""

_NEEDED = ("tf2_msgs", "vision_msgs", "irobot_create_msgs", "turtlebot4_msgs")


def node_graph(name: str) -> dict[tuple[str, str], set[str]]:
    """Return the full names of a node's topics, services and actions, by kind and verb.

    The test is skipped without ROS.
    """
    rclpy = pytest.importorskip("rclpy", reason="there is no ROS here")
    for package in _NEEDED:
        pytest.importorskip(package, reason=f"{package} is not installed")
    module, kind, parameters = {**NODES, **OTHERS, **ALONE}[name]
    scope = () if name in ALONE else ("__ns:=/wolf", "/tf:=tf", "/tf_static:=tf_static")
    given = [part for remap in scope for part in ("-r", remap)]
    given += [part for parameter in parameters for part in ("-p", parameter)]
    with reserved_domain() as domain:
        rclpy.init(args=["--ros-args", *given], domain_id=domain)
        try:
            return _names(getattr(importlib.import_module(f"arena_trees.nodes.{module}"), kind)())
        finally:
            rclpy.shutdown()


def _names(node: Any) -> dict[tuple[str, str], set[str]]:
    try:
        own = (node.get_name(), node.get_namespace())
        subscribed = {topic for topic, _ in node.get_subscriber_names_and_types_by_node(*own)}
        called = {topic for topic in subscribed if _ACTION in topic}
        return {
            ("topics", "publish"): {topic for topic, _ in node.get_publisher_names_and_types_by_node(*own)},
            ("topics", "subscribe"): subscribed - called,
            ("services", "reply"): {service for service, _ in node.get_service_names_and_types_by_node(*own)},
            ("actions", "call"): {topic.split(_ACTION)[0] for topic in called},
        }
    finally:
        node.destroy_node()
