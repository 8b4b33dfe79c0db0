"""Nav2 for a robot whose tree lets it plan the way. Localisation is started on its own, see docs/nav2.md."""

from __future__ import annotations

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction
from launch_ros.actions import Node, PushRosNamespace, SetParameter, SetRemap

from arena_trees.nodes.programs.launching import given_values, option, switch
from arena_trees.robot.configuration.resources import resource_path

SERVERS = {
    "controller_server": "nav2_controller",
    "planner_server": "nav2_planner",
    "behavior_server": "nav2_behaviors",
    "bt_navigator": "nav2_bt_navigator",
    "velocity_smoother": "nav2_velocity_smoother",
    "collision_monitor": "nav2_collision_monitor",
}
"""Program and name of each node, and its package."""
DRIVERS = ("controller_server", "behavior_server", "velocity_smoother")
"""Their cmd_vel is not the base's: the smoother reads what the other two publish."""

ARGUMENTS = [
    DeclareLaunchArgument("namespace", description="Namespace of the robot: / and one word."),
    option("params_file", "", "Nav2's parameters; config/nav2.yaml if empty."),
    switch("use_sim_time", "false", "Take the time from /clock."),
]


def generate_launch_description() -> LaunchDescription:
    """Return Nav2 without localisation."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=nav2)])


def nav2(context: LaunchContext) -> list[Action]:
    """Return Nav2's nodes, which a manager of their own configures and activates."""
    given = given_values(ARGUMENTS, context)
    file = given["params_file"] or str(resource_path("config", "nav2.yaml"))
    scope = [
        PushRosNamespace(given["namespace"]),
        SetRemap("/tf", "tf"),
        SetRemap("/tf_static", "tf_static"),
        SetParameter("use_sim_time", given["use_sim_time"] == "true"),
    ]
    servers = [
        Node(
            package=package,
            executable=name,
            name=name,
            output="screen",
            parameters=[file],
            remappings=[("cmd_vel", "cmd_vel_controller")] if name in DRIVERS else [],
        )
        for name, package in SERVERS.items()
    ]
    manager = Node(
        package="nav2_lifecycle_manager",
        executable="lifecycle_manager",
        name="lifecycle_manager_navigation",
        output="screen",
        parameters=[file],
    )
    return [GroupAction([*scope, *servers, manager])]
