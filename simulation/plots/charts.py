"""Charts of a trial, drawn by matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes

from arena_trees.games.figures import TIME, Chart, Curve
from arena_trees.simulation.experiments.results import Arm, TrialResult
from arena_trees.world.palette import INK, robot_colour

__all__ = ["draw_chart"]

_NARROW = 0.02
"""Labels of moments that are nearer, as a share of the chart's width, would lie upon each other."""


def draw_chart(axes: Axes, chart: Chart, shown: TrialResult, arms: Sequence[Arm]) -> None:
    """Draw a chart.

    Args:
        axes: to draw in
        chart: of the shown trial
        shown: the trial that the picture shows
        arms: of the run, for a chart of all trials
    """
    if chart.all_trials:
        named = _draw_arms(axes, chart, arms)
    else:
        named = _draw_curves(axes, chart)
    lines = chart.all_trials and chart.style != "share" and max(len(arm.trials) for arm in arms) > 1
    title = f"{chart.title}, a line a trial" if lines else chart.title
    axes.set(title=title, xlabel=chart.x_label, ylabel=chart.y_label, facecolor="white")
    if chart.x_label == TIME:
        axes.set_xlim(0.0, max(_longest(chart, shown, arms), 1e-3))
        for mark in () if chart.all_trials else shown.marks:
            axes.axvline(mark.now_s, color=mark.colour, linewidth=2)
    elif chart.style == "share":
        axes.set_xlim(left=0.0)
    _draw_moments(axes, chart)
    if axes.dataLim.ymin >= 0.0:
        axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.15)
    if named > 1 and axes.get_legend_handles_labels()[0]:
        axes.legend(loc="best", fontsize=8, framealpha=0.9)


def _longest(chart: Chart, shown: TrialResult, arms: Sequence[Arm]) -> float:
    if not chart.all_trials:
        return shown.simulated_s
    return max(trial.simulated_s for arm in arms for trial in arm.trials)


def _draw_curves(axes: Axes, chart: Chart) -> int:
    """Draw the shown trial's curves; return how many of them have a name."""
    for number, curve in enumerate(chart.curves):
        lone = len(chart.curves) == 1
        colour = curve.colour or (INK if lone else robot_colour(number))
        _draw_curve(axes, chart, curve, {"color": colour, "linewidth": 1.6, "label": curve.name or None})
        if lone and chart.style == "line":
            axes.fill_between(curve.xs, curve.ys, color=colour, alpha=0.06)
    return sum(bool(curve.name) for curve in chart.curves)


def _draw_arms(axes: Axes, chart: Chart, arms: Sequence[Arm]) -> int:
    """Draw the curves of all trials, or of all together where they are shares; return how many arms have a name."""
    colours = matplotlib.colormaps["tab10"](np.arange(len(arms)) % 10)
    for arm, colour in zip(arms, colours, strict=True):
        alike = [one for trial in arm.trials for one in trial.charts if one.title == chart.title]
        curves = [curve for one in alike for curve in one.curves]
        if chart.style == "share":
            curves = [Curve("", tuple(x for curve in curves for x in curve.xs))]
        style = {"color": tuple(colour), "linewidth": 1.6 if chart.style == "share" else 1.0, "alpha": 0.8}
        for number, curve in enumerate(curves):
            _draw_curve(axes, chart, curve, style | ({"label": arm.name} if arm.name and not number else {}))
    return sum(bool(arm.name) for arm in arms)


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
        axes.set_title(axes.get_title(), pad=14)
