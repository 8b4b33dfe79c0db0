"""A game on ROS, as a scenario says: its robots and its rules, and the simulated arena where they play in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction
from launch.logging import launch_config

from arena_trees.nodes.programs.launching import given_values, option, program_node, robot_arguments, switch
from arena_trees.nodes.programs.parameter_file import check_parameter_file, robot_nodes
from arena_trees.nodes.programs.program import PARTS

ARGUMENTS = [
    DeclareLaunchArgument("scenario", description="Name of a scenario, or its file: who plays what where."),
    option("set", "", "Changes, as arena-trees run --set has them, with ; between them."),
    option("seed", "", "Seed of the game; the scenario's own if empty."),
    switch("sim", "false", "Play in the simulated arena, and not with real robots."),
    option("real_time_factor", "1.0", "With sim: simulated seconds a second, where the machine can."),
    option("robots", "all", "Robots whose nodes are started here: names with , between them."),
    switch("game", "true", "Start the rules here."),
    option("params_file", "", "Parameter file for all nodes; what it says wins over the scenario."),
    DeclareLaunchArgument(
        "starts",
        default_value="given",
        choices=["given", "seen"],
        description="Robots start, as the rules see it, where the scenario says, or where each is seen first.",
    ),
    switch("autostart", "true", "Trees and rules begin by themselves."),
    *robot_arguments(localiser="true", spheres="true"),
]


def generate_launch_description() -> LaunchDescription:
    """Return the game."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=game)])


def game(context: LaunchContext) -> list[Action]:
    """Return the programs of the scenario."""
    # Here alone: it needs what our nodes need.
    from arena_trees.nodes.programs.game_programs import ARENA, GAME, prepare, write_programs

    given = given_values(ARGUMENTS, context)
    changes = [change.strip() for change in given["set"].split(";") if change.strip()]
    seed = {"seed": int(given["seed"])} if given["seed"] else {}
    order = prepare(given["scenario"], changes, seed, given["sim"] == "true", given["allow_loose_gate"] == "true")
    folder = Path(launch_config.log_dir) / "parameters"
    programs = write_programs(order, folder, options(given, list(order.plan.robots)))
    files = [given["params_file"]] if given["params_file"] else []
    known = [node for name in order.plan.robots for node in robot_nodes(f"/{name}")]
    for file in files:
        check_parameter_file(file, [*known, f"/{GAME}", f"/{ARENA}"])
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
