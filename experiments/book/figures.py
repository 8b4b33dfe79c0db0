"""Figures of the book: what a cell of a table asks for, reckoned from the document of its run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from arena_trees.experiments import intervals
from arena_trees.experiments.book.documents import (
    ArmDocument,
    Document,
    MeasurementDocument,
    RunDocument,
    SweepDocument,
)
from arena_trees.experiments.comparison import compare
from arena_trees.experiments.intervals import Estimate
from arena_trees.experiments.metrics import COMMON, metrics_of, number
from arena_trees.games.book import Figure, Number, Reading, Trials
from arena_trees.games.metrics import Metric
from arena_trees.robot.errors import ConfigError

__all__ = ["reckon"]

_NOTHING = Estimate("mean", None, None, None, 0)
"""Estimate of a metric that no trial has a value of."""


def reckon(cell: Number, document: Document, metrics: Sequence[Metric]) -> Estimate:
    """Return the figure of a cell.

    Args:
        cell: what is asked for
        document: of the cell's run
        metrics: of the game

    Raises:
        ConfigError: the run has no such arm or metric, or the measurement no such number
    """
    if isinstance(document, MeasurementDocument) or isinstance(cell, Reading):
        # A chapter has looked that the one goes with the other.
        assert isinstance(document, MeasurementDocument) and isinstance(cell, Reading)
        return _read(cell, document)
    run = document.run if isinstance(document, SweepDocument) else document
    if isinstance(cell, Trials):
        return _count(len(run.arms[0].trials))
    arm = _arm(run, cell.arm, cell)
    if cell.part == "p":
        figure = _p_value(run, arm, cell, metrics)
    elif cell.among or cell.less:
        figure = _of_pairs(run, arm, cell, metrics)
    elif isinstance(document, SweepDocument) and cell.part in ("least", "most"):
        figure = _of_points(document, cell, metrics)
    else:
        figure = _of_trials(arm, cell, metrics)
    return _count(figure.n) if cell.part == "n" else figure


def _read(cell: Reading, document: MeasurementDocument) -> Estimate:
    """Return the number of a measurement that a cell asks for."""
    entries = document.values.get(cell.table, ()) if cell.table else (document.values,)
    for entry in entries:
        if all(str(entry.get(key)) == value for key, value in cell.where):
            found = entry.get(cell.value)
            if found is None or (isinstance(found, int | float) and math.isfinite(found)):
                return Estimate("mean", found, None, None, document.number)
    raise ConfigError("the measurement has no such number", key=cell.run, value=cell.value)


def _count(number: int) -> Estimate:
    return Estimate("mean", number, None, None, number)


def _of_trials(arm: ArmDocument, cell: Figure, metrics: Sequence[Metric]) -> Estimate:
    if cell.part == "sum":
        return _sum(arm, cell, metrics)
    whole = arm.summary.get(cell.metric)
    if whole is None:
        # Where no trial could have a value, such as of an emergency, a summary leaves the metric out.
        _check_known(cell, metrics)
        return _NOTHING
    if cell.part == "p10":
        metric = _metric(cell, arm, metrics)
        return intervals.quantile([] if metric is None else _values(arm.trials, metric.value), 0.1)
    if cell.part in ("least", "most"):
        return Estimate("mean", whole.least if cell.part == "least" else whole.most, None, None, whole.n)
    return whole


def _sum(arm: ArmDocument, cell: Figure, metrics: Sequence[Metric]) -> Estimate:
    """Return the sum of a metric, or of any value, over all trials."""
    if any(cell.metric in trial for trial in arm.trials):
        values = _values(arm.trials, cell.metric)
    else:
        metric = _metric(cell, arm, metrics)
        values = [] if metric is None else _values(arm.trials, metric.value)
    return Estimate("mean", sum(values), None, None, len(values)) if values else _NOTHING


def _of_points(document: SweepDocument, cell: Figure, metrics: Sequence[Metric]) -> Estimate:
    """Return the figure of the sweep's point where it is smallest or greatest."""
    if f"{cell.metric}_n" not in document.points.columns:
        _check_known(cell, metrics)
        return _NOTHING
    columns = (document.points.column(f"{cell.metric}{end}") for end in ("", "_low", "_high", "_n"))
    found = [Estimate("mean", *values) for values in zip(*columns, strict=True) if values[0] is not None]
    if not found:
        return _NOTHING
    return (min if cell.part == "least" else max)(found, key=lambda one: one.value or 0.0)


def _of_pairs(run: RunDocument, arm: ArmDocument, cell: Figure, metrics: Sequence[Metric]) -> Estimate:
    """Return a mean over worlds: those in which every arm has a yes, and of differences where they are asked for."""
    metric = _metric(cell, arm, metrics)
    if metric is None:
        return _NOTHING
    by_seed = [{trial["seed"]: trial for trial in one.trials} for one in run.arms]
    seeds = [
        seed
        for seed in by_seed[0]
        if all(seed in one and (not cell.among or one[seed].get(cell.among)) for one in by_seed)
    ]
    own = _by_seed(arm, seeds)
    if not cell.less:
        return intervals.mean(_values(own, metric.value))
    other = _by_seed(_arm(run, cell.less, cell), seeds)
    pairs = [
        (number(one.get(metric.value)), number(two.get(metric.value))) for one, two in zip(own, other, strict=True)
    ]
    return intervals.mean([one - two for one, two in pairs if one is not None and two is not None])


def _p_value(run: RunDocument, arm: ArmDocument, cell: Figure, metrics: Sequence[Metric]) -> Estimate:
    """Return the p-value of the difference of two arms, corrected over all metrics that are tested."""
    if _metric(cell, arm, metrics) is None:
        return _NOTHING
    seeds = [trial["seed"] for trial in arm.trials]
    other = _by_seed(_arm(run, cell.less, cell), seeds)
    found = compare(other, _by_seed(arm, seeds), metrics).get(cell.metric)
    return _NOTHING if found is None else Estimate("mean", found.adjusted, None, None, found.difference.n)


def _by_seed(arm: ArmDocument, seeds: Sequence[int]) -> list[Mapping[str, Any]]:
    trials = {trial["seed"]: trial for trial in arm.trials}
    return [trials[seed] for seed in seeds]


def _values(trials: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    found = (number(trial.get(name)) for trial in trials)
    return [value for value in found if value is not None]


def _arm(run: RunDocument, name: str, cell: Figure) -> ArmDocument:
    try:
        return run.arm(name)
    except KeyError as error:
        raise ConfigError("the run has no such arm", key=cell.run, value=name) from error


def _metric(cell: Figure, arm: ArmDocument, metrics: Sequence[Metric]) -> Metric | None:
    for metric in metrics_of(arm.trials, metrics):
        if metric.name == cell.metric:
            return metric
    _check_known(cell, metrics)
    return None


def _check_known(cell: Figure, metrics: Sequence[Metric]) -> None:
    """Refuse a metric that the game has not."""
    for metric in (*metrics, *COMMON):
        if cell.metric == metric.name or (metric.each_robot and cell.metric.endswith(f"_{metric.name}")):
            return
    raise ConfigError("the game has no such metric", key=cell.run, value=cell.metric)
