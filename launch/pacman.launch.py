"""PacMan: game.launch.py with its scenario."""

from __future__ import annotations

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir


def generate_launch_description() -> LaunchDescription:
    """Return the game; further arguments are those of game.launch.py."""
    described = "Name of a scenario, or its file."
    scenario = DeclareLaunchArgument("scenario", default_value="pacman", description=described)
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/game.launch.py"])
    given = {"scenario": LaunchConfiguration("scenario")}
    return LaunchDescription([scenario, IncludeLaunchDescription(source, launch_arguments=given.items())])
