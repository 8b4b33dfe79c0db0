"""What ``nav2.launch.py`` starts: Nav2 without localisation.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library may be imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from arena_trees.nodes.programs.launch_argument import Argument, name_in, switch, yes_in
from arena_trees.nodes.programs.node_launch import NodeLaunch
from arena_trees.robot.configuration.resources import resource_path

__all__ = ["SERVERS", "arguments", "nodes"]

SERVERS = {
    "controller_server": "nav2_controller",
    "planner_server": "nav2_planner",
    "behavior_server": "nav2_behaviors",
    "bt_navigator": "nav2_bt_navigator",
    "velocity_smoother": "nav2_velocity_smoother",
    "collision_monitor": "nav2_collision_monitor",
}
"""Program and name of each node, and its package."""
_DRIVERS = ("controller_server", "behavior_server", "velocity_smoother")
"""Their cmd_vel is not the base's: the smoother reads what the other two publish."""
_TF = (("/tf", "tf"), ("/tf_static", "tf_static"))


def arguments() -> list[Argument]:
    """Return the arguments."""
    return [
        Argument("namespace", None, "Namespace of the robot: / and one word."),
        Argument("params_file", "", "Nav2's parameters; config/nav2.yaml if empty."),
        switch("use_sim_time", "false", "Take the time from /clock."),
    ]


def nodes(given: Mapping[str, str], folder: Path) -> list[NodeLaunch]:
    """Return Nav2's nodes, and the manager that configures and activates them.

    Args:
        given: value of each argument
        folder: not used

    Raises:
        ConfigError: an argument cannot be used
    """
    namespace = name_in(given, "namespace")
    file = given["params_file"] or str(resource_path("config", "nav2.yaml"))
    # As an argument it reaches the costmaps, too, which are nodes inside of servers.
    time = ("-p", f"use_sim_time:={'true' if yes_in(given, 'use_sim_time') else 'false'}")

    def node(package: str, executable: str, name: str, *remappings: tuple[str, str]) -> NodeLaunch:
        return NodeLaunch(
            executable,
            package,
            ros_arguments=time,
            name=name,
            exec_name=name,
            namespace=namespace,
            parameters=(file,),
            remappings=(*_TF, *remappings),
        )

    servers = [
        node(package, name, name, *([("cmd_vel", "cmd_vel_controller")] if name in _DRIVERS else []))
        for name, package in SERVERS.items()
    ]
    return [*servers, node("nav2_lifecycle_manager", "lifecycle_manager", "lifecycle_manager_navigation")]
