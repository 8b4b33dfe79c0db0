"""PacMan on a real robot: robot.launch.py with its role, and the game itself."""

from __future__ import annotations

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir

from arena_trees.nodes.launching import ros_node

SWITCH = ["true", "false"]

ARGUMENTS = [
    DeclareLaunchArgument("namespace", default_value="/pacman", description="Namespace of the robot: / and one word."),
    DeclareLaunchArgument("map", default_value="flat", description="Map: a name of config/maps, or its YAML file."),
    DeclareLaunchArgument("game_params_file", default_value="", description="Parameter file for the game's own node."),
    DeclareLaunchArgument("arena", default_value="", description="Arena file with the robot's fence; none if empty."),
    DeclareLaunchArgument(
        "detector", default_value="false", choices=SWITCH, description="Start the sign detector; PacMan needs none."
    ),
    DeclareLaunchArgument("enclave", default_value="/pacman_game", description="Security enclave above all."),
    DeclareLaunchArgument(
        "use_sim_time", default_value="false", choices=SWITCH, description="Take the time from /clock."
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the robot and the game; further arguments are those of robot.launch.py."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=game)])


def game(context: LaunchContext) -> list[Action]:
    """Return the robot and the node that leads its game."""
    given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS}
    robot = given["namespace"].rsplit("/", 1)[-1]
    own = {"robot": robot, "map": given["map"], "use_sim_time": given["use_sim_time"] == "true"}
    file = [given["game_params_file"]] if given["game_params_file"] else []
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/robot.launch.py"])
    passed = {key: given[key] for key in ("namespace", "map", "arena", "detector", "enclave", "use_sim_time")}
    return [
        GroupAction([IncludeLaunchDescription(source, launch_arguments={"role": "pacman", **passed}.items())]),
        ros_node(
            "pacman_game",
            name="pacman_game",
            exec_name="pacman_game",
            output="screen",
            parameters=[*file, own],
            ros_arguments=["--enclave", f"{given['enclave']}/pacman_game"],
        ),
    ]
