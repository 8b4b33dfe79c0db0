"""A game on ROS, as a scenario says: its robots and its rules, and the simulated arena where they play in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction
from launch.logging import launch_config

from arena_trees.nodes.programs.launching import given_values, program_node, switch

PARTS = ("tree", "gate", "detector", "geofence", "localiser", "feedback")

ARGUMENTS = [
    DeclareLaunchArgument("scenario", description="Name of a scenario, or its file: who plays what where."),
    DeclareLaunchArgument(
        "set", default_value="", description="Changes, as arena-trees run --set has them, with ; between them."
    ),
    DeclareLaunchArgument("seed", default_value="", description="Seed of the game; the scenario's own if empty."),
    switch("sim", "false", "Play in the simulated arena, and not with real robots."),
    DeclareLaunchArgument(
        "real_time_factor",
        default_value="1.0",
        description="With sim: simulated seconds a second, where the machine can.",
    ),
    DeclareLaunchArgument(
        "robots", default_value="all", description="Robots whose nodes are started here: names with , between them."
    ),
    switch("game", "true", "Start the rules here."),
    DeclareLaunchArgument(
        "params_file",
        default_value="",
        description="Parameter file for all nodes; what it says wins over the scenario.",
    ),
    DeclareLaunchArgument(
        "starts",
        default_value="given",
        choices=["given", "seen"],
        description="Robots start, as the rules see it, where the scenario says, or where each is seen first.",
    ),
    DeclareLaunchArgument(
        "stamped_cmd_vel",
        default_value="auto",
        choices=["auto", "true", "false"],
        description="Whether cmd_vel is TwistStamped; auto: as its subscriber wants.",
    ),
    DeclareLaunchArgument(
        "command_topic",
        default_value="cmd_vel_raw",
        description="Where trees send commands; another one if a multiplexer or a collision monitor stands between "
        "tree and gate.",
    ),
    DeclareLaunchArgument(
        "navigation",
        default_value="",
        choices=["", "embedded", "nav2"],
        description="Who plans the way of robots that drive to goals; embedded if empty.",
    ),
    switch("autostart", "true", "Trees and rules begin by themselves."),
    switch("tree", "true", "Start the trees."),
    switch("gate", "true", "Start the velocity gates; when one ends, the whole launch ends."),
    switch("detector", "true", "Start the sign detectors, of roles that see signs."),
    switch("geofence", "true", "Start the geofence supervisors, of robots with a fence."),
    switch("localiser", "true", "Start the localisers, of roles that have one of their own."),
    switch("feedback", "true", "Start lights and sounds of real robots."),
    switch("respawn_tree", "false", "Start a tree again when it dies; its gate stays latched until it is reset."),
]


def generate_launch_description() -> LaunchDescription:
    """Return the game."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=game)])


def game(context: LaunchContext) -> list[Action]:
    """Return the programs of the scenario."""
    # Here alone: it needs what our nodes need.
    from arena_trees.nodes.programs.game_programs import prepare, write_programs

    given = given_values(ARGUMENTS, context)
    changes = [change.strip() for change in given["set"].split(";") if change.strip()]
    seed = {"seed": int(given["seed"])} if given["seed"] else {}
    order = prepare(given["scenario"], changes, seed, given["sim"] == "true")
    folder = Path(launch_config.log_dir) / "parameters"
    programs = write_programs(order, folder, options(given, list(order.plan.robots)))
    files = [given["params_file"]] if given["params_file"] else []
    # Scoped, so that nothing of another launch file that includes this one reaches the nodes.
    return [GroupAction([program_node(program, after=files) for program in programs], scoped=True)]


def options(given: dict[str, str], known: list[str]) -> Any:
    """Return how the game is played."""
    from arena_trees.nodes.programs.game_programs import ARENA, GAME, Options

    robots = (
        known if given["robots"] == "all" else [name.strip() for name in given["robots"].split(",") if name.strip()]
    )
    strangers = [name for name in robots if name not in known]
    if strangers:
        raise RuntimeError(f"robots: there is no {', '.join(strangers)}; there are {', '.join(known)}")
    return Options(
        simulated=given["sim"] == "true",
        autostart=given["autostart"] == "true",
        robots=robots,
        rules=given["game"] == "true",
        off=[part for part in PARTS if given[part] == "false"],
        command_topic=given["command_topic"],
        tree_again=given["respawn_tree"] == "true",
        more={
            "gate": {"stamped_cmd_vel": given["stamped_cmd_vel"]},
            "tree": {"navigation": given["navigation"]} if given["navigation"] else {},
            GAME: {"starts": given["starts"]},
            ARENA: {"real_time_factor": float(given["real_time_factor"])},
        },
    )
