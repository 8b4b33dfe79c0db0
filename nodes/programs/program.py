"""Programs: which processes play a game, as plain data that a launch file and ``run-ros`` both start.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library may be imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PARTS", "ROBOT_CLOCK", "UNDOCK", "Program", "node_name", "robot_program", "robot_programs"]

PARTS = {
    "tree": "tree_node",
    "gate": "velocity_gate",
    "geofence": "geofence_supervisor",
    "detector": "sign_detector",
    "spheres": "sphere_detector",
    "localiser": "localiser",
    "feedback": "feedback",
}
"""What a robot is made of, and the module of each, in the order in which they end."""

UNDOCK = "undock"
"""Module that takes a robot off its dock, and ends."""
ROBOT_CLOCK = "clock"
"""Topic of a robot's clock, in its namespace, where that is another than ``/clock``."""
_NODE_NAMES = {"tree_node": "tree"}
"""Modules whose node has another name."""
_AGAIN = ("geofence_supervisor", "sign_detector", "sphere_detector", "feedback")
"""Modules that are started again when they die. Not the localiser: it would take its start for where the robot is."""
_VITAL = ("velocity_gate", "arena_simulator")
"""A gate that dies leaves a robot without its last word; without the arena nothing is left to play in."""
_NEEDED = ("game",)
"""Without rules nothing is played. Rules that are killed may be started again by hand, with the robots as they are."""
_TF = {"/tf": "tf", "/tf_static": "tf_static"}


@dataclass(frozen=True, slots=True)
class Program:
    """A node to run.

    Attributes:
        name: of the process, and of its log
        module: of ``arena_trees.nodes``
        namespace: of its node
        parameters: of its node, by dotted key
        remaps: topic to topic
        enclave: of its node; it matters only where ROS_SECURITY_ENABLE is true
        again: whether it is started again when it dies, by a launch
    """

    name: str
    module: str
    namespace: str = "/"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remaps: Mapping[str, str] = field(default_factory=dict)
    enclave: str = ""
    again: bool = False

    @property
    def node(self) -> str:
        """Name of the node."""
        return node_name(self.module)

    @property
    def first(self) -> bool:
        """Whether the others of its robot begin when it has done its work, and not before."""
        return self.module == UNDOCK

    @property
    def vital(self) -> bool:
        """Whether everything ends where it ends."""
        return self.module in _VITAL

    @property
    def needed(self) -> bool:
        """Whether everything ends where it ends with an error of its own, as when it cannot start."""
        return self.module in _NEEDED


def node_name(module: str) -> str:
    """Return the name of a module's node."""
    return _NODE_NAMES.get(module, module)


def robot_program(robot: str, module: str) -> str:
    """Return the name of a robot's process."""
    return f"{robot}.{module}"


def robot_programs(
    robot: str,
    parts: Mapping[str, Mapping[str, Any]],
    enclave: str,
    namespace: str | None = None,
    command_topic: str = "cmd_vel_raw",
    tree_again: bool = False,
    undock: bool = False,
) -> list[Program]:
    """Return the programs of one robot.

    Args:
        robot: its name
        parts: those of ``PARTS`` that it has, to the parameters of each
        enclave: security enclave above the robot's
        namespace: of its nodes; ``/<robot>`` if None
        command_topic: where the tree sends its commands
        tree_again: start the tree again when it dies
        undock: take the robot off its dock first
    """
    namespace = f"/{robot}" if namespace is None else namespace
    found = []
    if undock:
        found.append(Program(robot_program(robot, UNDOCK), UNDOCK, namespace, enclave=f"{enclave}/{robot}/{UNDOCK}"))
    for part, module in PARTS.items():
        if part not in parts:
            continue
        program = Program(
            robot_program(robot, module),
            module,
            namespace,
            parts[part],
            {**_TF, "cmd_vel_raw": command_topic} if part == "tree" else _TF,
            f"{enclave}/{robot}/{node_name(module)}",
            again=module in _AGAIN or (part == "tree" and tree_again),
        )
        found.append(program)
    return found
