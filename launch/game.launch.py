"""A game, as a scenario specifies: its robots and its rules, and the simulated arena where they play in it."""

from __future__ import annotations

from launch import LaunchDescription

from arena_trees.nodes.programs.game_launch import arguments, nodes
from arena_trees.nodes.programs.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Return the game."""
    return describe(arguments(), nodes)
