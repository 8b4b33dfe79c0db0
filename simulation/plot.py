"""The picture of a run: one trial's ways in the arena, who did what when, and how all trials ended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Circle, Patch, Polygon

from arena_trees.games.crossroads.plot import plot_crossing
from arena_trees.games.pacman.plot import plot_pacman
from arena_trees.simulation.plot_panels import draw_activities, draw_endings
from arena_trees.simulation.results import RunResult, Trajectory, TrialResult, write_atomically
from arena_trees.world.footprint import ROBOT_RADIUS

__all__ = ["plot_run", "representative"]

_INK = "#22303c"
_PAPER = "#fbfaf7"
_GOLD = "#f2c230"
_TRAILS = (("#f6c9a0", "#c8401f"), ("#b9d9ea", "#1d5f8a"), ("#cfe5c0", "#3c7a2b"), ("#ddcdea", "#6b3f92"))
"""Colour of a robot's trail at the begin and at the end; the first for the first robot."""
_LABEL = (1.05, 0.6)
"""Metres on the map from a point to the middle of its label."""
_OUTCOMES = {
    "caught": "#c8401f",
    "survived": "#1d5f8a",
    "recovered": "#3c7a2b",
    "failed": "#a11d33",
    "aborted": "#777777",
    "over": "#777777",
}


def representative(trials: Sequence[TrialResult]) -> TrialResult:
    """Return the trial of median time among those with a catch, or with all pellets; or else the first trial."""
    won = [trial for trial in trials if trial.catch is not None or (trial.pacman is not None and trial.pacman.won)]
    won.sort(key=lambda trial: trial.simulated_s)
    return won[(len(won) - 1) // 2] if won else trials[0]


def plot_run(result: RunResult, path: Path, trial: TrialResult | None = None) -> None:
    """Draw a run's first arm into a PNG file.

    Args:
        result: a run with one trial or more
        path: of the file
        trial: whose ways are drawn; the representative one where not given

    Raises:
        ConfigError: the file cannot be written
    """
    trials = result.arms[0].trials
    shown = trial or representative(trials)
    if shown.crossing is not None:
        plot_crossing(result, path, shown)
        return
    if shown.pacman is not None:
        plot_pacman(result, path, shown, shown.pacman)
        return
    with matplotlib.rc_context({"font.size": 9, "axes.edgecolor": _INK, "text.color": _INK}):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08)
        figure = Figure(figsize=(13.0, 7.4), dpi=120, facecolor=_PAPER, layout=layout)
        heights = (1.0, 0.3, 1.0, 1.0) if len(trials) > 1 else (1.0, 0.3, 1.0)
        grid = figure.add_gridspec(len(heights), 2, width_ratios=(1.25, 1.0), height_ratios=heights)
        figure.suptitle(
            f"{result.scenario}   trial {shown.index + 1} of {len(trials)}, seed {shown.seed}: "
            f"{shown.outcome} after {shown.simulated_s:.1f} s",
            fontsize=13,
            fontweight="bold",
        )
        _map(figure.add_subplot(grid[:, 0]), shown)
        draw_activities(figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1]), shown)
        _distance(figure.add_subplot(grid[2, 1]), shown)
        if len(trials) > 1:
            endings = figure.add_subplot(grid[3, 1], facecolor="white")
            draw_endings(endings, trials, shown, _OUTCOMES, _INK)
        FigureCanvasAgg(figure)
        write_atomically(path, lambda stream: figure.savefig(stream, format="png", facecolor=_PAPER))


def _map(axes: Axes, trial: TrialResult) -> None:
    """Draw the arena from above, with each robot's way."""
    layout = trial.layout
    for solid in layout.solids:
        corners = np.asarray(solid.polygon().exterior.coords)
        hollow = solid.surface == "glass"
        axes.add_patch(Polygon(corners, facecolor="#dcecf2" if hollow else "#b9b3a6", edgecolor=_INK, linewidth=0.8))
    handles: list[Any] = []
    drawn: set[tuple[tuple[float, float], ...]] = set()
    for number, (name, trajectory) in enumerate(trial.trajectories.items()):
        colours = _TRAILS[number % len(_TRAILS)]
        fence = layout.fences.get(name)
        if fence is not None:
            # Fences that coincide are dashed in turn.
            style = (4.0, (4, 4)) if fence in drawn else (0.0, (4, 4))
            drawn.add(fence)
            axes.add_patch(Polygon(fence, fill=False, edgecolor=colours[1], linewidth=1.3, linestyle=style, alpha=0.8))
        home = layout.homes.get(name)
        if home is not None:
            # Above the robots: a rabbit that hides is caught upon its home.
            axes.plot(*home, marker="*", markersize=12, color="white", markeredgecolor=colours[1], zorder=6)
        _trail(axes, trajectory, colours)
        handles.append(Patch(color=colours[1], label=name))
    if trial.catch is not None:
        x, y = np.asarray(list(trial.catch[1].values())).mean(axis=0)
        axes.plot(x, y, marker="X", markersize=13, color=_GOLD, markeredgecolor=_INK, zorder=7)
        _annotate(axes, f"caught at {trial.catch[0]:.1f} s", (float(x), float(y)), _free_corner(trial, x, y))
    axes.set(aspect="equal", xlabel="x, m", ylabel="y, m", facecolor="white")
    axes.set_title("Trails darken with time; a ring is a start, a star a home, a dashed line a fence", fontsize=9)
    axes.margins(0.02)
    axes.autoscale_view()
    axes.grid(alpha=0.15)
    axes.legend(handles=handles, loc="upper left", framealpha=0.9)


def _free_corner(trial: TrialResult, x: float, y: float) -> tuple[int, int]:
    """Return to which side (-1 or 1 along x and y) of a point a label covers least: ways, boxes and walls."""
    crowd = [trajectory.pose[:, :2] for trajectory in trial.trajectories.values()]
    crowd += [np.asarray(solid.polygon().exterior.segmentize(0.1).coords) for solid in trial.layout.solids]
    points = np.concatenate(crowd)
    corners = [(side, up) for side in (-1, 1) for up in (-1, 1)]
    centres = [(x + side * _LABEL[0], y + up * _LABEL[1]) for side, up in corners]
    room = [(np.abs(points - centre) / _LABEL).max(axis=1).min() for centre in centres]
    return corners[int(np.argmax(room))]


def _annotate(axes: Axes, text: str, point: tuple[float, float], corner: tuple[int, int]) -> None:
    """Write beside a point, at one of its corners."""
    side, up = corner
    axes.annotate(
        text,
        point,
        (side * 45, up * 48),
        textcoords="offset points",
        ha="right" if side < 0 else "left",
        fontweight="bold",
        zorder=8,
        bbox={"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": _GOLD},
        arrowprops={"arrowstyle": "-", "color": _INK, "linewidth": 0.8},
    )


def _trail(axes: Axes, trajectory: Trajectory, colours: tuple[str, str]) -> None:
    """Draw a way that darkens with time, and the robot where it ended."""
    points = trajectory.pose[:, :2]
    cmap = LinearSegmentedColormap.from_list("trail", colours)
    segments = np.stack([points[:-1], points[1:]], axis=1)
    lines = LineCollection(list(segments), cmap=cmap, linewidth=2.2, capstyle="round", zorder=3)
    lines.set_array(trajectory.time[1:])
    axes.add_collection(lines)
    axes.plot(*points[0], marker="o", markersize=8, markerfacecolor="white", markeredgecolor=colours[1], zorder=4)
    x, y, yaw = trajectory.pose[-1]
    hull = Circle((x, y), ROBOT_RADIUS, facecolor=colours[0], edgecolor=colours[1], linewidth=1.5, alpha=0.9, zorder=5)
    axes.add_patch(hull)
    axes.plot(
        [x, x + ROBOT_RADIUS * np.cos(yaw)], [y, y + ROBOT_RADIUS * np.sin(yaw)], color=colours[1], lw=2, zorder=6
    )


def _distance(axes: Axes, trial: TrialResult) -> None:
    """Draw the distance between the first two robots, or of a lone one to where it started."""
    ways = list(trial.trajectories.values())
    first = ways[0]
    other = ways[1].pose[:, :2] if len(ways) > 1 else ways[0].pose[:1, :2]
    distance = np.hypot(*(first.pose[:, :2] - other).T)
    axes.plot(first.time, distance, color=_INK, linewidth=1.6)
    axes.fill_between(first.time, distance, color=_INK, alpha=0.06)
    if trial.catch is not None:
        axes.axvline(trial.catch[0], color=_GOLD, linewidth=2)
    title = "Distance between the robots, m" if len(ways) > 1 else "Distance from the start, m"
    axes.set(xlim=(0.0, trial.simulated_s), xlabel="time, s", title=title, facecolor="white")
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.15)
