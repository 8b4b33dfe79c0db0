"""The picture of a run at a crossing: where robots drove, how many crossed by when, how long they were held up."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from arena_trees.simulation.results import Arm, RunResult, TrialResult, write_atomically

__all__ = ["plot_crossing"]

_INK = "#22303c"
_PAPER = "#fbfaf7"


def plot_crossing(result: RunResult, path: Path, shown: TrialResult) -> None:
    """Draw every arm of a run into a PNG file.

    Args:
        result: a run at a crossing with one trial or more
        path: of the file
        shown: trial whose robots' ways are drawn, where they drove

    Raises:
        ConfigError: the file cannot be written
    """
    count = "1 trial" if len(result.trials) == 1 else f"{len(result.trials)} trials"
    with matplotlib.rc_context({"font.size": 9, "axes.edgecolor": _INK, "text.color": _INK}):
        panels = 3 if shown.trajectories else 2
        size = (5.5 * panels, 5.2)
        figure = Figure(figsize=size, dpi=120, facecolor=_PAPER, layout=ConstrainedLayoutEngine(w_pad=0.12))
        figure.suptitle(f"{result.scenario}   {count} from seed {result.seed}", fontsize=13, fontweight="bold")
        *ways, crossed, delayed = figure.subplots(1, panels)
        for axes in ways:
            _draw_ways(axes, shown)
        for arm, colour in zip(result.arms, matplotlib.colormaps["tab10"](np.arange(len(result.arms))), strict=True):
            _draw_crossed(crossed, arm, tuple(colour))
            _draw_delays(delayed, arm, tuple(colour))
        crossed.set(title="Robots that have crossed", xlabel="time, s", facecolor="white")
        delayed.set(
            title="Share of crossings with at most this delay", xlabel="delay, s", ylim=(0.0, 1.02), facecolor="white"
        )
        for axes in (crossed, delayed):
            axes.set_xlim(left=0.0)
            axes.grid(alpha=0.15)
        if len(result.arms) > 1:
            delayed.legend(loc="lower right", framealpha=0.9)
        if len(result.trials) > 1:
            crossed.set_title("Robots that have crossed, a line a trial")
        FigureCanvasAgg(figure)
        write_atomically(path, lambda stream: figure.savefig(stream, format="png", facecolor=_PAPER))


def _draw_ways(axes: Axes, shown: TrialResult) -> None:
    """Draw the floor, what stands on it, and the ways; a dot where each robot is at the end."""
    decor = shown.layout.decor
    if decor is not None:
        half = decor.side / 2.0
        axes.imshow(decor.floor[::4, ::4], extent=(-half, half, -half, half), interpolation="bilinear", alpha=0.75)
    for solid in shown.layout.solids:
        x, y = solid.polygon().exterior.xy
        axes.fill(x, y, facecolor="#8d99a6", edgecolor=_INK, linewidth=0.6)
    colours = matplotlib.colormaps["tab10"](np.arange(len(shown.trajectories)) % 10)
    for (name, way), colour in zip(shown.trajectories.items(), colours, strict=True):
        axes.plot(way.pose[:, 0], way.pose[:, 1], color=colour, linewidth=0.9, alpha=0.8)
        axes.plot(*way.pose[-1, :2], "o", color=colour, markersize=6, label=name.replace("_", " "))
    axes.set(title=f"True ways, seed {shown.seed}", xlabel="x, m", ylabel="y, m", aspect="equal", facecolor="white")
    axes.legend(loc="upper left", fontsize=7, framealpha=0.9)


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
