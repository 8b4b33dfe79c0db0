"""One robot: its tree, its velocity gate, and what stands around them; without a scenario."""

from __future__ import annotations

import os
from typing import Any

import yaml
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction, SetEnvironmentVariable

from arena_trees.nodes.programs.launching import (
    given_values,
    has_fences,
    option,
    program_node,
    robot_arguments,
    role_choices,
    switch,
)
from arena_trees.nodes.programs.parameter_file import check_parameter_file, robot_nodes
from arena_trees.nodes.programs.program import robot_programs
from arena_trees.robot.configuration.resources import config_path

ARGUMENTS = [
    option("namespace", "", "Namespace of the robot: / and one word."),
    DeclareLaunchArgument("role", choices=role_choices(), description="Which tree drives the robot."),
    option("robot", "", "Name of the robot; the last part of the namespace, else the role."),
    option("params_file", "", "Parameter file for all nodes; config/<game>/<role>.yaml if empty."),
    option("arena", "arena_4x4", "Arena file or shipped arena with the fence; empty: no fence."),
    option("zone", "", "Name of the robot's fence in the arena; the robot's name if empty."),
    option("body", "", "What is different about the robot's body: {radius: 0.2}; as the arena says if empty."),
    option("rules", "", "Rules of the game that are not as by default: key=value; key=value."),
    option("seed", "0", "Seed of the tree's random choices."),
    option("map", "", "Map of a role that plays on one, its name or YAML file; the file's if empty."),
    option(
        "start", "", "Where its localiser is told that it starts: [x, y, yaw], m and rad; as the arena says if empty."
    ),
    switch("isolated", "false", "No messages to or from anybody: the robot relies on its own eyes."),
    option("domain_id", "", "ROS domain of the robot; ROS_DOMAIN_ID if empty."),
    option("game_namespace", "/arena", "Where the game's messages are."),
    switch("use_sim_time", "false", "Take the time from /clock."),
    switch("autostart", "true", "The tree configures and activates itself."),
    *robot_arguments(localiser="false", spheres="false"),
    option(
        "enclave",
        "",
        "Security enclave above those of the robots, / and the game's name if empty; it matters only where "
        "ROS_SECURITY_ENABLE is true.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the robot."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=robot)])


def robot(context: LaunchContext) -> list[Action]:
    """Return the robot's nodes, as the arguments say."""
    given = given_values(ARGUMENTS, context)
    namespace = f"/{given['namespace'].strip('/')}"
    domain = given["domain_id"] or os.environ.get("ROS_DOMAIN_ID", "")
    isolated = given["isolated"] == "true"
    # In simulation the arena must be heard, and there is nobody else.
    if isolated and given["use_sim_time"] == "false" and domain in ("", "0"):
        raise RuntimeError("an isolated robot needs a domain of its own: domain_id:=17 (1 to 101)")
    if namespace == "/" and not given["robot"]:
        given["robot"] = given["role"]
    shipped = config_path(f"{given['role']}.yaml")
    programs = robot_programs(
        given["robot"] or namespace.strip("/"),
        parts(given, isolated),
        # The game's files are in a folder of its name.
        given["enclave"] or f"/{shipped.parent.name}",
        namespace,
        given["command_topic"],
        given["respawn_tree"] == "true",
    )
    file = given["params_file"] or str(shipped)
    check_parameter_file(file, robot_nodes(namespace))
    nodes = [program_node(program, before=[file]) for program in programs]
    scope = [SetEnvironmentVariable("ROS_DOMAIN_ID", domain)] if domain else []
    # Scoped, so that another robot of the same launch has its own domain.
    return [GroupAction([*scope, *nodes], scoped=True)]


def parts(given: dict[str, str], isolated: bool) -> dict[str, dict[str, Any]]:
    """Return the parts that are to be started, and what each is told."""
    fence = {key: given[key] for key in ("robot", "arena", "zone")}
    rules = [rule.strip() for rule in given["rules"].split(";") if rule.strip()]
    role = {"role": given["role"], "rules": rules or [""]}
    tree = {
        **fence,
        "role": given["role"],
        "seed": int(given["seed"]),
        "isolated": isolated,
        "game_namespace": given["game_namespace"],
        "autostart": given["autostart"] == "true",
        **{key: given[key] for key in ("map", "navigation") if given[key]},
    }
    body = {"body": given["body"]} if given["body"] else {}
    # Where it is not given here, the parameter file may say it.
    loose = {"allow_loose_gate": True} if given["allow_loose_gate"] == "true" else {}
    localiser: dict[str, Any] = {"robot": given["robot"], "arena": given["arena"], **role}
    if given["start"]:
        localiser["start"] = [float(value) for value in yaml.safe_load(given["start"])]
    messages = {"game_namespace": given["game_namespace"]}
    found: dict[str, dict[str, Any]] = {
        "tree": {**tree, **body},
        "gate": {**fence, **role, **body, **messages, **loose, "stamped_cmd_vel": given["stamped_cmd_vel"]},
        "detector": {},
        "spheres": {},
        "localiser": localiser,
        "feedback": {"role": given["role"]},
    }
    if has_fences(given["arena"]):
        found["geofence"] = fence
    time = {"use_sim_time": given["use_sim_time"] == "true"}
    return {part: {**reported, **time} for part, reported in found.items() if given[part] == "true"}
