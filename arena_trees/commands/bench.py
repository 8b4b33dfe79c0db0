"""``arena-trees bench``: times a tick and the arena on this machine, or the nodes on ROS."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from arena_trees.commands.bench_plan import bench_plan
from arena_trees.commands.console import plain_console
from arena_trees.robot.errors import ConfigError

__all__ = ["measure"]


def measure(
    name_or_file: Annotated[
        str,
        typer.Argument(
            help="Scenario: a name of `arena-trees list`, or a file, that of config/bench.yaml if absent; ros: ticks"
            " and latency of a game on ROS; ros-faults: how soon a robot stands when its nodes die."
        ),
    ] = "",
    seconds: Annotated[float, typer.Option(help="Time of each of the two passes, or of the game on ROS.")] = 60.0,
    count: Annotated[int, typer.Option(help="With ros-faults: how often each.")] = 20,
    camera: Annotated[str, typer.Option(help="With ros: camera of every robot, pinhole or rendered.")] = "pinhole",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="With ros and ros-faults: what was measured.")
    ] = None,
) -> None:
    """Measure the time of a tick, or how ROS nodes keep time.

    Of a scenario: the time of a tick and the real-time factor on one core.
    """
    if not 1.0 <= seconds <= 3600.0:
        raise ConfigError("must be 1 to 3600", key="--seconds", value=seconds)
    if not 1 <= count <= 1000:
        raise ConfigError("must be 1 to 1000", key="--count", value=count)
    if name_or_file in ("ros", "ros-faults"):
        from arena_trees.commands import bench_ros

        if name_or_file == "ros":
            bench_ros.measure_game(seconds, camera, json_file)
        else:
            bench_ros.measure_faults(count, json_file)
        return
    from arena_trees.simulation.experiments import bench
    from arena_trees.simulation.experiments.plan import make_plan
    from arena_trees.simulation.experiments.scenario import find_scenario, load_scenario

    name_or_file = name_or_file or bench_plan()["scenario"]
    path = find_scenario(name_or_file)
    result = bench.measure(make_plan(load_scenario(path), path, path.parent), seconds)
    table = Table(title=f"{name_or_file}: {result.robots} robots, {result.ticks} ticks", title_justify="left")
    table.add_column("what")
    table.add_column("time, us", justify="right")
    table.add_column("ratio", justify="right")
    table.add_column("to")
    empty, bare = result.empty_tree_us, result.bare_us
    rows = (
        ("perception writer, median a robot and tick", result.writer_us, None),
        ("tree", result.tree_us, empty),
        ("velocity gate", result.gate_us, None),
        ("the three together", result.sum_us, empty),
        ("a tree of one leaf", empty, None),
        ("everything, mean a tick", result.arena_us, bare),
        ("bare MuJoCo, the same model", bare, None),
    )
    for what, value, base in rows:
        ratio = "" if base is None else f"{value / base:.1f}"
        to = "" if base is None else ("a tree of one leaf" if base is empty else "bare MuJoCo")
        table.add_row(what, f"{value:.1f}", ratio, to)
    console = plain_console()
    console.print(table)
    console.print(f"{result.real_time_factor:.1f} times real time on one core")
