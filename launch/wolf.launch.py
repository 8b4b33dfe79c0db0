"""The wolf: robot.launch.py with its role."""

from __future__ import annotations

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir


def generate_launch_description() -> LaunchDescription:
    """Return the wolf; further arguments are those of robot.launch.py."""
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/robot.launch.py"])
    given = {"role": "wolf", "namespace": LaunchConfiguration("namespace")}
    return LaunchDescription(
        [
            DeclareLaunchArgument("namespace", default_value="/wolf", description="Namespace of the wolf."),
            IncludeLaunchDescription(source, launch_arguments=given.items()),
        ]
    )
