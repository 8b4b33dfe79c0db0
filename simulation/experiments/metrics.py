"""Metrics of a run: their summary over trials, and the comparison of two arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arena_trees.games.metrics import Metric, Values, count, mean, per_robot
from arena_trees.simulation.experiments import intervals
from arena_trees.simulation.experiments.intervals import Estimate

__all__ = ["COMMON", "compare", "headings", "summarise"]

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
    count("collisions", "contacts with a wall or a box, a trial", better="less", heading="hits"),
    count("robot_contacts", "contacts of two robots, a trial", better="less"),
    count("latched_robots", "robots stopped by a fault, a trial", better="less"),
    mean("real_time_factor", "simulated time over time taken"),
)
"""What every game is measured by, as far as its judge gives the values."""


def summarise(trials: Sequence[Values], metrics: Sequence[Metric]) -> dict[str, Estimate]:
    """Return every metric that the trials have values for, by name; the common ones come last.

    Args:
        trials: their values
        metrics: of the game
    """
    return {metric.name: _estimate(metric, trials) for metric in _applicable(trials, metrics)}


def compare(
    first: Sequence[Values], second: Sequence[Values], metrics: Sequence[Metric]
) -> dict[str, tuple[Metric, Estimate]]:
    """Return metric and paired difference (second minus first) by name.

    Args:
        first: trials of one arm
        second: trials of another arm in the same worlds, in the same order
        metrics: of the game
    """
    differences = {}
    for metric in _applicable([*first, *second], metrics):
        a = [_number(trial.get(metric.value)) for trial in first]
        b = [_number(trial.get(metric.value)) for trial in second]
        differences[metric.name] = (metric, intervals.difference(a, b))
    return differences


def headings(trial: Values, metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the column headings of the metrics that a trial has values for, by name; empty where it has none."""
    return {metric.name: metric.heading for metric in _applicable([trial], metrics)}


def _applicable(trials: Sequence[Values], metrics: Sequence[Metric]) -> Iterator[Metric]:
    """Yield the metrics of which a trial has the value, be it None; those of each robot one by one."""
    names = dict.fromkeys(name for trial in trials for name in trial)
    for metric in (*metrics, *COMMON):
        if metric.each_robot:
            yield from _of_robots(metric, names)
        elif metric.value in names:
            yield metric


def _of_robots(metric: Metric, names: dict[str, None]) -> Iterator[Metric]:
    for value in names:
        if value.endswith(f"_{metric.value}"):
            robot = value.removesuffix(f"_{metric.value}")
            heading = metric.heading and f"{robot} {metric.heading}"
            yield replace(metric, name=f"{robot}_{metric.name}", value=value, heading=heading)


def _estimate(metric: Metric, trials: Sequence[Values]) -> Estimate:
    numbers = [_number(trial.get(metric.value)) for trial in trials]
    present = [number for number in numbers if number is not None]
    if metric.kind == "rate":
        return intervals.rate([bool(number) for number in present])
    if metric.kind == "weighted":
        weights = [_number(trial.get(metric.weight)) or 0.0 for trial in trials]
        sums = [(number or 0.0) * weight for number, weight in zip(numbers, weights, strict=True)]
        return intervals.ratio(sums, weights)
    return intervals.mean(present, count=metric.kind == "count")


def _number(value: float | int | bool | None) -> float | None:
    return None if value is None else float(value)
