"""A scenario on ROS: the simulated arena, each of its robots as robot.launch.py starts a real one, and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.logging import launch_config
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir

from arena_trees.nodes.launching import ros_node

if TYPE_CHECKING:
    from arena_trees.nodes.game_programs import Order
    from arena_trees.nodes.processes import Program

NODE_NAMES = {"tree_node": "tree"}
"""Modules whose node has another name."""

ARGUMENTS = [
    DeclareLaunchArgument("scenario", default_value="wolf_rabbit", description="Name of a scenario, or its file."),
    DeclareLaunchArgument("seed", default_value="", description="Seed of the game; the scenario's own if empty."),
    DeclareLaunchArgument(
        "set", default_value="", description="Changes, as arena-trees run --set has them, with ; between them."
    ),
    DeclareLaunchArgument(
        "real_time_factor", default_value="1.0", description="Simulated seconds a second, where the machine can."
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the game."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=game)])


def game(context: LaunchContext) -> list[Action]:
    """Return the arena, the robots and the rules of the scenario."""
    from arena_trees.commands.run_ros import prepare
    from arena_trees.nodes.game_programs import ARENA, PACMAN, REFEREE, write_programs

    given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS}
    changes = [change.strip() for change in given["set"].split(";") if change.strip()]
    order = prepare(given["scenario"], changes, {"seed": int(given["seed"])} if given["seed"] else {})
    if order.plan.arena.crossing is not None:
        raise RuntimeError(f"a crossing is launched by crossroads.launch.py sim:={given['scenario']}")
    folder = Path(launch_config.log_dir) / "parameters"
    programs = write_programs(order, folder)
    found = []
    for program in programs:
        if program.module == ARENA:
            pace = {"real_time_factor": float(given["real_time_factor"])}
            # Without the arena nothing is left to play in.
            end = Shutdown(reason="the arena ended")
            found.append(alone(program, folder, pace, on_exit=end))
        elif program.module in (REFEREE, PACMAN):
            found.append(alone(program, folder, {"autostart": True}))
    return [*found, *(robot(name, order, programs, folder) for name in order.plan.robots)]


def alone(program: Program, folder: Path, settings: Mapping[str, object], **options: object) -> Action:
    """Return a node that belongs to no robot."""
    # A file, because launch_ros writes lists among its own parameters as Python's tuples.
    file = write(folder / f"{program.name}.yaml", {"/**": {**program.parameters, **settings}})
    enclave = ["--enclave", f"/wolf_rabbit/{program.module}"]
    return ros_node(
        program.module, exec_name=program.name, output="screen", parameters=[file], ros_arguments=enclave, **options
    )


def write(file: Path, nodes: Mapping[str, Mapping[str, object]]) -> str:
    """Write the parameters of nodes, and return the file."""
    content = {node: {"ros__parameters": dict(values)} for node, values in nodes.items()}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return str(file)


def robot(name: str, order: Order, programs: list[Program], folder: Path) -> GroupAction:
    """Return a robot of the scenario, with a parameter file that holds what the scenario says of its nodes."""
    own = [program for program in programs if program.namespace == f"/{name}"]
    nodes = {f"/**/{NODE_NAMES.get(program.module, program.module)}": program.parameters for program in own}
    arguments = {
        "namespace": f"/{name}",
        "role": order.plan.robots[name].entry.role,
        "params_file": write(folder / f"{name}.yaml", nodes),
        "arena": str(own[0].parameters["arena"]),
        "seed": str(order.seed),
        "isolated": str(order.plan.scenario.isolated).lower(),
        "use_sim_time": "true",
        "detector": str("/**/sign_detector" in nodes).lower(),
        # The simulated base has neither lights nor a loudspeaker.
        "feedback": "false",
    }
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/robot.launch.py"])
    # Scoped, so that what is set for one robot does not reach the next.
    return GroupAction([IncludeLaunchDescription(source, launch_arguments=arguments.items())])
