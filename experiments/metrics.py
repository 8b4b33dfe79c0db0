"""Metrics of a run: their summary over trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from arena_trees.experiments import intervals
from arena_trees.experiments.intervals import Estimate
from arena_trees.games.metrics import Metric, Values, by_contacts, by_robots, count, mean, per_robot

__all__ = ["COMMON", "WALL_CLOCK", "headings", "metrics_by_name", "metrics_of", "number", "summarise"]

WALL_CLOCK = "real_time_factor"
"""The one value of a trial that is not the same whenever it is played again: it measures how fast this machine was."""


COMMON = (
    per_robot(
        count(
            "breaches_per_trial",
            "times the robot's centre left its fence, a trial",
            value="breaches",
            better="less",
            heading="out",
        )
    ),
    by_contacts(count("collisions", "contacts with a wall or a box, a trial", better="less", heading="hits")),
    by_contacts(count("robot_contacts", "contacts of two robots, a trial", better="less")),
    by_robots(count("latched_robots", "robots stopped by a fault, a trial", better="less")),
    mean(WALL_CLOCK, "simulated time over time taken"),
)
"""What every game is measured by, as far as its judge gives the values."""


def summarise(trials: Sequence[Values], metrics: Sequence[Metric]) -> dict[str, Estimate]:
    """Return every metric that the trials have values for, by name; the common ones come last.

    Args:
        trials: their values
        metrics: of the game
    """
    return {metric.name: _estimate(metric, trials) for metric in metrics_of(trials, metrics)}


def headings(trial: Values, metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the column headings of the metrics that a trial has values for, by name; empty where it has none."""
    return {metric.name: metric.heading for metric in metrics_of([trial], metrics)}


def metrics_of(trials: Sequence[Values], metrics: Sequence[Metric]) -> Iterator[Metric]:
    """Yield the metrics of which a trial has the value, be it None; those of each robot one by one."""
    names = dict.fromkeys(name for trial in trials for name in trial)
    for metric in (*metrics, *COMMON):
        if metric.each_robot:
            yield from _of_robots(metric, names)
        elif metric.value in names:
            yield metric


def metrics_by_name(metrics: Sequence[Metric], robots: Iterable[str]) -> dict[str, Metric]:
    """Return every metric that trials can have a value for, by name; that of the wall clock is none.

    Args:
        metrics: of the game
        robots: names of those that play
    """
    known = [metric for metric in (*metrics, *COMMON) if metric.name != WALL_CLOCK]
    found = [metric for metric in known if not metric.each_robot]
    found += [_of_robot(metric, robot) for metric in known if metric.each_robot for robot in robots]
    return {metric.name: metric for metric in found}


def _of_robots(metric: Metric, names: dict[str, None]) -> Iterator[Metric]:
    for value in names:
        if value.endswith(f"_{metric.value}"):
            yield _of_robot(metric, value.removesuffix(f"_{metric.value}"))


def _of_robot(metric: Metric, robot: str) -> Metric:
    """Return a metric of each robot as that of one, which is no longer one of each."""
    heading = metric.heading and f"{robot} {metric.heading}"
    name, value = f"{robot}_{metric.name}", f"{robot}_{metric.value}"
    return replace(metric, name=name, value=value, heading=heading, each_robot=False)


def _estimate(metric: Metric, trials: Sequence[Values]) -> Estimate:
    values = [number(trial.get(metric.value)) for trial in trials]
    present = [value for value in values if value is not None]
    if metric.kind == "rate":
        return intervals.rate([bool(value) for value in present])
    if metric.kind == "weighted":
        weights = [number(trial.get(metric.weight)) or 0.0 for trial in trials]
        sums = [(value or 0.0) * weight for value, weight in zip(values, weights, strict=True)]
        return intervals.ratio(sums, weights)
    if metric.kind == "median":
        return intervals.median(present)
    return intervals.mean(present, count=metric.kind == "count")


def number(value: float | int | bool | None) -> float | None:
    """Return a value as a float, a yes as 1; None for none."""
    return None if value is None else float(value)
