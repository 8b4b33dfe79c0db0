"""Metrics: what a game is measured by; each has a name, a unit in it, a kind and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

__all__ = [
    "By",
    "Metric",
    "Value",
    "Values",
    "by_contacts",
    "by_robots",
    "by_rules",
    "charted",
    "count",
    "mean",
    "median",
    "per_robot",
    "rate",
    "weighted",
]

Value = float | int | bool | None

Values = Mapping[str, Value]
"""A trial's values by name; None where the trial has none, such as a time to a catch that never came."""

Better = Literal["more", "less"]

By = Literal["truth", "rules", "robots", "contacts"]
"""By what a value is known: where robots are, what the rules or the robots say, or who touches what."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: in the summary; where it has a unit, the unit is its end, as in ``time_to_catch_s``
        kind: ``rate`` of a yes or no, ``mean`` or ``median`` of a value, ``count`` of rare events, or ``weighted`` for
            a value that is already a mean over a part of a trial, such as its ticks, weighted by that part's size
        value: name of the trial's value
        text: what it is, for people
        better: whether more or less of it is better, None where neither
        weight: name of the trial's weight, for kind ``weighted``
        each_robot: it has a value of each robot, ``<robot>_<value>``, and as many names, ``<robot>_<name>``
        heading: of its column where many points or arms are listed; empty where it has none
        charted: whether the picture of a run shows its value of each trial as a bar; of one metric of a game
        by: by what it is known
    """

    name: str
    kind: Literal["rate", "mean", "median", "count", "weighted"]
    value: str
    text: str
    better: Better | None = None
    weight: str = ""
    each_robot: bool = False
    heading: str = ""
    charted: bool = False
    by: By = "truth"


def rate(name: str, text: str, *, value: str = "", better: Better | None = None, heading: str = "") -> Metric:
    """Return the metric of a yes or no: the share of trials with a yes, with Wilson's interval."""
    return Metric(name, "rate", value or name, text, better, heading=heading)


def mean(name: str, text: str, *, value: str = "", better: Better | None = None, heading: str = "") -> Metric:
    """Return the metric of a number: its mean over the trials, with a bootstrap interval."""
    return Metric(name, "mean", value or name, text, better, heading=heading)


def median(name: str, text: str, *, value: str = "", better: Better | None = None, heading: str = "") -> Metric:
    """Return the metric of a number of which a few trials have far more: its median, with a bootstrap interval."""
    return Metric(name, "median", value or name, text, better, heading=heading)


def count(name: str, text: str, *, value: str = "", better: Better | None = None, heading: str = "") -> Metric:
    """Return the metric of a number of rare events: its mean over the trials, with an interval that 0 has, too."""
    return Metric(name, "count", value or name, text, better, heading=heading)


def weighted(
    name: str, text: str, *, weight: str, value: str = "", better: Better | None = None, heading: str = ""
) -> Metric:
    """Return the metric of a value that is a mean over a part of each trial, weighted by the value ``weight``."""
    return Metric(name, "weighted", value or name, text, better, weight, heading=heading)


def charted(metric: Metric) -> Metric:
    """Return the metric as one of which the picture of a run shows the value of each trial as a bar."""
    return replace(metric, charted=True)


def per_robot(metric: Metric) -> Metric:
    """Return the metric for each robot: of values ``<robot>_<value>``, under the names ``<robot>_<name>``."""
    return replace(metric, each_robot=True)


def by_rules(metric: Metric) -> Metric:
    """Return the metric as one of which the rules alone decide the value."""
    return replace(metric, by="rules")


def by_robots(metric: Metric) -> Metric:
    """Return the metric as one of which the robots' own accounts alone decide the value."""
    return replace(metric, by="robots")


def by_contacts(metric: Metric) -> Metric:
    """Return the metric as one of which the value is who touches what."""
    return replace(metric, by="contacts")
