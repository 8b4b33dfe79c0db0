"""One robot: its tree, its velocity gate, and what stands around them; without a scenario."""

from __future__ import annotations

from launch import LaunchDescription

from arena_trees.nodes.programs.launching import describe
from arena_trees.nodes.programs.robot_launch import arguments, nodes


def generate_launch_description() -> LaunchDescription:
    """Return the robot."""
    return describe(arguments(), nodes)
