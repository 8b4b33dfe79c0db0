"""What ``game.launch.py`` and the files of games start: a scenario's robots, its rules, and the arena if simulated.

Imported by the Python of ``ros2 launch``; what it needs of ours beyond the standard library is imported once something
is to be started.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from arena_trees.nodes.programs.launch_argument import (
    Argument,
    number_in,
    positive_in,
    robot_arguments,
    switch,
    words_in,
    yes_in,
)
from arena_trees.nodes.programs.node_launch import NodeLaunch, in_order, launched
from arena_trees.nodes.programs.parameter_file import check_parameter_file, robot_nodes
from arena_trees.nodes.programs.program import PARTS
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.nodes.programs.game_programs import Options

__all__ = ["arguments", "nodes"]

_MOST_SEEDS = (1 << 31) - 1


def arguments(scenario: str | None = None) -> list[Argument]:
    """Return the arguments.

    Args:
        scenario: where none is given; one must be if None
    """
    return [
        Argument("scenario", scenario, "Name of a scenario, or its file: who plays what where."),
        Argument("set", "", "Changes, as arena-trees run --set has them, with ; between them."),
        Argument("seed", "", "Seed of the game; the scenario's own if empty."),
        switch("sim", "false", "Play in the simulated arena, and not with real robots."),
        Argument("real_time_factor", "1.0", "With sim: simulated seconds a second, where the machine can."),
        Argument("robots", "all", "Robots whose nodes are started here: names with , between them."),
        switch("game", "true", "Start the rules here; when they end with an error, the whole launch ends."),
        Argument("params_file", "", "Parameter file for all nodes; what it says wins over the scenario."),
        Argument(
            "starts",
            "given",
            "Robots start, as the rules see it, where the scenario says, or where each is seen first.",
            ("given", "seen"),
        ),
        Argument(
            "truth",
            "",
            "By what the rules see robots: their own localisation, or the tracker of ceiling or tracking; if empty "
            "localisation, and with sim what the scenario specifies.",
            ("", "tf", "ceiling"),
        ),
        Argument("ceiling", "", "Cameras on the ceiling, c1,c2: their tracker is started; with sim they are rendered."),
        Argument("ceiling_file", "", "File of the tags on floor and robots; the shipped ceiling.yaml if empty."),
        Argument(
            "tracking",
            "",
            "Poses of a tracking system, robot=topic or robot=tf:FRAME with , between them: their relay is started.",
        ),
        Argument("tracking_file", "", "File of where the tracking system's frame lies; it is map if empty."),
        switch("autostart", "true", "Trees and rules begin by themselves."),
        *robot_arguments(localiser="true", spheres="true"),
    ]


def nodes(given: Mapping[str, str], folder: Path) -> list[NodeLaunch]:
    """Return the nodes of the game.

    Args:
        given: value of each argument
        folder: for parameter files and the arena

    Raises:
        ConfigError: an argument cannot be used
        RuntimeError: the parameter file cannot be
    """
    # Here alone: it needs what our nodes need.
    from arena_trees.nodes.programs.game_programs import ARENA, GAME, prepare, write_programs

    seed = {"seed": number_in(given, "seed", 0, _MOST_SEEDS)} if given["seed"] else {}
    changes = words_in(given, "set", ";")
    loose = yes_in(given, "allow_loose_gate")
    order = prepare(given["scenario"], changes, seed, yes_in(given, "sim"), loose, launched=True)
    programs = write_programs(order, folder, _options(given, list(order.plan.robots)))
    files = [given["params_file"]] if given["params_file"] else []
    known = [node for name in order.plan.robots for node in robot_nodes(f"/{name}")]
    for file in files:
        check_parameter_file(file, [*known, f"/{GAME}", f"/{ARENA}"])
    return in_order([launched(program, folder, after=files) for program in programs])


def _options(given: Mapping[str, str], known: list[str]) -> Options:
    """Return how the game is played."""
    from arena_trees.nodes.programs.game_programs import ARENA, GAME, Options, trackers_of

    robots = known if given["robots"] == "all" else words_in(given, "robots", ",")
    strangers = [name for name in robots if name not in known]
    if strangers:
        reason = f"there is no {', '.join(strangers)}; there are {', '.join(known)}"
        raise ConfigError(reason, key="robots", value=given["robots"])
    if yes_in(given, "undock") and yes_in(given, "sim"):
        raise ConfigError("the simulated arena has no docks", key="undock", value=given["undock"])
    unrecorded = {} if yes_in(given, "record") else {"record": False}
    return Options(
        simulated=yes_in(given, "sim"),
        autostart=yes_in(given, "autostart"),
        robots=robots,
        rules=yes_in(given, "game"),
        off=[part for part in PARTS if not yes_in(given, part)],
        command_topic=given["command_topic"],
        tree_again=yes_in(given, "respawn_tree"),
        undock=yes_in(given, "undock"),
        trackers=trackers_of(
            words_in(given, "ceiling", ","),
            words_in(given, "tracking", ","),
            given["ceiling_file"],
            given["tracking_file"],
            reliable=yes_in(given, "sim"),
        ),
        more={
            "gate": {"stamped_cmd_vel": given["stamped_cmd_vel"], **unrecorded},
            "tree": {**({"navigation": given["navigation"]} if given["navigation"] else {}), **unrecorded},
            GAME: {"starts": given["starts"], **({"truth": given["truth"]} if given["truth"] else {})},
            ARENA: {"real_time_factor": positive_in(given, "real_time_factor")},
        },
    )
