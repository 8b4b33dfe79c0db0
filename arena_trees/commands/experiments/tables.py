"""What `sweep` prints when it is done: the points, how many trials failed and why, and where the files are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from arena_trees.commands.tables import number_of_trials
from arena_trees.experiments.metrics import metrics_of
from arena_trees.experiments.sweeps.records import Record
from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
from arena_trees.experiments.sweeps.table import Table
from arena_trees.games.metrics import Metric

__all__ = ["cell_text", "print_sweep"]

_MOST_ROWS = 30
_MOST_REASONS = 8
_MOST_METRICS = 6


def print_sweep(
    plan: SweepPlan, points: Table, records: Sequence[Record], metrics: Sequence[Metric], console: Console
) -> None:
    """Print a finished sweep.

    Args:
        plan: of the sweep
        points: its table of points
        records: of its jobs
        metrics: of the game
        console: to print on
    """
    title = f"{plan.scenario}: {len(plan.grid)} points, {plan.trials} trials each from seed {plan.seed}"
    table = RichTable(title=title, title_justify="left", title_style="bold", header_style="bold", box=box.SIMPLE_HEAD)
    headings = _headings(records, metrics)
    failed = any(points.column("failed"))
    names = [*plan.grid.keys, *headings, *(["failed"] if failed else [])]
    for name in names:
        table.add_column(headings.get(name, name), justify="right", overflow="fold")
    columns = [points.column(name) for name in names]
    for row in list(zip(*columns, strict=True))[:_MOST_ROWS]:
        table.add_row(*map(cell_text, row))
    console.print(table)
    if len(plan.grid) > _MOST_ROWS:
        console.print(Text(f"and {len(plan.grid) - _MOST_ROWS} more points", style="dim"))
    _print_failures(records, console)
    loosened = dict.fromkeys(
        f"{key} {limit}" for record in records for key, limit in record.get("loosened", {}).items()
    )
    if loosened:
        console.print(Text(f"gates looser than by default: {', '.join(loosened)}", style="red"))


def _headings(records: Sequence[Record], metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the headings of the game's metrics that are shown, by name: its first ones where none has a heading."""
    played = [record for record in records if record["status"] == "played"]
    common = {metric.name for metric in metrics_of(played, ())}
    own = [metric for metric in metrics_of(played, metrics) if metric.name not in common]
    shown = [metric for metric in own if metric.heading] or own
    return {metric.name: metric.heading or metric.name for metric in shown[:_MOST_METRICS]}


def _print_failures(records: Sequence[Record], console: Console) -> None:
    """Print why trials failed, the most frequent reasons first."""
    reasons = Counter((record["status"], record["reason"]) for record in records if record["status"] != "played")
    for (status, reason), count in reasons.most_common(_MOST_REASONS):
        console.print(Text(f"{number_of_trials(count)} {status}: {reason}", style="yellow"))
    if len(reasons) > _MOST_REASONS:
        console.print(Text(f"and {len(reasons) - _MOST_REASONS} more reasons", style="yellow"))


def cell_text(value: Any) -> str:
    """Return a value as text for a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.4g}"
    return str(value)
