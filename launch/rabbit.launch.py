"""The rabbit: robot.launch.py with its role."""

from __future__ import annotations

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir


def generate_launch_description() -> LaunchDescription:
    """Return the rabbit; further arguments are those of robot.launch.py."""
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/robot.launch.py"])
    given = {"role": "rabbit", "namespace": LaunchConfiguration("namespace")}
    return LaunchDescription(
        [
            DeclareLaunchArgument("namespace", default_value="/rabbit", description="Namespace of the rabbit."),
            IncludeLaunchDescription(source, launch_arguments=given.items()),
        ]
    )
