"""One robot: its tree, its velocity gate, and what stands around them. The other launch files include this one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction, SetEnvironmentVariable, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushRosNamespace, SetParameter, SetRemap

from arena_trees.nodes.launching import ros_node
from arena_trees.robot.resources import config_path

NODE_NAMES = {"tree_node": "tree"}
"""Modules whose node has another name."""
SWITCH = ["true", "false"]
RESPAWN_DELAY_S = 2.0


def switch(name: str, default: str, description: str) -> DeclareLaunchArgument:
    """Return an argument that is true or false."""
    return DeclareLaunchArgument(name, default_value=default, choices=SWITCH, description=description)


ARGUMENTS = [
    DeclareLaunchArgument("namespace", default_value="", description="Namespace of the robot, such as /wolf."),
    DeclareLaunchArgument(
        "role", choices=["crosser", "pacman", "rabbit", "wolf"], description="Which tree drives the robot."
    ),
    DeclareLaunchArgument(
        "robot", default_value="", description="Name of the robot; the last part of the namespace, else the role."
    ),
    DeclareLaunchArgument(
        "params_file", default_value="", description="Parameter file for all nodes; config/<game>/<role>.yaml if empty."
    ),
    DeclareLaunchArgument(
        "arena", default_value="arena_4x4", description="Arena file or shipped arena with the fence; empty: no fence."
    ),
    DeclareLaunchArgument(
        "zone", default_value="", description="Name of the robot's fence in the arena; the robot's name if empty."
    ),
    DeclareLaunchArgument("seed", default_value="0", description="Seed of the tree's random choices."),
    DeclareLaunchArgument(
        "map", default_value="", description="Map that PacMan plays on, its name or YAML file; the file's if empty."
    ),
    DeclareLaunchArgument(
        "navigation",
        default_value="",
        choices=["", "embedded", "nav2"],
        description="Who plans the way of a robot that drives to goals; as the parameter file says if empty.",
    ),
    switch("isolated", "false", "No messages to or from anybody: the robot relies on its own eyes."),
    DeclareLaunchArgument(
        "domain_id", default_value="", description="ROS domain of the robot; ROS_DOMAIN_ID if empty."
    ),
    DeclareLaunchArgument("game_namespace", default_value="/arena", description="Where the game's messages are."),
    switch("use_sim_time", "false", "Take the time from /clock."),
    DeclareLaunchArgument(
        "stamped_cmd_vel",
        default_value="auto",
        choices=["auto", "true", "false"],
        description="Whether cmd_vel is TwistStamped; auto: as its subscriber wants.",
    ),
    DeclareLaunchArgument(
        "command_topic",
        default_value="cmd_vel_raw",
        description="Where the tree sends commands; another one if a multiplexer or a collision monitor stands between "
        "the tree and the gate's cmd_vel_raw.",
    ),
    switch("autostart", "true", "The tree configures and activates itself."),
    switch("tree", "true", "Start the tree."),
    switch("gate", "true", "Start the velocity gate; when it ends, the whole launch ends."),
    switch("detector", "true", "Start the sign detector."),
    switch("geofence", "true", "Start the geofence supervisor, where there is a fence."),
    switch("feedback", "true", "Start lights and sounds."),
    DeclareLaunchArgument(
        "enclave",
        default_value="/wolf_rabbit",
        description="Security enclave above those of the robots; it matters only where ROS_SECURITY_ENABLE is true.",
    ),
    switch("respawn_tree", "false", "Start the tree again when it dies; the gate stays latched until it is reset."),
]


def generate_launch_description() -> LaunchDescription:
    """Return the robot."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=robot)])


def robot(context: LaunchContext) -> list[GroupAction]:
    """Return the robot's nodes, as the arguments say."""
    given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS}
    namespace = f"/{given['namespace'].strip('/')}"
    domain = given["domain_id"] or os.environ.get("ROS_DOMAIN_ID", "")
    isolated = given["isolated"] == "true"
    # In simulation the arena must be heard, and there is nobody else.
    if isolated and given["use_sim_time"] == "false" and domain in ("", "0"):
        raise RuntimeError("an isolated robot needs a domain of its own: domain_id:=17 (1 to 101)")
    if namespace == "/" and not given["robot"]:
        given["robot"] = given["role"]
    scope = [
        PushRosNamespace(namespace),
        SetRemap("/tf", "tf"),
        SetRemap("/tf_static", "tf_static"),
        SetParameter("use_sim_time", given["use_sim_time"] == "true"),
    ]
    if domain:
        scope.insert(0, SetEnvironmentVariable("ROS_DOMAIN_ID", domain))
    # Scoped, so that another robot of the same launch has its own names, domain and remaps.
    return [GroupAction([*scope, *nodes(given, isolated)], scoped=True)]


def nodes(given: dict[str, str], isolated: bool) -> list[Node]:
    """Return the nodes that are to be started."""
    file = given["params_file"] or str(config_path(f"{given['role']}.yaml"))
    fence = {key: given[key] for key in ("robot", "arena", "zone")}
    respawn = {"respawn": True, "respawn_delay": RESPAWN_DELAY_S}
    label = given["robot"] or given["namespace"].strip("/")
    found = []

    def add(part: str, module: str, parameters: Mapping[str, object], **options: object) -> None:
        if given[part] == "true":
            settings = [file, *([dict(parameters)] if parameters else [])]
            name = NODE_NAMES.get(module, module)
            enclave = f"{given['enclave']}/{label}/{name}"
            options |= {"exec_name": f"{label}.{module}", "output": "screen", "ros_arguments": ["--enclave", enclave]}
            # With its name, so that what is given here wins over what the file says of that node.
            found.append(ros_node(module, name=name, parameters=settings, **options))

    # A gate that dies leaves a robot without its last word: nothing of the robot may go on.
    end = Shutdown(reason=f"the velocity gate of {label} ended")
    add("gate", "velocity_gate", {**fence, "stamped_cmd_vel": given["stamped_cmd_vel"]}, on_exit=end)
    own = {
        "role": given["role"],
        "seed": int(given["seed"]),
        "isolated": isolated,
        "game_namespace": given["game_namespace"],
        "autostart": given["autostart"] == "true",
    }
    own |= {key: given[key] for key in ("map", "navigation") if given[key]}
    remaps = [("cmd_vel_raw", given["command_topic"])]
    again = respawn if given["respawn_tree"] == "true" else {}
    add("tree", "tree_node", {**fence, **own}, remappings=remaps, **again)
    add("detector", "sign_detector", {}, **respawn)
    if given["arena"]:
        add("geofence", "geofence_supervisor", fence, **respawn)
    add("feedback", "feedback", {}, **respawn)
    return found
