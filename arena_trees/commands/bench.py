"""``arena-trees bench``: times a tick and the arena on this machine."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from arena_trees.commands.console import plain_console
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.errors import ConfigError

__all__ = ["measure"]


def measure(
    name_or_file: Annotated[
        str,
        typer.Argument(help="Scenario: a name of `arena-trees list`, or a file; that of config/bench.yaml if absent."),
    ] = "",
    seconds: Annotated[float, typer.Option(help="Time of each of the two passes.")] = 60.0,
) -> None:
    """Measure the time of a tick and of the arena.

    The real-time factor is that of one core.
    """
    if not 1.0 <= seconds <= 3600.0:
        raise ConfigError("must be 1 to 3600", key="--seconds", value=seconds)
    from arena_trees.simulation.experiments import bench
    from arena_trees.simulation.experiments.plan import make_plan
    from arena_trees.simulation.experiments.scenario import find_scenario, load_scenario

    name_or_file = name_or_file or load_yaml(resource_path("config", "bench.yaml"))["scenario"]
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
