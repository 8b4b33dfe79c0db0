"""Parameters of the tree node, and every key that it takes."""

from __future__ import annotations

from typing import Literal

from arena_trees.games.game import Role
from arena_trees.nodes.nav2.parameters import Nav2Parameters
from arena_trees.nodes.runtime.parameters import field_keys
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.world.camera_optics import CameraOptics

__all__ = [
    "CAMERA",
    "FENCE",
    "NAV2",
    "VIEWER_PARAMETERS",
    "Navigation",
    "TreeNodeParameters",
    "TreeSeed",
    "tree_keys",
]

Navigation = Literal["embedded", "nav2"]

FENCE, CAMERA, NAV2 = "fence.", "camera.", "nav2."
"""Prefixes of the keys of FenceParameters, CameraOptics and Nav2Parameters."""

VIEWER_PARAMETERS = (
    "default_snapshot_stream",
    "default_snapshot_period",
    "default_snapshot_blackboard_data",
    "default_snapshot_blackboard_activity",
    "setup_timeout",
)
"""Parameters that py_trees_ros declares; without it they mean nothing."""


class TreeSeed(Parameters):
    """What a tree draws its random choices from: another in each trial of an experiment."""

    seed: int = parameter(0, "seed of the tree's random choices", read_only=True, ge=0, lt=1 << 31)


class TreeNodeParameters(Parameters):
    """The tree node's own parameters, besides those of its role."""

    role: str = parameter(..., "which tree", read_only=True)
    robot: str = parameter("", "name of the robot; empty for the last part of the namespace", read_only=True)
    arena: str = parameter("", "arena file or shipped arena with the fence; empty for no fence", read_only=True)
    zone: str = parameter("", "name of the fence in the arena; empty for the robot's name", read_only=True)
    body: str = parameter(
        "", "what is different about the robot's body, as YAML such as {radius: 0.2}; as in the arena if empty",
        read_only=True,
    )  # fmt: skip
    rules: tuple[str, ...] = parameter(
        (), "rules of its game that are not as by default, such as key=value", read_only=True
    )
    isolated: bool = parameter(False, "no messages: the robot relies on its own eyes", read_only=True)
    game_namespace: str = parameter("/arena", "where the game's messages go", read_only=True)
    autostart: bool = parameter(True, "configure and activate without a command", read_only=True)
    navigation: Navigation = parameter("embedded", "who plans the way, for a role that drives to goals", read_only=True)
    hang_timeout: float = parameter(
        1.0, "how long the tree itself may have been held up until it latches", "s", read_only=True, gt=0.1, le=60.0
    )
    record: bool = parameter(True, "publish recording, tree and ticks, for bags and viewers", read_only=True)
    map_frame: str = parameter("map", "fixed frame of the fence", read_only=True)
    odom_frame: str = parameter("odom", "frame of dead reckoning", read_only=True)
    base_frame: str = parameter("base_link", "frame of the robot", read_only=True)


def tree_keys(role: Role) -> frozenset[str]:
    """Return the keys that the tree node of a role takes."""
    return frozenset(
        (
            *field_keys(TreeNodeParameters),
            *field_keys(TreeSeed),
            *field_keys(role.parameters),
            *field_keys(FenceParameters, FENCE),
            *field_keys(CameraOptics, CAMERA),
            *field_keys(Nav2Parameters, NAV2),
            *VIEWER_PARAMETERS,
        )
    )
