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
_TURNING = (
    "body:='{lidar: false, turret: {}, barrel: {}, ranges: [{name: front_left, x: 0.1, y: 0.1, yaw_deg: 45}, "
    "{name: front_right, x: 0.1, y: -0.1, yaw_deg: -45}, {name: back_left, x: -0.1, y: 0.1, yaw_deg: 135}, "
    "{name: back_right, x: -0.1, y: -0.1, yaw_deg: -135}]}'"
)
_RANGING = _TURNING.replace("turret: {}, barrel: {}, ", "")
_AIMING = "body:='{barrel: {}}'"
PURSUIT = {
    ("chaser", "tree"): ("tree_node", "TreeNode", ["role:=chaser", "autostart:=false", _AIMING], [_TURNING]),
    ("chaser", "velocity_gate"): ("velocity_gate", "VelocityGateNode", ["role:=chaser", _AIMING], [_TURNING]),
    ("chaser", "sphere_detector"): ("sphere_detector", "SphereDetectorNode", [], []),
    ("chaser", "localiser"): ("localiser", "LocaliserNode", ["role:=chaser"], []),
    ("chaser", "feedback"): ("feedback", "Feedback", ["role:=chaser"], []),
    ("evader", "tree"): ("tree_node", "TreeNode", ["role:=evader", "autostart:=false"], [_RANGING]),
    ("evader", "velocity_gate"): ("velocity_gate", "VelocityGateNode", ["role:=evader"], [_RANGING]),
    ("evader", "feedback"): ("feedback", "Feedback", ["role:=evader"], []),
    ("", "game"): ("game", "GameNode", ["scenario:=pursuit_empty"], ["scenario:=pursuit_empty_source_scale"]),
    ("", "arena_simulator"): (
        "arena_simulator", "ArenaSimulator", ["scenario:=pursuit_empty"], ["scenario:=pursuit_empty_source_scale"]
    ),
}  # fmt: skip
"""Nodes of a pursuit by robot and name: module, class, parameters, and those that the source's scale adds."""
_ACTION = "/_action/"
"""In the names of the topics and services that an action is made of."""

_NEEDED = ("tf2_msgs", "vision_msgs", "irobot_create_msgs", "turtlebot4_msgs")


def node_graph(name: str) -> dict[tuple[str, str], set[str]]:
    """Return the full names of a node's topics, services and actions, by kind and verb.

    The test is skipped without ROS.
    """
    _need_ros()
    module, kind, parameters = {**NODES, **OTHERS, **ALONE}[name]
    return _graph(module, kind, parameters, "" if name in ALONE else "wolf")


def pursuit_graph(robot: str, name: str) -> dict[tuple[str, str], set[str]]:
    """Return the same of a node of a pursuit, at either scale."""
    _need_ros()
    module, kind, parameters, added = PURSUIT[robot, name]
    graph = _graph(module, kind, parameters, robot)
    if added:
        for key, names in _graph(module, kind, [*parameters, *added], robot).items():
            graph[key] = graph[key] | names
    return graph


def _need_ros() -> None:
    pytest.importorskip("rclpy", reason="there is no ROS here")
    for package in _NEEDED:
        pytest.importorskip(package, reason=f"{package} is not installed")


def _graph(module: str, kind: str, parameters: list[str], robot: str) -> dict[tuple[str, str], set[str]]:
    import rclpy

    scope = ("__ns:=/" + robot, "/tf:=tf", "/tf_static:=tf_static") if robot else ()
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
