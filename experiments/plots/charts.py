"""Charts of a trial, drawn by matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from arena_trees.experiments.plots.legends import legend_above
from arena_trees.experiments.results import Arm, TrialResult
from arena_trees.games.figures import TIME, Chart, Curve
from arena_trees.world.palette import INK, robot_colour

__all__ = ["draw_chart"]

_LINES = ("-", "--", ":", "-.")
"""Line styles of arms, or of curves: they differ in more than colour."""
_LIFT = 12.0
"""Points: room for the labels of moments below a legend."""

_NARROW = 0.02
"""Labels of moments that are nearer, as a share of the chart's width, would lie upon each other."""


def draw_chart(axes: Axes, chart: Chart, arms: Sequence[Arm], shown: TrialResult, until_s: float) -> None:
    """Draw a chart: of the shown trial, or of all trials of the arms where it is a chart of those.

    Args:
        axes: to draw in
        chart: of the shown trial
        arms: for a chart of all trials
        shown: the trial that the picture shows
        until_s: where a time axis of the shown trial ends, s
    """
    handles = _draw_arms(axes, chart, arms) if chart.all_trials else _draw_curves(axes, chart)
    lines = chart.all_trials and chart.style != "share" and max(len(arm.trials) for arm in arms) > 1
    title = f"{chart.title}, a line a trial" if lines else chart.title
    axes.set_title(title, loc="left")
    axes.set(xlabel=chart.x_label, ylabel=chart.y_label, facecolor="white")
    if chart.x_label == TIME:
        longest = max(trial.simulated_s for arm in arms for trial in arm.trials)
        axes.set_xlim(0.0, max(longest if chart.all_trials else until_s, 1e-3))
        for mark in () if chart.all_trials else shown.marks:
            axes.axvline(mark.now_s, color=mark.colour, linewidth=2)
    elif chart.style == "share":
        axes.set_xlim(left=0.0)
    _draw_moments(axes, chart)
    if axes.dataLim.ymin >= 0.0:
        axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.15)
    if len(handles) > 1:
        legend_above(axes, handles, _LIFT if any(moment.label for moment in chart.moments) else 0.0)


def _draw_curves(axes: Axes, chart: Chart) -> list[Line2D]:
    """Draw the shown trial's curves; return what a legend shows of those that have a name."""
    handles = []
    lone = len(chart.curves) == 1
    for number, curve in enumerate(chart.curves):
        colour = curve.colour or (INK if lone else robot_colour(number))
        style: dict[str, Any] = {"color": colour, "linewidth": 1.6, "linestyle": _LINES[number % len(_LINES)]}
        _draw_curve(axes, chart, curve, style)
        if lone and chart.style == "line":
            axes.fill_between(curve.xs, curve.ys, color=colour, alpha=0.06)
        if curve.name:
            handles.append(Line2D([], [], label=curve.name, **style))
    return handles


def _draw_arms(axes: Axes, chart: Chart, arms: Sequence[Arm]) -> list[Line2D]:
    """Draw the curves of all trials, or of all together where they are shares; return what a legend shows of arms."""
    handles = []
    for place, arm in enumerate(arms):
        alike = [one for trial in arm.trials for one in trial.charts if one.title == chart.title]
        curves = [curve for one in alike for curve in one.curves]
        if chart.style == "share":
            curves = [Curve("", tuple(x for curve in curves for x in curve.xs))]
        style: dict[str, Any] = {
            "color": robot_colour(place + 1),
            "linewidth": 1.8 if chart.style == "share" or len(curves) == 1 else 1.0,
            "linestyle": _LINES[place % len(_LINES)],
            "alpha": 0.8,
        }
        for curve in curves:
            _draw_curve(axes, chart, curve, style)
        if arm.name:
            handles.append(Line2D([], [], label=arm.name, **style | {"linewidth": 1.8}))
    return handles


def _draw_curve(axes: Axes, chart: Chart, curve: Curve, style: dict[str, Any]) -> None:
    if chart.style == "share":
        values = sorted(curve.xs)
        shares = np.arange(1, len(values) + 1) / max(1, len(values))
        axes.step(values, shares, where="post", **style)
        axes.set_ylim(0.0, 1.02)
    elif chart.style == "step":
        axes.step(curve.xs, curve.ys, where="post", **style)
    else:
        axes.plot(curve.xs, curve.ys, **style)


def _draw_moments(axes: Axes, chart: Chart) -> None:
    """Draw upright lines, and their labels above the chart where they have room."""
    low, high = axes.get_xlim()
    free = -math.inf
    for moment in sorted(chart.moments, key=lambda one: one.x):
        axes.axvline(moment.x, color=moment.colour, linewidth=0.8, alpha=0.8, zorder=1)
        room = _NARROW * (high - low) * (0.5 + 0.5 * len(moment.label))
        if moment.label and moment.x - room / 2.0 >= free:
            free = moment.x + room / 2.0
            axes.annotate(
                moment.label,
                (moment.x, 1.0),
                (0.0, 1.0),
                xycoords=axes.get_xaxis_transform(),
                textcoords="offset points",
                color=INK,
                fontsize=7,
                ha="center",
                va="bottom",
            )
    if any(moment.label for moment in chart.moments):
        axes.set_title(axes.get_title(loc="left"), loc="left", pad=14)
