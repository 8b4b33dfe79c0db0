"""A crossing: any number of robots, each as robot.launch.py starts it with its lane localiser, and the scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.logging import launch_config
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir
from launch_ros.actions import PushRosNamespace, SetParameter, SetRemap

from arena_trees.nodes.launching import ros_node
from arena_trees.robot.resources import config_path

SWITCH = ["true", "false"]

ARGUMENTS = [
    DeclareLaunchArgument(
        "robots", default_value="robot_1,robot_2", description="Names of all robots, which are their namespaces, too."
    ),
    DeclareLaunchArgument(
        "arena", default_value="crossing_4", description="Arena file or shipped arena with the crossing."
    ),
    DeclareLaunchArgument(
        "starts",
        default_value="{}",
        description="Where robots stand in the beginning, where not as the arena says: {robot_1: [x, y, yaw]}. It is "
        "told later by the topic initialpose.",
    ),
    DeclareLaunchArgument(
        "protocol", default_value="arena", choices=["arena", "source"], description="Ours, or document 003's."
    ),
    DeclareLaunchArgument(
        "brightness", default_value="0.0", description="Added to the cameras' pixels: one number, or {robot_2: 20.0}."
    ),
    DeclareLaunchArgument(
        "contrast", default_value="1.0", description="Stretches the cameras' pixels: one number, or {robot_2: 1.3}."
    ),
    DeclareLaunchArgument(
        "calibration",
        default_value="",
        description="File of the cameras and colours of all robots; config/crossroads/lane_calibration.yaml if empty.",
    ),
    DeclareLaunchArgument(
        "markers", default_value="true", choices=SWITCH, description="Look for the markers at the corners, too."
    ),
    DeclareLaunchArgument(
        "params_file",
        default_value="",
        description="Parameter file for all nodes; config/crossroads/crosser.yaml if empty.",
    ),
    DeclareLaunchArgument(
        "sim",
        default_value="",
        description="Scenario that is simulated, with its own robots, arena, starts, protocol, markers and parameters; "
        "none if empty.",
    ),
    DeclareLaunchArgument(
        "set", default_value="", description="Changes of sim, as arena-trees run --set has them, with ; between them."
    ),
    DeclareLaunchArgument(
        "seed", default_value="", description="Seed of random choices, and of sim; the scenario's own, or 0, if empty."
    ),
    DeclareLaunchArgument("enclave", default_value="/crossroads", description="Security enclave above all."),
    DeclareLaunchArgument(
        "use_sim_time", default_value="false", choices=SWITCH, description="Take the time from /clock, as with sim."
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the crossing; further arguments are those of robot.launch.py."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=crossroads)])


def crossroads(context: LaunchContext) -> list[Action]:
    """Return the robots, the scheduler, and the arena where it is simulated."""
    given = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS}
    folder = Path(launch_config.log_dir) / "parameters"
    folder.mkdir(parents=True, exist_ok=True)
    told: dict[str, dict[str, Any]] = {}
    if given["sim"]:
        told, names, seed = simulated(given, folder)
        given |= {"robots": ",".join(names), "seed": str(seed), "use_sim_time": "true"}
    robots = [name.strip() for name in given["robots"].split(",") if name.strip()]
    if not robots or len(set(robots)) < len(robots):
        raise RuntimeError(f"robots: must be different names with commas between them, not {given['robots']!r}")
    # Files, because launch_ros writes lists among its own parameters as Python's tuples.
    if told:
        found: list[Action] = [robot(name, given, told_robot(name, told, folder), folder, told) for name in robots]
        rules = told["crossing_scheduler"]
    else:
        file = write(folder / "robots.yaml", with_plan(given))
        found = [robot(name, given, file, folder) for name in robots]
        rules = {"roster": robots, "arena": given["arena"], "protocol": given["protocol"]}
    found.append(alone("crossing_scheduler", {**rules, "use_sim_time": given["use_sim_time"] == "true"}, given, folder))
    if told:
        # Without the arena nothing is left to drive in.
        end = Shutdown(reason="the arena ended")
        found.append(alone("arena_simulator", told["arena_simulator"], given, folder, on_exit=end))
    return found


def simulated(given: Mapping[str, str], folder: Path) -> tuple[dict[str, dict[str, Any]], list[str], int]:
    """Return what a scenario tells each program, its robots, and its seed."""
    # Here alone, as in simulation.launch.py: it needs what our nodes need.
    from arena_trees.commands.run_ros import prepare
    from arena_trees.nodes.game_programs import write_programs

    if given["params_file"]:
        raise RuntimeError("params_file: a simulated crossing has its scenario's parameters; set:= changes them")
    changes = [change.strip() for change in given["set"].split(";") if change.strip()]
    order = prepare(given["sim"], changes, {"seed": int(given["seed"])} if given["seed"] else {})
    if order.plan.arena.crossing is None:
        raise RuntimeError(f"{order.scenario}: the scenario's robots do not drive at a crossing")
    told = {program.name: dict(program.parameters) for program in write_programs(order, folder)}
    return told, list(order.plan.robots), order.seed


def told_robot(name: str, told: Mapping[str, Mapping[str, object]], folder: Path) -> str:
    """Return a robot's parameter file with what its scenario says."""
    nodes = {"/**/tree": told[f"{name}.tree_node"], "/**/velocity_gate": told[f"{name}.velocity_gate"]}
    return write(folder / f"{name}.yaml", nodes)


def robot(
    name: str, given: Mapping[str, str], file: str, folder: Path, told: Mapping[str, Mapping[str, Any]] | None = None
) -> GroupAction:
    """Return one robot with its lane localiser, and with what a scenario tells it, if there is one."""
    scenario = {} if told is None else told[f"{name}.lane_localiser"]
    arena = str(scenario.get("arena", given["arena"]))
    arguments = {
        "namespace": f"/{name}",
        "role": "crosser",
        "params_file": file,
        # Its gate holds it before the stop line; there is no fence.
        "arena": arena,
        "seed": given["seed"] or "0",
        "geofence": "false",
        "detector": "false",
        "enclave": given["enclave"],
        "use_sim_time": given["use_sim_time"],
    }
    if given["sim"]:
        # The simulated base has neither lights nor a loudspeaker.
        arguments["feedback"] = "false"
    source = PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/robot.launch.py"])
    own: dict[str, Any] = {"robot": name, "arena": arena, "markers": given["markers"] == "true", **scenario}
    own |= {key: number(given[key], name, default) for key, default in (("brightness", 0.0), ("contrast", 1.0))}
    if given["calibration"]:
        own["calibration"] = given["calibration"]
    starts = yaml.safe_load(given["starts"]) or {}
    if name in starts and not scenario:
        own["start"] = [float(value) for value in starts[name]]
    eyes = ros_node(
        "lane_localiser",
        name="lane_localiser",
        exec_name=f"{name}.lane_localiser",
        output="screen",
        parameters=[file, write(folder / f"{name}.lanes.yaml", {"/**/lane_localiser": own})],
        ros_arguments=["--enclave", f"{given['enclave']}/{name}/lane_localiser"],
        # Not started again when it dies: it would take its start for where the robot is. The gate stops the robot.
    )
    scope = [
        PushRosNamespace(f"/{name}"),
        SetRemap("/tf", "tf"),
        SetRemap("/tf_static", "tf_static"),
        SetParameter("use_sim_time", given["use_sim_time"] == "true"),
    ]
    included = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    # Scoped, so that what is set for one robot does not reach the next.
    return GroupAction([GroupAction([included]), GroupAction([*scope, eyes])])


def alone(
    module: str, parameters: Mapping[str, object], given: Mapping[str, str], folder: Path, **options: object
) -> Action:
    """Return a node that belongs to no robot."""
    file = write(folder / f"{module}.yaml", {f"/**/{module}": parameters})
    enclave = ["--enclave", f"{given['enclave']}/{module}"]
    return ros_node(
        module, name=module, exec_name=module, output="screen", parameters=[file], ros_arguments=enclave, **options
    )


def with_plan(given: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """Return the robots' parameter file, by node, with the plan of the arena's crossing for all that have one."""
    file = given["params_file"] or str(config_path("crosser.yaml"))
    content = yaml.safe_load(Path(file).read_text(encoding="utf-8")) or {}
    nodes = {node: dict(section["ros__parameters"]) for node, section in content.items()}
    tree = nodes.setdefault("/**/tree", {})
    tree |= {f"plan.{key}": value for key, value in plan(given["arena"]).items()}
    return nodes


def plan(arena: str) -> dict[str, object]:
    """Return the plan of an arena's crossing, as far as the file says anything."""
    file = Path(arena)
    if not file.is_file():
        file = config_path("arenas", arena if file.suffix == ".yaml" else f"{arena}.yaml")
    crossing = yaml.safe_load(file.read_text(encoding="utf-8")).get("crossing")
    if crossing is None:
        raise RuntimeError(f"{file}: crossing: the arena has no crossing")
    return dict(crossing.get("plan") or {})


def number(text: str, robot: str, default: float) -> float:
    """Return a number for a robot: the one for all, or its own where there is one for each."""
    value = yaml.safe_load(text)
    return float(value.get(robot, default) if isinstance(value, dict) else value)


def write(file: Path, nodes: Mapping[str, Mapping[str, object]]) -> str:
    """Write the parameters of nodes, and return the file."""
    content = {node: {"ros__parameters": dict(values)} for node, values in nodes.items()}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return str(file)
