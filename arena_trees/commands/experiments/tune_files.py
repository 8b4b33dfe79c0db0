"""What `tune` leaves and prints: tables, pictures, scenarios that `run` accepts, and the report on fresh seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from arena_trees.commands.experiments.tables import cell_text
from arena_trees.commands.tables import Side, print_comparison
from arena_trees.experiments.comparison import Comparison, compare
from arena_trees.experiments.metrics import summarise
from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.sweeps.records import Record
from arena_trees.experiments.sweeps.table import Table, point_table, trial_table, write_csv
from arena_trees.experiments.tuning.study_output import write_scenario
from arena_trees.games.metrics import Metric

if TYPE_CHECKING:
    from arena_trees.experiments.tuning.objective import Objective
    from arena_trees.experiments.tuning.study import Point, Study
    from arena_trees.experiments.tuning.study_plan import StudyPlan

__all__ = ["leave_points", "leave_report"]

_FEWEST_FOR_IMPORTANCE = 10


@dataclass(frozen=True, slots=True)
class _Tried:
    """The points that a study tried, as tables take them."""

    keys: tuple[str, ...]
    points: Sequence[Mapping[str, Any]]


def leave_points(
    plan: StudyPlan,
    objectives: Sequence[Objective],
    study: Study,
    named: Mapping[str, Point],
    records: Sequence[Record],
    metrics: Sequence[Metric],
    folder: Path,
    console: Console | None,
) -> None:
    """Write the tables and pictures of a study, and print its best points.

    Args:
        plan: of the study
        objectives: of the study
        study: that was played
        named: points that the report names
        records: of the study's trials
        metrics: of the game
        folder: to write into
        console: to print on, or None

    Raises:
        ConfigError: a file cannot be written
    """
    from arena_trees.experiments.plots.study_plot import StudyPicture, plot_front, plot_history

    tried = _Tried(tuple(plan.space), [point.values for point in study.points])
    trials = trial_table(tried, records)
    table = _with_outcomes(point_table(tried, records, metrics), study.points, objectives)
    write_csv(trials, folder / "trials.csv")
    write_csv(table, folder / "points.csv")
    written = ["trials.csv", "points.csv", "history.png"]
    title = f"{plan.scenario}: {len(study.points)} points, {plan.trials} trials each from seed {plan.seed}"
    picture = StudyPicture(title, objectives, study.points, named, study.best)
    plot_history(picture, folder / "history.png")
    if len(objectives) == 2:
        plot_front(picture, folder / "pareto.png")
        written.append("pareto.png")
    if _draw_importance(study, objectives, title, folder / "importance.png"):
        written.append("importance.png")
    if console is not None:
        _print_points(title, tried, study, named, objectives, console)
        if study.started and named and all(point is study.points[0] for point in named.values()):
            console.print(
                Text("nothing better was found than the parameters that the study started with", style="yellow")
            )
        console.print(Text(f"written: {', '.join(str(folder / name) for name in written)}", style="dim"))


def leave_report(
    source: Path,
    plan: StudyPlan,
    objectives: Sequence[Objective],
    found: Mapping[str, TrialPlan],
    played: Mapping[str, Sequence[Record]],
    metrics: Sequence[Metric],
    folder: Path,
    console: Console | None,
) -> None:
    """Write the best parameters as scenarios, and their evaluation in the report.

    Args:
        source: folder of the scenario's file
        plan: of the study
        objectives: of the study
        found: plan of each arm that was found, by name
        played: records of each arm of the report, by name; empty where there is none
        metrics: of the game
        folder: to write into
        console: to print on, or None

    Raises:
        ConfigError: a file cannot be written
    """
    written = []
    for name, arm in found.items():
        path = folder / f"{'best' if name == 'tuned' else name.replace(' ', '_')}.yaml"
        write_scenario(arm.scenario, source, path)
        written.append(path)
    rows: list[tuple[Any, ...]] = []
    for name in found if played else ():
        for other in (one for one in played if one not in found):
            sides = [[one for one in played[arm] if one["status"] == "played"] for arm in (name, other)]
            # A world counts where both arms could be played.
            common = set.intersection(*({one["trial"] for one in side} for side in sides))
            first, second = ([one for one in side if one["trial"] in common] for side in sides)
            comparisons = compare(first, second, metrics)
            summaries = Side(name, summarise(first, metrics)), Side(other, summarise(second, metrics))
            rows += _rows(summaries, comparisons)
            if console is not None:
                title = f"{plan.scenario}: {name} and {other}, {len(common)} trials from seed {plan.report_seed}"
                print_comparison(title, summaries, comparisons, console)
                if other == ("start" if "start" in played else "default"):
                    console.print(Text(_improvement(name, other, objectives, comparisons), style="yellow"))
            lost = [one["reason"] for arm in (name, other) for one in played[arm] if one["status"] != "played"]
            if lost and console is not None:
                console.print(Text(f"{len(lost)} trials failed: {lost[0]}", style="yellow"))
    if rows:
        write_csv(Table(_COLUMNS, tuple(rows)), folder / "report.csv")
        written.append(folder / "report.csv")
    if console is not None:
        console.print(Text(f"written: {', '.join(map(str, written))}", style="dim"))
        trees = "".join(f" --tree {name}={path}" for name, path in plan.settings.get("trees", {}).items())
        console.print(Text(f"to play what was found: arena-trees run {written[0]}{trees}"), soft_wrap=True)


def _improvement(name: str, other: str, objectives: Sequence[Objective], comparisons: Mapping[str, Comparison]) -> str:
    """Return in a sentence whether what was found is better on fresh seeds, by each objective.

    Args:
        name: of the arm that was found
        other: of the arm that the study started with
        objectives: of the study
        comparisons: the other arm minus the found one, by metric
    """
    verdicts = {one.metric.name: _verdict(one, comparisons.get(one.metric.name)) for one in objectives}
    details = ", ".join(f"{metric} is {verdict}" for metric, verdict in verdicts.items())
    if "better" in verdicts.values():
        return f"on fresh seeds, {name} is better than {other}: {details}"
    return f"on fresh seeds, {name} is not shown to be better than {other}: {details}"


def _verdict(objective: Objective, comparison: Comparison | None) -> str:
    """Return a comparison's verdict on the found arm, by whether the study maximised or minimised the metric."""
    if comparison is None or comparison.difference.value is None:
        return "without a value"
    verdict = comparison.verdict or "unclear"
    if verdict not in ("better", "worse"):
        return {"too few": "of too few trials to say"}.get(verdict, verdict)
    return "better" if comparison.difference.value * objective.sign > 0.0 else "worse"


_COLUMNS = (
    "arm", "other", "metric", "value", "low", "high", "n", "other_value", "other_low", "other_high", "other_n",
    "difference", "difference_low", "difference_high", "pairs", "p_holm", "verdict",
)  # fmt: skip


def _rows(sides: tuple[Side, Side], comparisons: Mapping[str, Comparison]) -> list[tuple[Any, ...]]:
    rows = []
    for name, one in comparisons.items():
        values: list[Any] = []
        for side in sides:
            estimate = side.summary.get(name)
            values += [None] * 3 + [0] if estimate is None else [*_ends(estimate), estimate.n]
        difference = one.difference
        ends = [*_ends(difference), difference.n, one.adjusted, one.verdict]
        rows.append((sides[0].name, sides[1].name, name, *values, *ends))
    return rows


def _ends(estimate: Any) -> list[float | None]:
    return [estimate.value, estimate.low, estimate.high]


def _with_outcomes(table: Table, points: Sequence[Point], objectives: Sequence[Objective]) -> Table:
    """Return a table of points with what became of each, and the objectives as the study took them."""
    columns = (*table.columns, "outcome", *(f"objective_{one.metric.name}" for one in objectives))
    empty = (None,) * len(objectives)
    rows = [(*row, point.outcome, *(point.objectives or empty)) for row, point in zip(table.rows, points, strict=True)]
    return Table(columns, tuple(rows))


def _draw_importance(study: Study, objectives: Sequence[Objective], title: str, path: Path) -> bool:
    """Draw how much each key mattered; return whether there are enough keys and points for that."""
    from arena_trees.experiments.plots.study_plot import plot_importance

    shares = study.importances()
    keys = len(next(iter(shares.values()), {}))
    if keys < 2 or sum(bool(point.objectives) for point in study.points) < _FEWEST_FOR_IMPORTANCE:
        return False
    plot_importance(shares, title, path)
    return True


def _print_points(
    title: str,
    tried: _Tried,
    study: Study,
    named: Mapping[str, Point],
    objectives: Sequence[Objective],
    console: Console,
) -> None:
    """Print the points that have a name and the start, and how many ended in which way."""
    table = RichTable(title=title, title_justify="left", title_style="bold", header_style="bold", box=box.SIMPLE_HEAD)
    columns = ("", "point", *tried.keys, *(one.metric.name for one in objectives))
    for name in columns:
        table.add_column(name, justify="right" if name else "left", overflow="fold")
    rows = [(name, point) for name, point in named.items()]
    if study.started:
        rows.append(("start", study.points[0]))
    for name, point in rows:
        values = [cell_text(point.values[key]) for key in tried.keys]
        results = [cell_text(value) for value in point.objectives] or ["failed"] * len(objectives)
        table.add_row(name, str(point.number), *values, *results)
    console.print(table)
    counts = {word: sum(point.outcome == word for point in study.points) for word in ("played", "given up", "failed")}
    words = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    console.print(Text(f"points: {words}", style="dim"))
    failed = next((point for point in study.points if point.outcome == "failed"), None)
    if failed is not None:
        console.print(Text(f"point {failed.number} failed: {failed.reason}", style="yellow"))
