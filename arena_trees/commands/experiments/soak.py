"""``arena-trees soak``: plays simulated hours in one process, and says whether anything of it grows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from arena_trees import __version__
from arena_trees.commands.console import Force, fits, plain_console
from arena_trees.commands.run_request import read_request, whole_number
from arena_trees.robot.configuration.files import check_writable, is_standard_output, write_atomically
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.experiments.soaking.soak import Tenth
    from arena_trees.experiments.soaking.verdict import Verdict

__all__ = ["soak_scenario"]

_MOST_HOURS = 1000.0
_FAULT, _GREW = 3, 4
_MEASURES = {
    "memory_mb": "memory, MB",
    "descriptors": "descriptors",
    "threads": "threads",
    "children": "children",
    "board_keys": "board keys",
    "board_metadata": "board metadata",
    "board_clients": "board clients",
    "objects": "objects",
    "calibrated_p99": "passage p99, calibrated",
}
"""What is judged to its name in the table."""
_UNJUDGED = {
    "trials": "trials played",
    "tick_p50_ms": "tick p50, ms",
    "tick_p99_ms": "tick p99, ms",
    "pace.p99_ms": "passage p99, ms",
    "pace.calibration_ms": "calibration, ms",
}
"""What is printed in addition."""


def soak_scenario(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    hours: Annotated[float, typer.Option(help="Simulated time, in hours.")] = 8.0,
    seed: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Seed of the first trial; the scenario's if absent.")
    ] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change, as `run` takes it; repeatable.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="All figures, as JSON.")] = None,
    force: Force = False,
) -> None:
    """Play for hours in one process, and say what grows.

    Exit code 3 says that a robot was stopped by a fault, 4 that something grew by more than 5 %.
    """
    if not 0.0 < hours <= _MOST_HOURS:
        raise ConfigError(f"must be above 0 and at most {_MOST_HOURS:g}", key="--hours", value=hours)
    from arena_trees.experiments.plan import check_cameras
    from arena_trees.experiments.soaking.soak import TENTHS, soak
    from arena_trees.experiments.soaking.verdict import GREW, judge

    request = read_request(name_or_file, {"seed": whole_number(seed)}, changes or [])
    plan = request.plan()
    check_cameras(plan)
    if json_file is not None:
        check_ending(json_file, (".json",), "--json")
        check_writable(json_file, "--json")
        (json_file,) = place_files([json_file], force)
    # What goes to the standard output is alone there.
    console = plain_console(stderr=json_file is not None and is_standard_output(json_file))
    about: dict[str, Any] = {
        "scenario": request.name,
        "version": __version__,
        "seed": request.scenario.seed,
        "hours": hours,
        "settings": request.settings,
    }
    console.print(
        f"{request.name}: {hours:g} h from seed {request.scenario.seed}, after a trial that warms up", highlight=False
    )
    tenths: list[Tenth] = []
    try:
        for tenth in soak(plan, hours):
            tenths.append(tenth)
            console.print(f"tenth {tenth.number} of {TENTHS}: trials {tenth.trials}", highlight=False)
    finally:
        # Whatever ended it: what was measured is shown and kept.
        verdicts = judge(tenths)
        _print(tenths, verdicts, console)
        if json_file is not None:
            _write(json_file, about, tenths, verdicts)
            console.print(Text(f"written: {json_file}", style="dim"), soft_wrap=True)
    if any(tenth.stopped for tenth in tenths):
        raise typer.Exit(_FAULT)
    if any(one.verdict == GREW for one in verdicts):
        raise typer.Exit(_GREW)


def _print(tenths: Sequence[Tenth], verdicts: Sequence[Verdict], console: Console) -> None:
    """Print each measure tenth by tenth, or its ends where the console is too narrow, and the verdict on it."""
    if not tenths:
        console.print("no tenth was over: nothing was measured")
        return
    table = _table(tenths, verdicts)
    console.print(table if fits(console, table) else _table([tenths[0], tenths[-1]][: len(tenths)], verdicts))
    stopped = sum(tenth.stopped for tenth in tenths)
    if stopped:
        console.print(Text(f"robots stopped by a fault, over all trials: {stopped}", style="red"))


def _table(tenths: Sequence[Tenth], verdicts: Sequence[Verdict]) -> Table:
    from arena_trees.experiments.soaking.verdict import GREW, MEASURES

    table = Table()
    table.add_column("after tenth")
    for tenth in tenths:
        table.add_column(str(tenth.number), justify="right")
    for name in ("change", "verdict"):
        table.add_column(name, justify="right")
    for name, heading in _UNJUDGED.items():
        table.add_row(heading, *(_shown(name, attrgetter(name)(tenth)) for tenth in tenths))
    table.add_section()
    judged = {one.measure: one for one in verdicts}
    for name, read in MEASURES.items():
        found = judged.get(name)
        change = "" if found is None or found.change_pct is None else f"{found.change_pct:+.1f} %"
        word = "" if found is None else found.verdict
        values = (_shown(name, read(tenth)) for tenth in tenths)
        table.add_row(_MEASURES[name], *values, change, Text(word, style="red" if word == GREW else ""))
    return table


def _shown(name: str, value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}" if name == "memory_mb" else f"{value:.2f}"


def _write(path: Path, about: Mapping[str, Any], tenths: Sequence[Tenth], verdicts: Sequence[Verdict]) -> None:
    rows = {"tenths": [tenth.to_dict() for tenth in tenths], "verdicts": [asdict(one) for one in verdicts]}
    text = json.dumps({**about, **rows}, indent=1, allow_nan=False)
    write_atomically(path, lambda stream: stream.write(text.encode() + b"\n"))
