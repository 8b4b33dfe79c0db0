"""Panels that the picture of any game has: active leaves over time, and the outcome of each trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from arena_trees.experiments.metrics import number
from arena_trees.experiments.plots.gate_marks import Signs, gate_handles, limited_of
from arena_trees.experiments.plots.legends import legend_above, legend_in
from arena_trees.experiments.results import Trajectory, TrialResult
from arena_trees.games.metrics import Metric
from arena_trees.world.palette import INK, MUTED, ink_on, leaf_colour

__all__ = ["bar_heights", "draw_activities", "draw_trials", "leaf_colours", "name_activities"]

_BAR, _WHOLE = (-0.4, 0.6), (-0.4, 0.8)
"""Where in a robot's row its leaves begin, and how high they are: where the gate did something, and where not."""
_STRIP = (0.24, 0.16)
"""The same for the gate's interventions."""
_LETTERS = 7.5
"""Size of the names in bars, points."""
_ROOM = 4.0
"""Margin next to a name in its bar, px."""
_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++")
"""Hatches of outcomes, in the game's order: bars differ in more than colour."""


def leaf_colours(trials: Iterable[TrialResult]) -> dict[str, str]:
    """Return the colour of each leaf that was active in these trials, in the order of their appearance."""
    paths = [path for trial in trials for path in trial.trajectories.values()]
    leaves = dict.fromkeys(leaf for path in paths for leaf in path.active if leaf)
    return {leaf: leaf_colour(leaf) for leaf in leaves}


def draw_activities(axes: Axes, trial: TrialResult, colours: Mapping[str, str], signs: Signs, until_s: float) -> None:
    """Draw a row a robot: which leaf was active when, and below it when the gate limited the robot.

    Args:
        axes: to draw in
        trial: that is shown
        colours: of leaves
        signs: marker and colour of each reason of the gate
        until_s: where the time axis ends, s
    """
    names = list(trial.trajectories)
    for row, name in enumerate(names):
        for leaf, begin, end in _spans(trial.trajectories[name]):
            if leaf:
                span, (low, height) = (begin, end - begin), _bar(signs)
                axes.broken_barh(
                    [span], (row + low, height), facecolors=colours[leaf], edgecolors="white", linewidth=0.5
                )
        for limited in limited_of(trial.trajectories[name]):
            (marker, colour), (low, height) = signs[limited.reason], _STRIP
            axes.broken_barh([(limited.begin, limited.end - limited.begin)], (row + low, height), facecolors=colour)
            axes.plot(
                limited.begin,
                row + low + height / 2.0,
                marker=marker,
                color=colour,
                markeredgecolor="white",
                markeredgewidth=0.5,
                markersize=5,
                clip_on=False,
            )
    axes.set_yticks(range(len(names)), names)
    axes.set(xlim=(0.0, max(until_s, 1e-3)), ylim=(len(names) - 0.5, -0.5))
    axes.set_title("Who did what", loc="left")
    axes.set(xlabel="time, s", facecolor="white")


def name_activities(axes: Axes, legend: Axes, trial: TrialResult, colours: Mapping[str, str], signs: Signs) -> None:
    """Write leaves' names into their bars where they fit; list the others, and the gate's reasons, in the legend.

    Args:
        axes: that were drawn and laid out
        legend: axes for the legend
        trial: that is shown
        colours: of leaves
        signs: marker and colour of each reason of the gate
    """
    named = set()
    scale = axes.bbox.width / max(axes.get_xlim()[1], 1e-3)
    low, share = _bar(signs)
    height = axes.bbox.height / max(len(trial.trajectories), 1) * share
    for row, path in enumerate(trial.trajectories.values()):
        for leaf, begin, end in _spans(path):
            place = (begin + end) / 2.0, row + low + share / 2.0
            if leaf and _write(axes, leaf, colours[leaf], place, ((end - begin) * scale, height)):
                named.add(leaf)
    unnamed = [leaf for leaf in leaf_colours([trial]) if leaf not in named]
    handles = [Patch(color=colours[leaf], label=leaf) for leaf in unnamed]
    legend_in(legend, [*handles, *gate_handles(trial, signs)])


def _bar(signs: Signs) -> tuple[float, float]:
    return _BAR if signs else _WHOLE


def _write(axes: Axes, leaf: str, ground: str, place: tuple[float, float], room: tuple[float, float]) -> bool:
    """Write a name in one line or in two; return whether it fits into the room (width and height, px)."""
    words = leaf.split(" ")
    broken = [f"{' '.join(words[:n])}\n{' '.join(words[n:])}" for n in range(1, len(words))]
    broken.sort(key=lambda lines: max(map(len, lines.split("\n"))))
    for lines in (leaf, *broken[:1]):
        text = axes.text(
            *place,
            lines,
            color=ink_on(ground),
            fontsize=_LETTERS,
            ha="center",
            va="center",
            linespacing=1.1,
            clip_on=True,
        )
        box = text.get_window_extent()
        if box.width + _ROOM <= room[0] and box.height <= room[1]:
            return True
        text.remove()
    return False


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


def draw_trials(
    axes: Axes,
    trials: Sequence[TrialResult],
    shown: TrialResult | None,
    outcomes: Mapping[str, str],
    metric: Metric | None = None,
    highest: float | None = None,
) -> None:
    """Draw a bar a trial, in the colour and the pattern of how it ended: the game's charted metric, or when it ended.

    Args:
        axes: to draw in
        trials: all of them
        shown: the one that the picture shows; None where it shows no ways
        outcomes: outcome to its colour; others are grey
        metric: whose value is drawn; None for the time of the end
        highest: greatest value of any arm, so that arms have one scale; None for these trials' own
    """
    heights = bar_heights(trials, metric)
    for trial, height in zip(trials, heights, strict=True):
        axes.bar(trial.index + 1, height, width=0.8, **_style(trial.outcome, outcomes))
    for trial, height in zip(trials, heights, strict=True):
        if shown is not None and trial.index == shown.index:
            axes.plot(trial.index + 1, height, marker="v", color=INK, markersize=6, clip_on=False, zorder=3)
    counts: dict[str, int] = {}
    for trial in trials:
        counts[trial.outcome] = counts.get(trial.outcome, 0) + 1
    handles = [Patch(label=f"{outcome}: {count}", **_style(outcome, outcomes)) for outcome, count in counts.items()]
    title = "End of each trial, s" if metric is None else metric.text.capitalize()
    axes.set_title(title, loc="left")
    axes.set(xlabel="trial" if shown is None else "trial; the marked one is drawn", facecolor="white")
    axes.set_xlim(min(trial.index for trial in trials) + 0.4, max(trial.index for trial in trials) + 1.6)
    axes.set_ylim(0.0, 1.15 * max(highest or 0.0, *heights, 1e-3))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if metric is not None:
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    legend_above(axes, handles)


def bar_heights(trials: Sequence[TrialResult], metric: Metric | None) -> list[float]:
    """Return how high each trial's bar is: the metric's value, 0 for none, or when the trial ended, s."""
    if metric is None:
        return [trial.played_s for trial in trials]
    return [number(trial.values.get(metric.value)) or 0.0 for trial in trials]


def _style(outcome: str, outcomes: Mapping[str, str]) -> dict[str, Any]:
    rank = list(outcomes).index(outcome) if outcome in outcomes else len(outcomes)
    colour = outcomes.get(outcome, MUTED)
    return {"facecolor": colour, "edgecolor": "white", "hatch": _HATCHES[rank % len(_HATCHES)]}
