"""Where and when the gate took motion from a robot: stretches of a trial, and the signs of their reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.lines import Line2D

from arena_trees.experiments.results import Trajectory, TrialResult

__all__ = ["Limited", "Signs", "gate_handles", "gate_signs", "limited_of"]

Signs = Mapping[str, tuple[str, str]]
"""Reason to marker and colour."""

_PAUSE_S = 0.5
"""A reason that returns within this time, s, is one stretch, as it is one event of a report."""
_MOVED = 0.01
"""Distance from its start, m, up to which a robot has not driven off."""
_STARTS_S = 1.0
"""How long a robot may wait for its sensors before it drives off without a mark."""
_SIGNS = (
    ("s", "#000000"),
    ("D", "#0072b2"),
    ("^", "#d55e00"),
    ("P", "#009e73"),
    ("v", "#8a8a8a"),
    ("h", "#cc79a7"),
    ("X", "#e69f00"),
)


@dataclass(frozen=True, slots=True)
class Limited:
    """A stretch of a trial in which the gate limited a robot for one reason.

    Attributes:
        reason: that the gate gave
        begin: s
        end: s
        place: x and y where it began, m, map frame
    """

    reason: str
    begin: float
    end: float
    place: tuple[float, float]


def limited_of(path: Trajectory) -> list[Limited]:
    """Return the stretches in which a robot was limited, by their begin.

    What was over within a second, and before the robot had driven off, is no more than the start of its sensors.
    """
    found: list[Limited] = []
    newest: dict[str, int] = {}
    for index, reasons in enumerate(path.limited):
        before = max(index - 1, 0)
        begin, end = float(path.time[before]), float(path.time[index])
        for reason in reasons:
            known = newest.get(reason)
            if known is not None and begin - found[known].end < _PAUSE_S:
                found[known] = replace(found[known], end=end)
            else:
                newest[reason] = len(found)
                found.append(Limited(reason, begin, end, (float(path.pose[before, 0]), float(path.pose[before, 1]))))
    away = np.hypot(*(path.pose[:, :2] - path.pose[:1, :2]).T) > _MOVED
    drives_s = float(path.time[away][0]) if away.any() else math.inf
    return [one for one in found if one.end > min(drives_s, _STARTS_S)]


def gate_signs(trials: Iterable[TrialResult]) -> Signs:
    """Return marker and colour of each reason that the gate gave in these trials, in the order of their names."""
    paths = [path for trial in trials for path in trial.trajectories.values()]
    reasons = {limited.reason for path in paths for limited in limited_of(path)}
    return {reason: _SIGNS[number % len(_SIGNS)] for number, reason in enumerate(sorted(reasons))}


def gate_handles(trial: TrialResult, signs: Signs) -> list[Line2D]:
    """Return what a legend shows of the reasons that the gate gave in a trial."""
    given = gate_signs([trial])
    return [
        Line2D([], [], linestyle="none", marker=marker, color=colour, markeredgecolor="white", label=f"gate: {reason}")
        for reason, (marker, colour) in signs.items()
        if reason in given
    ]
