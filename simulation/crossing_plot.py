"""The picture of a run at a crossing: how many crossed by when, and how long they were held up."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from arena_trees.simulation.results import Arm, RunResult, write_atomically

__all__ = ["plot_crossing"]

_INK = "#22303c"
_PAPER = "#fbfaf7"


def plot_crossing(result: RunResult, path: Path) -> None:
    """Draw every arm of a run into a PNG file.

    Args:
        result: a run at a crossing with one trial or more
        path: of the file

    Raises:
        ConfigError: the file cannot be written
    """
    with matplotlib.rc_context({"font.size": 9, "axes.edgecolor": _INK, "text.color": _INK}):
        figure = Figure(figsize=(11.0, 5.0), dpi=120, facecolor=_PAPER, layout=ConstrainedLayoutEngine(w_pad=0.12))
        figure.suptitle(
            f"{result.scenario}   {len(result.trials)} trials from seed {result.seed}", fontsize=13, fontweight="bold"
        )
        crossed, delayed = figure.subplots(1, 2)
        for arm, colour in zip(result.arms, matplotlib.colormaps["tab10"](np.arange(len(result.arms))), strict=True):
            _draw_crossed(crossed, arm, tuple(colour))
            _draw_delays(delayed, arm, tuple(colour))
        crossed.set(title="Robots that have crossed, a line a trial", xlabel="time, s", facecolor="white")
        delayed.set(
            title="Share of crossings with at most this delay", xlabel="delay, s", ylim=(0.0, 1.02), facecolor="white"
        )
        for axes in (crossed, delayed):
            axes.set_xlim(left=0.0)
            axes.grid(alpha=0.15)
        if len(result.arms) > 1:
            delayed.legend(loc="lower right", framealpha=0.9)
        FigureCanvasAgg(figure)
        write_atomically(path, lambda stream: figure.savefig(stream, format="png", facecolor=_PAPER))


def _draw_crossed(axes: Axes, arm: Arm, colour: tuple[float, ...]) -> None:
    for trial in arm.trials:
        if trial.crossing is not None:
            times = (0.0, *trial.crossing.ended, trial.simulated_s)
            counts = (*range(len(times) - 1), len(times) - 2)
            axes.step(times, counts, where="post", color=colour, linewidth=1.0, alpha=0.7)


def _draw_delays(axes: Axes, arm: Arm, colour: tuple[float, ...]) -> None:
    delays = sorted(delay for trial in arm.trials if trial.crossing is not None for delay in trial.crossing.delays)
    shares = np.arange(1, len(delays) + 1) / max(1, len(delays))
    axes.step(delays, shares, where="post", color=colour, linewidth=1.6, label=arm.name)
