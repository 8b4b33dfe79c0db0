"""Panels that the picture of any game has: who did what when, and how all trials ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from arena_trees.simulation.experiments.results import Trajectory, TrialResult
from arena_trees.world.palette import INK, MUTED

__all__ = ["draw_activities", "draw_endings"]


def draw_activities(axes: Axes, legend: Axes, trial: TrialResult) -> None:
    """Draw a band a robot: which leaf was active when."""
    leaves = dict.fromkeys(leaf for path in trial.trajectories.values() for leaf in path.active if leaf)
    palette = (*matplotlib.colormaps["Set2"](range(8)), *matplotlib.colormaps["tab10"](range(10)))
    colours = {leaf: palette[number % len(palette)] for number, leaf in enumerate(leaves)}
    names = list(trial.trajectories)
    for row, name in enumerate(names):
        for leaf, begin, end in _spans(trial.trajectories[name]):
            if leaf:
                axes.broken_barh([(begin, end - begin)], (row - 0.36, 0.72), facecolors=colours[leaf])
    axes.set_yticks(range(len(names)), names)
    axes.set(xlim=(0.0, max(trial.simulated_s, 1e-3)), ylim=(len(names) - 0.5, -0.5))
    axes.set(title="Who did what", xlabel="time, s")
    handles = [Patch(color=colour, label=leaf) for leaf, colour in colours.items()]
    legend.axis("off")
    legend.legend(handles=handles, loc="center", ncol=4, frameon=False, fontsize=7.5, columnspacing=1.0)


def _spans(path: Trajectory) -> list[tuple[str, float, float]]:
    """Return (leaf, begin, end) of each stretch in which one leaf was active, s."""
    spans: list[tuple[str, float, float]] = []
    begin = 0
    for index in range(1, len(path.active) + 1):
        if index == len(path.active) or path.active[index] != path.active[begin]:
            end = path.time[min(index, len(path.active) - 1)]
            spans.append((path.active[begin], float(path.time[begin]), float(end)))
            begin = index
    return spans


def draw_endings(axes: Axes, trials: Sequence[TrialResult], shown: TrialResult, outcomes: Mapping[str, str]) -> None:
    """Draw when and how each trial ended.

    Args:
        axes: to draw in
        trials: all of them
        shown: the one that the picture shows
        outcomes: outcome to its colour; others are grey
    """
    numbers = [trial.index + 1 for trial in trials]
    colours = [outcomes.get(trial.outcome, MUTED) for trial in trials]
    axes.bar(numbers, [trial.played_s for trial in trials], color=colours, width=0.8)
    axes.plot(shown.index + 1, shown.played_s, marker="v", color=INK, markersize=7, clip_on=False)
    handles = [
        Patch(color=outcomes.get(outcome, MUTED), label=f"{outcome}: {count}")
        for outcome, count in _count(trials).items()
    ]
    axes.legend(handles=handles, loc="upper right", fontsize=8, ncol=3)
    axes.set(xlabel="trial; the marked one is drawn", title="End of each trial, s", facecolor="white")
    axes.set_xlim(min(numbers) - 0.6, max(numbers) + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.45)


def _count(trials: Sequence[TrialResult]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for trial in trials:
        counts[trial.outcome] = counts.get(trial.outcome, 0) + 1
    return counts
