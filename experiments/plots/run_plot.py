"""The picture of a run: one trial in the arena, active leaves over time, its charts, and how all trials ended."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from arena_trees.experiments.plots.charts import draw_chart
from arena_trees.experiments.plots.gate_marks import gate_signs
from arena_trees.experiments.plots.map_plot import draw_map, prepare_map
from arena_trees.experiments.plots.panels import (
    bar_heights,
    draw_activities,
    draw_trials,
    leaf_colours,
    name_activities,
)
from arena_trees.experiments.results import Arm, RunResult, TrialResult
from arena_trees.games.figures import Chart
from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.figure_file import write_figure
from arena_trees.world.palette import INK, PAPER

__all__ = ["plot_run", "representative"]

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.edgecolor": INK,
    "text.color": INK,
    # A dollar sign in a name or a label is no mathematics.
    "text.parse_math": False,
}
_MOST_CHARTS = 4
_WIDEST = 110
"""Most characters of a line of the title."""
_ROBOTS = 4
"""With more robots than these, the panel of their leaves is higher."""
_WIDE = 13.0
"""Width of a figure, inches."""
_MAP, _BARS, _LEGEND, _PANEL = 6.6, 1.3, 0.4, 1.35
"""Inches: heights of a map, of the leaves' bars, of their legend, and of a chart, for two arms side by side."""


@dataclass(frozen=True, slots=True)
class _Side:
    """An arm that is shown, and its trial of which the ways are drawn."""

    arm: Arm
    trial: TrialResult


def representative(trials: Sequence[TrialResult], outcomes: Mapping[str, str] | None = None) -> TrialResult:
    """Return the trial that stands for a run.

    It is the one of median time among those that ended as the game names first: of its outcomes, the first with which
    any trial ended. Where no outcome is known, it is the first trial.

    Args:
        trials: of one arm, one or more
        outcomes: how a trial can end, the one that shows most of the game first, as in :class:`RunResult`
    """
    for outcome in outcomes or ():
        alike = sorted((one for one in trials if one.outcome == outcome), key=lambda one: one.played_s)
        if alike:
            return alike[(len(alike) - 1) // 2]
    return trials[0]


def plot_run(result: RunResult, path: Path, trial: TrialResult | None = None) -> None:
    """Draw a run into a file: PNG, SVG or PDF, as its name ends.

    Of a comparison of two arms it shows the same trial of both, else one of the first arm. Charts of all trials
    show every arm.

    Args:
        result: a run with one trial or more
        path: of the file
        trial: of the first arm, whose ways are drawn; the representative one where not given

    Raises:
        ConfigError: the name has another ending, or the file cannot be written
    """
    shown = trial or representative(result.trials, result.outcomes)
    sides = _sides(result, shown)
    with matplotlib.rc_context(_STYLE):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08)
        has_map = bool(shown.trajectories or shown.shapes)
        figure = Figure(figsize=(_WIDE, 7.4 if has_map else 5.2), dpi=120, facecolor=PAPER, layout=layout)
        FigureCanvasAgg(figure)
        if not has_map:
            count = "1 trial" if len(result.trials) == 1 else f"{len(result.trials)} trials"
            title = f"{result.scenario}   {count} from seed {result.seed}"
            figure.suptitle(title + _warning(result), fontsize=13, fontweight="bold")
            _draw_row(figure, result, sides)
        elif len(sides) == 1:
            title = f"{_title(result, shown)}: {shown.ending}"
            figure.suptitle(title + _warning(result), fontsize=13, fontweight="bold")
            _draw_one(figure, result, sides)
        else:
            figure.suptitle(_title(result, shown) + _warning(result), fontsize=13, fontweight="bold")
            _draw_two(figure, result, sides)
        write_figure(figure, path)


def _title(result: RunResult, shown: TrialResult) -> str:
    return f"{result.scenario}   trial {shown.index + 1} of {len(result.trials)}, seed {shown.seed}"


def _warning(result: RunResult) -> str:
    """Return the warning that every picture must show; empty where there is none."""
    if not result.loosened:
        return ""
    return "\n" + textwrap.shorten(f"gates looser than by default: {result.loosened}", _WIDEST, placeholder=" ...")


def _sides(result: RunResult, shown: TrialResult) -> list[_Side]:
    """Return the arms that are drawn side by side: both of a comparison in which both have played the shown trial."""
    arms = result.arms if len(result.arms) == 2 else result.arms[:1]
    played = [(arm, next((one for one in arm.trials if one.index == shown.index), None)) for arm in arms]
    sides = [_Side(arm, one) for arm, one in played if one is not None]
    return sides or [_Side(result.arms[0], shown)]


def _draw_one(figure: Figure, result: RunResult, sides: Sequence[_Side]) -> None:
    """Draw the map of one arm, and to its right the panels one under the other."""
    (side,) = sides
    halves: Any = figure.subfigures(1, 2, width_ratios=(1.25, 1.0))
    left, right = halves
    left.set_facecolor(PAPER)
    right.set_facecolor(PAPER)
    charts = _charts(side.trial)
    own = _has_trials(result)
    heights = [1.0] * (len(charts) + own)
    if side.trial.trajectories:
        heights = [max(1.0, len(side.trial.trajectories) / _ROBOTS), 0.3, *heights]
    panels = _rows(right, heights)
    axes = left.add_subplot()
    _draw_side(figure, [(side, axes, panels)], result, charts, own)


def _draw_two(figure: Figure, result: RunResult, sides: Sequence[_Side]) -> None:
    """Draw two arms side by side, each with its map and its panels, and below them the charts of all trials."""
    charts = _charts(sides[0].trial)
    single = [chart for chart in charts if not chart.all_trials]
    together = [chart for chart in charts if chart.all_trials]
    own = _has_trials(result)
    heights = [_PANEL] * (len(single) + own)
    if sides[0].trial.trajectories:
        heights = [_BARS * max(1.0, len(sides[0].trial.trajectories) / _ROBOTS), _LEGEND, *heights]
    # For the labels of each panel.
    high = sum(heights) + 0.5 * len(heights)
    shared = 1.5 * _PANEL if together else 0.0
    figure.set_size_inches(_WIDE, _MAP + high + shared)
    bands: Any = figure.subfigures(3 if together else 2, 1, height_ratios=(_MAP, high, shared)[: 3 if together else 2])
    maps, below = bands[0].subfigures(1, len(sides)), bands[1].subfigures(1, len(sides))
    drawn = []
    for side, above, column in zip(sides, maps, below, strict=True):
        above.set_facecolor(PAPER)
        column.set_facecolor(PAPER)
        above.suptitle(f"{side.arm.name}: {side.trial.ending}", fontsize=11, fontweight="bold")
        drawn.append((side, above.add_subplot(), _rows(column, heights)))
    if together:
        bands[2].set_facecolor(PAPER)
        for number, chart in enumerate(together):
            panel = bands[2].add_subplot(1, len(together), number + 1)
            draw_chart(panel, chart, result.arms, sides[0].trial, sides[0].trial.simulated_s)
    _draw_side(figure, drawn, result, single, own)


def _draw_side(
    figure: Figure,
    drawn: Sequence[tuple[_Side, Axes, Sequence[Axes]]],
    result: RunResult,
    charts: Sequence[Chart],
    own: bool,
) -> None:
    """Draw the map and the panels of each arm that is shown, with one scale of time for all.

    Args:
        figure: that holds the axes
        drawn: arm, axes of its map, and axes of its panels
        result: of the run
        charts: that are drawn for each arm, as the first one's trial has them
        own: whether there is a panel of the arm's trials
    """
    until_s = max(side.trial.simulated_s for side, _, _ in drawn)
    trials = [side.trial for side, _, _ in drawn]
    signs, colours = gate_signs(trials), leaf_colours(trials)
    metric = _charted(result)
    highest = max(height for side, _, _ in drawn for height in bar_heights(side.arm.trials, metric))
    later = []
    for side, axes, panels in drawn:
        prepare_map(axes, side.trial, signs)
        rest = list(panels)
        if side.trial.trajectories:
            activities, legend, *rest = rest
            draw_activities(activities, side.trial, colours, signs, until_s)
            legend.axis("off")
            later.append((activities, legend, side.trial))
        for panel, chart in zip(rest, charts, strict=False):
            alike = next((one for one in side.trial.charts if one.title == chart.title), None)
            if alike is not None:
                draw_chart(panel, alike, result.arms, side.trial, until_s)
        if own:
            draw_trials(rest[-1], side.arm.trials, side.trial, result.outcomes, metric, highest)
    _share_heights([panels[-len(charts) - own :] for _, _, panels in drawn], len(charts))
    # Lays everything out, so that what is drawn in metres, and what must fit a bar, knows its scale.
    figure.draw_without_rendering()
    for activities, legend, one in later:
        name_activities(activities, legend, one, colours, signs)
    for side, axes, _ in drawn:
        draw_map(axes, side.trial, signs)


def _share_heights(panels: Sequence[Sequence[Axes]], charts: int) -> None:
    """Give charts in the same row the same y axis.

    Args:
        panels: of each arm, the charts first
        charts: number of charts
    """
    for row in range(charts):
        same_row = [column[row] for column in panels]
        lows, highs = zip(*(axes.get_ylim() for axes in same_row), strict=True)
        for axes in same_row:
            axes.set_ylim(min(lows), max(highs))


def _rows(figure: SubFigure, heights: Sequence[float]) -> list[Axes]:
    if not heights:
        return []
    grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    return [figure.add_subplot(grid[row]) for row in range(len(heights))]


def _draw_row(figure: Figure, result: RunResult, sides: Sequence[_Side]) -> None:
    """Draw charts, and the trials of each arm, side by side: for a trial without a map."""
    shown, metric = sides[0].trial, _charted(result)
    charts = _charts(shown)
    bars = sides if _has_trials(result) or not charts else []
    panels = [figure.add_subplot(1, len(charts) + len(bars), 1 + place) for place in range(len(charts) + len(bars))]
    for axes, chart in zip(panels, charts, strict=False):
        draw_chart(axes, chart, result.arms, shown, shown.simulated_s)
    highest = max(height for side in sides for height in bar_heights(side.arm.trials, metric))
    for axes, side in zip(panels[len(charts) :], bars, strict=True):
        draw_trials(axes, side.arm.trials, side.trial, result.outcomes, metric, highest)
        if side.arm.name:
            axes.set_xlabel(f"trial of {side.arm.name}")


def _charts(shown: TrialResult) -> tuple[Chart, ...]:
    return shown.charts[:_MOST_CHARTS]


def _charted(result: RunResult) -> Metric | None:
    """Return the metric of which the game wants a bar a trial, or None."""
    return next((metric for metric in result.arms[0].metrics if metric.charted), None)


def _has_trials(result: RunResult) -> bool:
    """Return whether there is anything to see in a bar a trial: several, and of the ends not all alike."""
    trials = [trial for arm in result.arms for trial in arm.trials]
    ends = {(trial.outcome, trial.played_s) for trial in trials}
    return len(result.trials) > 1 and (_charted(result) is not None or len(ends) > 1)
