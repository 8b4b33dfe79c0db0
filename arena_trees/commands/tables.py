"""The tables of a finished run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena_trees.commands.console import fits
from arena_trees.experiments.comparison import LEVEL, Comparison, number_of_tests
from arena_trees.experiments.intervals import FEWEST, Estimate
from arena_trees.experiments.metrics import headings
from arena_trees.experiments.results import RunResult
from arena_trees.robot.configuration.files import is_standard_output

__all__ = ["Side", "number_of_trials", "print_comparison", "print_result", "print_stops", "print_written"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: the name of an arm, and every metric of its trials by name."""

    name: str
    summary: Mapping[str, Estimate]


def print_comparison(
    title: str, sides: tuple[Side, Side], comparisons: Mapping[str, Comparison], console: Console
) -> None:
    """Print two arms side by side.

    Args:
        title: of the table
        sides: the arm that the verdicts are about, and the other one
        comparisons: second minus first, by metric
        console: to print on
    """
    console.print(_comparison_table(title, sides, comparisons, console))


def print_result(result: RunResult, console: Console) -> None:
    """Print a run's summary."""
    console.print(_table(result, console))
    if not result.complete:
        finished = " and ".join(str(len(arm.trials)) for arm in result.arms)
        console.print(f"[yellow]incomplete: {finished} of {result.planned} trials were finished[/yellow]")
    if result.loosened:
        console.print(Text(f"gates looser than by default: {result.loosened}", style="red"))
    print_stops(result, console)
    print_promises(result, console)


def print_promises(result: RunResult, console: Console) -> None:
    """Print what became of each promise: how many trials kept it, and the one that came nearest to breaking it."""
    trials = [trial for arm in result.arms for trial in arm.trials]
    for name in dict.fromkeys(name for trial in trials for name in trial.promises):
        judged = [(trial.promises[name], trial.seed) for trial in trials if name in trial.promises]
        nearest, seed = min(judged, key=lambda pair: pair[0].robustness)
        kept = sum(not one.broken for one, _ in judged)
        often = f"kept in {kept} of {number_of_trials(len(judged))}"
        text = f"promise {name}: {often}, by {nearest.robustness:.4g} at least (seed {seed})"
        console.print(Text(text, style="" if kept == len(judged) else "red"), soft_wrap=True)
        broken = next(((one.broken, seed) for one, seed in judged if one.broken), None)
        if broken is not None:
            console.print(Text(f"  broken with seed {broken[1]}: {broken[0]}", style="red"), soft_wrap=True)


def print_stops(result: RunResult, console: Console) -> None:
    """Print why robots were stopped by faults, each fault once, with the seed of a trial that shows it."""
    trials = [trial for arm in result.arms for trial in arm.trials]
    seeds: dict[tuple[str, str], list[int]] = {}
    for trial in trials:
        for stop in trial.faults.items():
            seeds.setdefault(stop, []).append(trial.seed)
    for (robot, fault), own in seeds.items():
        how = f"was stopped in {len(own)} of {number_of_trials(len(trials))} (seed {own[0]})"
        console.print(Text(f"{robot} {how}: {fault}", style="red"), soft_wrap=True)


def print_written(files: Sequence[Path], console: Console) -> None:
    """Print where a run's files are."""
    names = [str(file) for file in files if not is_standard_output(file)]
    if names:
        console.print(Text("written: " + ", ".join(names), style="dim"))


def _table(result: RunResult, console: Console) -> Table:
    if len(result.arms) != 2:
        return _one(result, console) if len(result.arms) == 1 else _many(result)
    first, second = result.arms
    trials = number_of_trials(len(first.trials))
    title = f"{result.scenario}: {first.name} and {second.name}, {trials} from seed {result.seed}"
    sides = Side(first.name, first.summary), Side(second.name, second.summary)
    return _comparison_table(title, sides, result.differences(second), console)


def _comparison_table(
    title: str, sides: tuple[Side, Side], comparisons: Mapping[str, Comparison], console: Console
) -> Table:
    wide = _two(title, sides, comparisons, " ")
    # Where the terminal is too narrow, lines break between figures and in none.
    return wide if fits(console, wide) else _two(title, sides, comparisons, "\n", padding=0)


def _one(result: RunResult, console: Console) -> Table:
    """Return the table of one arm: where the terminal is too narrow, intervals break first, then least to most."""
    for gaps, padding in (((" ", " "), 1), (("\n", " "), 1), (("\n", "\n"), 1), (("\n", "\n"), 0)):
        table = _of_arm(result, *gaps)
        table.padding = (0, padding)
        if fits(console, table):
            break
    return table


def _of_arm(result: RunResult, interval_gap: str, span_gap: str) -> Table:
    arm = result.arms[0]
    table = _titled(f"{result.scenario}: {number_of_trials(len(arm.trials))} from seed {result.seed}")
    for heading in ("metric", "value", "95 % interval", "least to most", "n"):
        is_name = heading == "metric"
        table.add_column(heading, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold")
    for name, estimate in arm.summary.items():
        span = "" if estimate.least is None else f"{_number(estimate.least)}{span_gap}to {_number(estimate.most)}"
        interval = _interval(estimate).replace(" to ", f"{interval_gap}to ")
        table.add_row(name, _number(estimate.value), interval, span, str(estimate.n))
    return table


def number_of_trials(number: int) -> str:
    """Return a number of trials in words."""
    return "1 trial" if number == 1 else f"{number} trials"


def _two(
    title: str, sides: tuple[Side, Side], comparisons: Mapping[str, Comparison], gap: str, padding: int = 1
) -> Table:
    """Return the table of two arms.

    Args:
        title: of the table
        sides: the arms
        comparisons: second minus first, by metric
        gap: between a figure and its brackets
        padding: letters between the columns' lines, on each side
    """
    first, second = sides
    table = _titled(title)
    table.padding = (0, padding)
    arms = [f"{arm.name}{gap}(n)" for arm in sides]
    columns = ("metric", *arms, f"difference,{gap}95 % interval", "pairs", "p")
    for heading in (*columns, f"{first.name} is"):
        figure = heading in columns[1:3] or heading in ("pairs", "p")
        table.add_column(heading, justify="right" if figure else "left", overflow="fold", no_wrap=heading == "metric")
    summaries = first.summary, second.summary
    for name, one in comparisons.items():
        values = [_with_n(summary[name], gap) if name in summary else "" for summary in summaries]
        table.add_row(name, *values, _difference(one, gap), str(one.difference.n), _p(one.adjusted), _verdict(one))
    tests = number_of_tests(comparisons.values())
    table.caption = (
        f"difference: {second.name} minus {first.name}, in pairs: trials of one world in which both have a value\n"
        f"p: of flipped signs, corrected for the {tests} metrics that differ in {FEWEST} pairs or more (Holm); "
        f"{LEVEL:g} or less is better or worse\n"
        f"unclear: neither was shown; too few: fewer than {FEWEST} pairs"
    )
    table.caption_justify = "left"
    return table


def _with_n(estimate: Estimate, gap: str) -> str:
    return f"{_number(estimate.value)}{gap}({estimate.n})"


def _difference(one: Comparison, gap: str) -> str:
    difference = one.difference
    span = _interval(difference).replace(" to ", f"{gap}to ")
    return f"{_signed(difference.value)}{gap}({span})" if span else _signed(difference.value)


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.2g}"


def _verdict(one: Comparison) -> Text:
    return Text(one.verdict, style={"better": "green", "worse": "red"}.get(one.verdict, "dim"))


def _many(result: RunResult) -> Table:
    table = _titled(f"{result.scenario}: {number_of_trials(result.planned)} an arm from seed {result.seed}")
    table.add_column("arm", no_wrap=True)
    summaries = [(arm.name, arm.summary) for arm in result.arms if arm.trials]
    first = next(arm for arm in result.arms if arm.trials)
    columns = [(name, text) for name, text in headings(first.trials[0].values, first.metrics).items() if text]
    for _, text in columns:
        table.add_column(text, justify="right")
    for arm, summary in summaries:
        table.add_row(arm, *(_number(summary[name].value) for name, _ in columns))
    return table


def _titled(title: str) -> Table:
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
