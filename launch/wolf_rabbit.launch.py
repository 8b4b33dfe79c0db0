"""The game of wolf and rabbit on real robots, all of it started from one machine."""

from __future__ import annotations

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir
from launch_ros.parameter_descriptions import ParameterValue

from arena_trees.nodes.launching import ros_node

ROBOTS = ("wolf", "rabbit")


def generate_launch_description() -> LaunchDescription:
    """Return both robots and a referee that sees them by their localisation; further arguments are a robot's."""
    arena = "Arena file or shipped arena with both fences, in the map of both robots."
    enclave = ["--enclave", [LaunchConfiguration("enclave"), "/referee"]]
    simulated = ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)
    rules = {"arena": LaunchConfiguration("arena"), "witness": "tf", "use_sim_time": simulated}
    return LaunchDescription(
        [
            DeclareLaunchArgument("arena", default_value="arena_4x4", description=arena),
            DeclareLaunchArgument("enclave", default_value="/wolf_rabbit", description="Security enclave above all."),
            DeclareLaunchArgument(
                "use_sim_time",
                default_value="false",
                choices=["true", "false"],
                description="Take the time from /clock.",
            ),
            *(action for name in ROBOTS for action in robot(name)),
            ros_node("referee", exec_name="referee", output="screen", parameters=[rules], ros_arguments=enclave),
        ]
    )


def robot(name: str) -> tuple[DeclareLaunchArgument, GroupAction]:
    """Return one robot, with an argument of its own."""
    file = f"{name}_params_file"
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), f"/{name}.launch.py"])
    given = {"params_file": LaunchConfiguration(file)}
    described = f"Parameter file for the nodes of the {name}; config/{name}.yaml if empty."
    return (
        DeclareLaunchArgument(file, default_value="", description=described),
        # Scoped, so that what one robot's file sets does not reach the other.
        GroupAction([IncludeLaunchDescription(source, launch_arguments=given.items())]),
    )
