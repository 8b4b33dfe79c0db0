"""The picture of all trials of a run: a bar a trial of every arm, of the metric that the game charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from arena_trees.experiments.plots.panels import bar_heights, draw_trials
from arena_trees.experiments.results import Arm
from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.figure_file import write_figure
from arena_trees.world.palette import INK, PAPER

__all__ = ["plot_trials"]

_STYLE: dict[Any, Any] = {"font.size": 9, "axes.edgecolor": INK, "text.color": INK, "text.parse_math": False}
_WIDE, _HIGH = 10.0, 2.6
"""Inches: of the picture, and of an arm's panel."""


def plot_trials(title: str, arms: Sequence[Arm], outcomes: Mapping[str, str], path: Path) -> None:
    """Draw all trials of all arms into a file: PNG, SVG or PDF, as its name ends, a panel an arm.

    Args:
        title: of the picture
        arms: with one trial or more each
        outcomes: outcome to its colour, ``#rrggbb``
        path: of the file

    Raises:
        ConfigError: the file cannot be written
    """
    metric = next((one for one in arms[0].metrics if one.charted), None)
    highest = max(height for arm in arms for height in bar_heights(arm.trials, metric))
    with matplotlib.rc_context(_STYLE):
        layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
        figure = Figure(figsize=(_WIDE, _HIGH * len(arms) + 0.4), dpi=100, facecolor=PAPER, layout=layout)
        FigureCanvasAgg(figure)
        figure.suptitle(title, fontsize=11, fontweight="bold")
        panels: list[Axes] = figure.subplots(len(arms), 1, squeeze=False).ravel().tolist()
        for axes, arm in zip(panels, arms, strict=True):
            _draw_arm(axes, arm, outcomes, metric, highest)
        write_figure(figure, path)


def _draw_arm(axes: Axes, arm: Arm, outcomes: Mapping[str, str], metric: Metric | None, highest: float) -> None:
    draw_trials(axes, arm.trials, None, outcomes, metric, highest)
    if arm.name:
        axes.set_xlabel(f"trial of {arm.name}")
