"""Nav2 for a robot whose tree lets it plan the way. Localisation is started on its own, see docs/nav2.md."""

from __future__ import annotations

from launch import LaunchDescription

from arena_trees.nodes.programs.launching import describe
from arena_trees.nodes.programs.nav2_launch import arguments, nodes


def generate_launch_description() -> LaunchDescription:
    """Return Nav2 without localisation."""
    return describe(arguments(), nodes)
