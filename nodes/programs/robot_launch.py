"""What ``robot.launch.py`` starts: one robot, without a scenario.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library, PyYAML and ament_index_python may be imported here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from arena_trees.nodes.programs.launch_argument import (
    Argument,
    name_in,
    number_in,
    pose_in,
    robot_arguments,
    switch,
    words_in,
    yes_in,
)
from arena_trees.nodes.programs.node_launch import NodeLaunch, in_order, launched
from arena_trees.nodes.programs.parameter_file import check_parameter_file, robot_nodes
from arena_trees.nodes.programs.program import robot_programs
from arena_trees.robot.configuration.resources import ResourceNotFoundError, config_path
from arena_trees.robot.errors import ConfigError

__all__ = ["arguments", "nodes"]

_MOST_SEEDS = (1 << 31) - 1
_LAST_DOMAIN = 232


def arguments() -> list[Argument]:
    """Return the arguments."""
    return [
        Argument("namespace", "", "Namespace of the robot: / and one word."),
        Argument("role", None, "Which tree drives the robot.", _role_names()),
        Argument("robot", "", "Name of the robot; the last part of the namespace, else the role."),
        Argument("params_file", "", "Parameter file for all nodes; config/<game>/<role>.yaml if empty."),
        Argument("arena", "arena_4x4", "Arena file or shipped arena with the fence; empty: no fence."),
        Argument("zone", "", "Name of the robot's fence in the arena; the robot's name if empty."),
        Argument("body", "", "What is different about the robot's body: {radius: 0.2}; as the arena says if empty."),
        Argument("rules", "", "Rules of the game that are not as by default: key=value; key=value."),
        Argument("seed", "0", "Seed of the tree's random choices."),
        Argument("map", "", "Map of a role that plays on one, its name or YAML file; the file's if empty."),
        Argument(
            "start",
            "",
            "Where its localiser is told that it starts: [x, y, yaw], m and rad; as the arena says if empty.",
        ),
        switch("isolated", "false", "No messages to or from anybody: the robot relies on its own eyes."),
        Argument("domain_id", "", "ROS domain of the robot; ROS_DOMAIN_ID if empty."),
        Argument("game_namespace", "/arena", "Where the game's messages are."),
        switch("use_sim_time", "false", "Take the time from /clock."),
        switch("autostart", "true", "The tree configures and activates itself."),
        *robot_arguments(localiser="false", spheres="false"),
        Argument(
            "enclave",
            "",
            "Security enclave above those of the robots, / and the game's name if empty; it matters only where "
            "ROS_SECURITY_ENABLE is true.",
        ),
    ]


def nodes(given: Mapping[str, str], folder: Path) -> list[NodeLaunch]:
    """Return the robot's nodes.

    Args:
        given: value of each argument
        folder: for parameter files

    Raises:
        ConfigError: an argument cannot be used
        RuntimeError: the parameter file cannot be
    """
    namespace = name_in(given, "namespace")
    domain = given["domain_id"] or os.environ.get("ROS_DOMAIN_ID", "")
    if given["domain_id"]:
        number_in(given, "domain_id", 0, _LAST_DOMAIN)
    isolated = yes_in(given, "isolated")
    # In simulation the arena's topics must be received, and there is nobody else.
    if isolated and not yes_in(given, "use_sim_time") and domain in ("", "0"):
        raise ConfigError("an isolated robot needs a domain of its own: domain_id:=17 (1 to 101)", key="isolated")
    if namespace == "/" and not given["robot"]:
        given = {**given, "robot": given["role"]}
    shipped = config_path(f"{given['role']}.yaml")
    programs = robot_programs(
        given["robot"] or namespace.strip("/"),
        _parts(given, isolated),
        # The game's files are in a folder of its name.
        given["enclave"] or f"/{shipped.parent.name}",
        namespace,
        given["command_topic"],
        yes_in(given, "respawn_tree"),
        yes_in(given, "undock"),
    )
    file = given["params_file"] or str(shipped)
    check_parameter_file(file, robot_nodes(namespace), _other_nodes(shipped.parent))
    return in_order([launched(program, folder, before=[file], domain=domain) for program in programs])


def _other_nodes(game: Path) -> list[str]:
    """Return the full names of the nodes of every robot in a game's scenarios, of its rules and of the arena.

    Args:
        game: the folder of its shipped files
    """
    scenarios = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(game.glob("scenarios/*.yaml"))]
    robots = dict.fromkeys(name for scenario in scenarios for name in _names(scenario["robots"]))
    return ["/game", "/arena_simulator", *(node for name in robots for node in robot_nodes(f"/{name}"))]


def _names(robots: Mapping[str, Any]) -> list[str]:
    """Return the names of a scenario's robots; where they are all alike they are numbered."""
    count = robots.get("count")
    return [f"robot_{number}" for number in range(1, count + 1)] if isinstance(count, int) else list(robots)


def _parts(given: Mapping[str, str], isolated: bool) -> dict[str, dict[str, Any]]:
    """Return the parts that are to be started, and the parameters of each."""
    fence = {key: given[key] for key in ("robot", "arena", "zone")}
    role = {"role": given["role"], "rules": words_in(given, "rules", ";") or [""]}
    tree = {
        **fence,
        "role": given["role"],
        "seed": number_in(given, "seed", 0, _MOST_SEEDS),
        "isolated": isolated,
        "game_namespace": given["game_namespace"],
        "autostart": yes_in(given, "autostart"),
        **{key: given[key] for key in ("map", "navigation") if given[key]},
    }
    body = {"body": given["body"]} if given["body"] else {}
    # Where it is not given here, the parameter file may say it.
    loose = {"allow_loose_gate": True} if yes_in(given, "allow_loose_gate") else {}
    unrecorded = {} if yes_in(given, "record") else {"record": False}
    localiser: dict[str, Any] = {"robot": given["robot"], "arena": given["arena"], **role}
    if given["start"]:
        localiser["start"] = pose_in(given, "start")
    messages = {"game_namespace": given["game_namespace"]}
    found: dict[str, dict[str, Any]] = {
        "tree": {**tree, **body, **unrecorded},
        "gate": {**fence, **role, **body, **messages, **loose, **unrecorded, **_gate(given)},
        "detector": {},
        "spheres": {},
        "localiser": localiser,
        "feedback": {"role": given["role"]},
    }
    if _has_fences(given["arena"]):
        found["geofence"] = fence
    time = {"use_sim_time": yes_in(given, "use_sim_time")}
    return {part: {**reported, **time} for part, reported in found.items() if yes_in(given, part)}


def _gate(given: Mapping[str, str]) -> dict[str, Any]:
    # Whoever launches a robot lets it go; a gate that is started alone waits for a reset.
    return {"stamped_cmd_vel": given["stamped_cmd_vel"], "start_latched": False}


def _has_fences(arena: str) -> bool:
    """Return whether an arena, a file or a shipped one, has fences; true where its file is not to be read here.

    The nodes then say what is wrong with it.
    """
    if not arena:
        return False
    try:
        file = Path(arena) if Path(arena).is_file() else config_path("arenas", f"{arena.removesuffix('.yaml')}.yaml")
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (ResourceNotFoundError, OSError, ValueError, yaml.YAMLError):
        return True
    return not isinstance(content, dict) or bool(content.get("fences"))


def _role_names() -> tuple[str, ...]:
    """Return the names of all roles; none where this Python cannot import them, so that the nodes check them."""
    try:
        from arena_trees.games.registry import role_names

        return tuple(role_names())
    except ImportError:
        return ()
