"""Wall following: game.launch.py with its scenario."""

from __future__ import annotations

from launch import LaunchDescription

from arena_trees.nodes.programs.launching import scenario_launch


def generate_launch_description() -> LaunchDescription:
    """Return the game; further arguments are those of game.launch.py."""
    return scenario_launch("wall_following")
