"""Chooses what plans a robot's path on ROS: the tree's own planner, or Nav2."""

from __future__ import annotations

from typing import Any

from arena_trees.games.game import Role
from arena_trees.nodes.nav2.navigator import Nav2Navigator
from arena_trees.nodes.nav2.parameters import Nav2Parameters
from arena_trees.nodes.runtime import parameters
from arena_trees.nodes.runtime.tree_parameters import NAV2, Navigation
from arena_trees.robot.errors import ConfigError

__all__ = ["make_navigator"]


def make_navigator(node: Any, role: Role, wanted: Navigation) -> Nav2Navigator | None:
    """Return the client of Nav2, or None where the tree plans its way itself.

    Args:
        node: whose client it is; the parameters are declared here
        role: what the robot plays
        wanted: who plans

    Raises:
        ConfigError: the role goes nowhere, a parameter cannot be used, or nav2_msgs is not installed
    """
    parameters.declare(node, Nav2Parameters, NAV2, read_only=True)
    if wanted == "embedded":
        return None
    if not role.navigates:
        raise ConfigError(f"role {role.name} drives to no goals", key="navigation", value=wanted)
    return Nav2Navigator(node, parameters.read(node, Nav2Parameters, NAV2))
