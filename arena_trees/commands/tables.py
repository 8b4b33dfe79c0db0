"""The tables of a finished run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.files import is_standard_output
from arena_trees.simulation.experiments.intervals import Estimate
from arena_trees.simulation.experiments.metrics import headings
from arena_trees.simulation.experiments.results import RunResult

__all__ = ["print_result", "print_written"]


def print_result(result: RunResult, console: Console) -> None:
    """Print a run's summary."""
    console.print(_table(result))
    if not result.complete:
        finished = " and ".join(str(len(arm.trials)) for arm in result.arms)
        console.print(f"[yellow]incomplete: {finished} of {result.planned} trials were finished[/yellow]")
    if result.loosened:
        console.print(Text(f"gates looser than by default: {result.loosened}", style="red"))
    for trial in result.arms[0].trials:
        for robot, fault in trial.faults.items():
            console.print(Text(f"trial {trial.index + 1}: {robot} was stopped: {fault}", style="red"))


def print_written(files: Sequence[Path], console: Console) -> None:
    """Print where a run's files are."""
    names = [str(file) for file in files if not is_standard_output(file)]
    if names:
        console.print(Text("written: " + ", ".join(names), style="dim"))


def _table(result: RunResult) -> Table:
    if len(result.arms) == 1:
        return _one(result)
    return _two(result) if len(result.arms) == 2 else _many(result)


def _one(result: RunResult) -> Table:
    arm = result.arms[0]
    table = _titled(result, f"{len(arm.trials)} trials from seed {result.seed}")
    for heading in ("metric", "value", "95 % interval", "least to most", "n"):
        table.add_column(heading, justify="left" if heading == "metric" else "right", no_wrap=True)
    for name, estimate in arm.summary.items():
        span = "" if estimate.least is None else f"{_number(estimate.least)} to {_number(estimate.most)}"
        table.add_row(name, _number(estimate.value), _interval(estimate), span, str(estimate.n))
    return table


def _two(result: RunResult) -> Table:
    first, second = result.arms
    table = _titled(result, f"{len(first.trials)} pairs from seed {result.seed}")
    for heading in ("metric", first.name, second.name, "difference, 95 % interval", "n", f"{first.name} is"):
        table.add_column(
            heading, justify="right" if heading in (first.name, second.name, "n") else "left", no_wrap=True
        )
    one, two = first.summary, second.summary
    for name, (metric, difference) in result.differences(second).items():
        values = [_number(side[name].value) if name in side else "" for side in (one, two)]
        span = f"{_signed(difference.value)} ({_interval(difference)})" if difference.n > 1 else ""
        table.add_row(name, *values, span, str(difference.n), _verdict(metric, difference))
    table.caption = f"differences are {second.name} minus {first.name}, in pairs of the same world"
    table.caption_justify = "left"
    return table


def _verdict(metric: Metric, difference: Estimate) -> Text:
    """Say in a word what the interval of second minus first means for the first arm."""
    if metric.better is None or difference.low is None or difference.high is None:
        return Text("")
    if difference.low <= 0.0 <= difference.high:
        return Text("alike", style="dim")
    first_is_better = (difference.low > 0.0) is (metric.better == "less")
    return Text("better", style="green") if first_is_better else Text("worse", style="red")


def _many(result: RunResult) -> Table:
    table = _titled(result, f"{result.planned} trials an arm from seed {result.seed}")
    table.add_column("arm", no_wrap=True)
    summaries = [(arm.name, arm.summary) for arm in result.arms if arm.trials]
    first = next(arm for arm in result.arms if arm.trials)
    columns = [(name, text) for name, text in headings(first.trials[0].values, first.metrics).items() if text]
    for _, text in columns:
        table.add_column(text, justify="right")
    for arm, summary in summaries:
        table.add_row(arm, *(_number(summary[name].value) for name, _ in columns))
    return table


def _titled(result: RunResult, text: str) -> Table:
    title = f"{result.scenario}: {text}"
    return Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=box.SIMPLE_HEAD)


def _interval(estimate: Estimate) -> str:
    return "" if estimate.low is None else f"{_number(estimate.low)} to {_number(estimate.high)}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.3g}"


def _signed(value: float | None) -> str:
    text = _number(value)
    return text if value is None or value <= 0.0 else f"+{text}"
