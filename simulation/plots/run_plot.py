"""The picture of a run: one trial in the arena, who did what when, its charts, and how all trials ended."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from arena_trees.games.figures import Chart
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.simulation.experiments.results import RunResult, TrialResult
from arena_trees.simulation.plots.charts import draw_chart
from arena_trees.simulation.plots.map_plot import draw_map, prepare_map
from arena_trees.simulation.plots.panels import draw_activities, draw_endings
from arena_trees.world.palette import INK, PAPER

__all__ = ["plot_run", "representative"]

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.edgecolor": INK,
    "text.color": INK,
    # A dollar is a dollar, whatever a name or a label holds.
    "text.parse_math": False,
}
_MOST_CHARTS = 4
_WIDEST = 110
"""Letters of a line of the title."""
_ROBOTS = 4
"""With more robots than these, the panel of who did what is higher."""


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
    """Draw a run's first arm, and charts of every arm, into a PNG file.

    Args:
        result: a run with one trial or more
        path: of the file
        trial: whose ways are drawn; the representative one where not given

    Raises:
        ConfigError: the file cannot be written
    """
    shown = trial or representative(result.trials, result.outcomes)
    with matplotlib.rc_context(_STYLE):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08)
        has_map = bool(shown.trajectories or shown.shapes)
        figure = Figure(figsize=(13.0, 7.4 if has_map else 5.2), dpi=120, facecolor=PAPER, layout=layout)
        FigureCanvasAgg(figure)
        if has_map:
            figure.suptitle(_title(result, shown) + _warning(result), fontsize=13, fontweight="bold")
            halves: Any = figure.subfigures(1, 2, width_ratios=(1.25, 1.0))
            left, right = halves
            left.set_facecolor(PAPER)
            _draw_panels(right, result, shown)
            axes = left.add_subplot()
            prepare_map(axes, shown)
            # Lays everything out, so that what is drawn in metres knows its scale.
            figure.draw_without_rendering()
            draw_map(axes, shown)
        else:
            count = "1 trial" if len(result.trials) == 1 else f"{len(result.trials)} trials"
            title = f"{result.scenario}   {count} from seed {result.seed}"
            figure.suptitle(title + _warning(result), fontsize=13, fontweight="bold")
            _draw_row(figure, result, shown)
        write_atomically(path, lambda stream: figure.savefig(stream, format="png", facecolor=PAPER))


def _title(result: RunResult, shown: TrialResult) -> str:
    trial = f"trial {shown.index + 1} of {len(result.trials)}, seed {shown.seed}"
    return f"{result.scenario}   {trial}: {shown.ending}"


def _warning(result: RunResult) -> str:
    """Return a line that says what no picture may hide; empty where there is nothing."""
    if not result.loosened:
        return ""
    return "\n" + textwrap.shorten(f"gates looser than by default: {result.loosened}", _WIDEST, placeholder=" ...")


def _draw_panels(figure: SubFigure, result: RunResult, shown: TrialResult) -> None:
    """Draw one under the other: who did what, charts, endings."""
    figure.set_facecolor(PAPER)
    charts = _charts(shown)
    heights = [1.0] * (len(charts) + _endings_differ(result))
    if shown.trajectories:
        heights = [max(1.0, len(shown.trajectories) / _ROBOTS), 0.3, *heights]
    if not heights:
        return
    grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    panels = [figure.add_subplot(grid[row]) for row in range(len(heights))]
    if shown.trajectories:
        activities, legend, *panels = panels
        draw_activities(activities, legend, shown)
    for axes, chart in zip(panels, charts, strict=False):
        draw_chart(axes, chart, shown, result.arms)
    if _endings_differ(result):
        draw_endings(panels[-1], result.trials, shown, result.outcomes)


def _draw_row(figure: Figure, result: RunResult, shown: TrialResult) -> None:
    """Draw charts and endings beside each other, for a trial without a map; endings alone where there is no chart."""
    charts, ended = _charts(shown), _endings_differ(result)
    count = len(charts) + ended
    panels = [figure.add_subplot(1, max(count, 1), number + 1) for number in range(max(count, 1))]
    for axes, chart in zip(panels, charts, strict=False):
        draw_chart(axes, chart, shown, result.arms)
    if ended or not charts:
        draw_endings(panels[-1], result.trials, shown, result.outcomes)


def _charts(shown: TrialResult) -> tuple[Chart, ...]:
    return shown.charts[:_MOST_CHARTS]


def _endings_differ(result: RunResult) -> bool:
    """Return whether there is anything to see in how trials ended."""
    return len({(trial.outcome, trial.played_s) for trial in result.trials}) > 1
