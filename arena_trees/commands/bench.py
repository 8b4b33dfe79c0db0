"""``arena-trees bench``: times a tick and the arena on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena_trees.commands.console import MapFile, Profile, plain_console
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan

__all__ = ["measure"]

_TRIALS = 12
"""Trials a process that are timed."""
_PARTS = {
    "messages": "sensors' messages taken in",
    "writer": "perception writer",
    "tree": "tree",
    "background": "work beside the tick",
    "gate": "velocity gate",
    "loop": "rest of a robot's loop",
    "rules": "rules and judge",
    "sensors": "simulated sensors",
    "physics": "physics",
    "trial": "rest of a trial",
}
"""Parts of a tick to their names in the table."""
_SEED, _SEEDS = 900, 3
"""Of the first trial by which versions are compared, where --set does not say it, and how many there are."""
_ROUNDS = 8
"""How many times each version plays, where --rounds does not say it."""


def measure(
    name_or_file: Annotated[
        str,
        typer.Argument(help="Scenario: a name of `arena-trees list`, or a file; that of config/bench.yaml if absent."),
    ] = "",
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change, as `run` takes it; repeatable.")] = None,
    profile: Profile = None,
    map_file: MapFile = None,
    seconds: Annotated[
        float, typer.Option(help="Time of each of the three passes, or of each trial that versions or processes play.")
    ] = 60.0,
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Measure how many trials a minute so many processes play, in place of it."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="COMMIT|FOLDER",
            help="Measure how long ticks take by this version and by another, which play in turns, in place of it.",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="How many times each version plays, with --against; 8 if absent."),
    ] = None,
) -> None:
    """Measure the time of a tick, of the arena and of trials.

    The real-time factor is that of one core.
    """
    if not 1.0 <= seconds <= 3600.0:
        raise ConfigError("must be 1 to 3600", key="--seconds", value=seconds)
    if jobs is not None and against is not None:
        raise ConfigError("versions are compared by one process each: not with --jobs", key="--against", value=against)
    if rounds is not None and against is None:
        raise ConfigError("needs --against", key="--rounds", value=rounds)
    if rounds is not None and not 3 <= rounds <= 1000:
        raise ConfigError("must be 3 to 1000", key="--rounds", value=rounds)
    from arena_trees.commands.run_request import number_of_processes, read_request
    from arena_trees.experiments.plan import draw_world

    name_or_file = name_or_file or load_yaml(resource_path("config", "bench.yaml"))["scenario"]
    request = read_request(name_or_file, {"map": map_file, "profile": profile}, changes or [])
    plan = request.plan()
    if against is None and jobs is None:
        _print_budget(name_or_file, plan, seconds)
        return
    duration_s = min(seconds, request.scenario.duration_s)
    short = request.changed({"duration_s": duration_s}, "--seconds").plan()
    if against is not None:
        # Refused here, and not by a process that cannot say it as well.
        draw_world(short, 0)
        given = str(Path(name_or_file).resolve()) if Path(name_or_file).is_file() else name_or_file
        wanted: dict[str, Any] = {**request.settings, "duration_s": duration_s}
        if map_file is not None:
            wanted |= {"arena": None, "map": str(Path(map_file).resolve()) if Path(map_file).is_file() else map_file}
        _print_versions(given, wanted, against, rounds or _ROUNDS)
    else:
        processes = number_of_processes(jobs)
        if processes < 2:
            raise ConfigError("must be 2 or more, to be compared with one", key="--jobs", value=processes)
        _print_throughput(name_or_file, short, processes)


def _print_budget(name: str, plan: TrialPlan, seconds: float) -> None:
    from arena_trees.experiments.timing.parts import PARTS, measure

    budget = measure(plan, seconds)
    table = Table()
    table.add_column("processor time of a tick")
    for heading in ("us", "share", "to bare MuJoCo"):
        table.add_column(heading, justify="right")
    total = sum(budget.parts.values())
    for part in PARTS:
        value = budget.parts[part]
        table.add_row(_PARTS[part], f"{value:.1f}", f"{100.0 * value / total:.1f} %", f"{value / budget.bare:.1f}")
    table.add_section()
    for what, value in (("everything", budget.whole), ("bare MuJoCo, the same model", budget.bare)):
        table.add_row(what, f"{value:.1f}", "", f"{value / budget.bare:.1f}")
    trees = Table()
    trees.add_column("a robot's tree")
    for heading in ("us", "ratio"):
        trees.add_column(heading, justify="right")
    for what, value in (
        ("mean of a tick", budget.tree),
        ("the same by py_trees alone", budget.stock_tree),
        ("a tree of one leaf by py_trees", budget.empty_tree),
        ("99 % of ticks take no more", budget.tree_p99),
        ("longest tick", budget.tree_worst),
        ("longest work beside the tick", budget.background_worst),
    ):
        trees.add_row(what, f"{value:.1f}", f"{value / budget.tree:.2f}")
    console = plain_console()
    console.print(f"{name}: {budget.robots} robots, {budget.ticks} ticks")
    console.print(table, trees)
    console.print(f"{budget.real_time_factor:.1f} times real time on one core")


def _print_throughput(name: str, plan: TrialPlan, processes: int) -> None:
    from arena_trees.experiments.sweeps.throughput import measure_throughput

    result = measure_throughput(plan, _TRIALS * processes, processes)
    longest = f"{plan.scenario.duration_s:g} s at most"
    table = Table()
    table.add_column("what")
    table.add_column("", justify="right")
    table.add_column("unit")
    for what, value, unit in (
        ("trials of one process", 60.0 * result.trials / result.alone_s, "1/min"),
        (f"trials of {processes} processes", 60.0 * result.trials / result.together_s, "1/min"),
        ("a trial, median", 1e3 * result.trial_s, "ms"),
        ("a job handed out, median", 1e3 * result.dispatch_s, "ms"),
        ("a record written, median", 1e3 * result.record_s, "ms"),
        ("size of a job", result.job_bytes / 1e3, "kB"),
    ):
        table.add_row(what, f"{value:.3g}", unit)
    console = plain_console()
    console.print(f"{name}: {result.trials} trials of {longest}, by 1 and by {processes} processes")
    console.print(table)
    console.print(f"{processes} processes play {result.ratio:.2f} times as much as one")


def _print_versions(scenario: str, changes: dict[str, Any], against: str, rounds: int) -> None:
    """Compare versions; their changes are those of the scenario, from whose seed on trials are played."""
    from arena_trees.experiments.timing.versions import compare, other_version

    console = plain_console()
    first = changes.get("seed", _SEED)
    seeds = range(first, first + _SEEDS)
    with other_version(against) as folder, console.status("both versions start") as status:
        result = compare(scenario, changes, seeds, rounds, folder, status.update)
    console.print(f"{scenario} against {against}: {rounds} rounds, seeds {seeds[0]} to {seeds[-1]}")
    table = Table()
    table.add_column("processor time of the ticks")
    for name in ("median", "least", "most", "undisturbed"):
        table.add_column(name, justify="right")
    for what, ratios in zip(("this version over the other", "this version over itself"), result.ratios, strict=True):
        table.add_row(what, *(f"{value:.3f}" for value in ratios))
    console.print(table)
    if result.differ:
        differ = ", ".join(map(str, result.differ))
        console.print(f"The two play otherwise with seed {differ}: the ratio is that of different games.")
    else:
        console.print("Both play the same games, to the last digit.")
