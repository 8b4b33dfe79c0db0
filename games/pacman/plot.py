"""The picture of a game of PacMan: the maze by night, pellets in the order of their collection, trails and score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch, Polygon, Wedge
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from arena_trees.simulation.plot_panels import draw_activities, draw_endings
from arena_trees.simulation.results import PacmanStory, RunResult, TrialResult, write_atomically
from arena_trees.world.footprint import ROBOT_RADIUS

__all__ = ["plot_pacman"]

_NIGHT = "#0b0c1a"
_FLOOR = "#05060f"
_WALL = "#1b2a8f"
_NEON = "#4c6bff"
_TEXT = "#e8e6f5"
_DIM = "#7d7fa3"
_YELLOW = "#ffd400"
_PELLET = "#ffc8a8"
_POWER = "#fff3b0"
_RED = "#ff4d4d"
_GREEN = "#54e08a"
_GHOSTS = ("#ffa640", "#ff5470", "#58d8ff", "#ff9ee2")
"""Clyde, Blinky, Inky and Pinky."""
_OUTCOMES = {"complete": _GREEN, "died": _RED, "over": _DIM}
_ENDINGS = {"complete": "ALL PELLETS!", "died": "GAME OVER", "over": "TIME UP"}
_MOST_LABELS = 24
"""More pellets than these are not numbered along the time."""
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "font.family": "monospace",
    "text.color": _TEXT,
    "axes.edgecolor": _DIM,
    "axes.labelcolor": _TEXT,
    "axes.facecolor": _FLOOR,
    "xtick.color": _DIM,
    "ytick.color": _DIM,
    "legend.facecolor": _NIGHT,
    "legend.edgecolor": _DIM,
}


def plot_pacman(result: RunResult, path: Path, trial: TrialResult, story: PacmanStory) -> None:
    """Draw a trial, and how the others of the run's first arm ended, into a PNG file.

    Args:
        result: the run
        path: of the file
        trial: whose game is drawn
        story: what happened in it

    Raises:
        ConfigError: the file cannot be written
    """
    trials = result.arms[0].trials
    heights = (0.55, 1.0, 0.75, 0.3, 1.0) if len(trials) > 1 else (0.45, 1.0, 0.75, 0.3)
    with matplotlib.rc_context(_STYLE):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08)
        figure = Figure(figsize=(14.0, 8.2), dpi=120, facecolor=_NIGHT, layout=layout)
        grid = figure.add_gridspec(len(heights), 2, width_ratios=(1.45, 1.0), height_ratios=heights)
        _maze(figure.add_subplot(grid[:, 0]), trial, story)
        _score_board(figure.add_subplot(grid[0, 1]), result, trial, story)
        _danger(figure.add_subplot(grid[1, 1]), trial, story)
        draw_activities(figure.add_subplot(grid[2, 1]), figure.add_subplot(grid[3, 1]), trial)
        if len(trials) > 1:
            draw_endings(figure.add_subplot(grid[4, 1]), trials, trial, _OUTCOMES, _TEXT)
        FigureCanvasAgg(figure)
        write_atomically(path, lambda stream: figure.savefig(stream, format="png", facecolor=_NIGHT))


def _maze(axes: Axes, trial: TrialResult, story: PacmanStory) -> None:
    """Draw the maze from above: walls, pellets, and who went where."""
    blocks = shapely.union_all([solid.polygon() for solid in trial.layout.solids])
    for part in getattr(blocks, "geoms", [blocks]):
        for ring in (part.exterior, *part.interiors):
            axes.plot(*ring.xy, color=_NEON, linewidth=1.4, zorder=2)
    for solid in trial.layout.solids:
        axes.add_patch(Polygon(np.asarray(solid.polygon().exterior.coords), facecolor=_WALL, zorder=1))
    handles: list[Any] = []
    for number, (name, way) in enumerate(story.ghosts.items()):
        colour = _GHOSTS[number % len(_GHOSTS)]
        _trail(axes, way[:, 0], way[:, 1:], colour, 1.4, 3)
        if len(way):
            axes.plot(*way[-1, 1:], marker=_ghost(), markersize=22, color=colour, markeredgecolor=_NIGHT, zorder=8)
        handles.append(Patch(color=colour, label=name))
    for name, trajectory in trial.trajectories.items():
        _trail(axes, trajectory.time, trajectory.pose[:, :2], _YELLOW, 2.4, 4)
        _player(axes, trajectory.pose)
        handles.insert(0, Patch(color=_YELLOW, label=name))
    _pellets(axes, story)
    for _, x, y in story.died:
        axes.plot(x, y, marker="x", markersize=15, color=_RED, markeredgewidth=3, zorder=9)
    axes.set(aspect="equal", facecolor=_FLOOR)
    axes.tick_params(labelsize=7)
    axes.margins(0.02)
    axes.set_title("pellets numbered in the order of their collection; trails brighten with time", fontsize=9)
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.03), ncol=6, frameon=False)


def _pellets(axes: Axes, story: PacmanStory) -> None:
    order = {number: place for place, (_, number) in enumerate(story.collected, 1)}
    for number, (x, y) in story.pellets.items():
        colour, size = (_POWER, 20) if number in story.power else (_PELLET, 14)
        if number not in order:
            axes.plot(x, y, marker="o", markersize=0.65 * size, color="none", markeredgecolor=colour, zorder=6)
            continue
        # Above the robot, which ends upon its last pellet.
        axes.plot(x, y, marker="o", markersize=size, color=colour, markeredgecolor=_FLOOR, zorder=9)
        label = axes.text(
            x, y, str(order[number]), color=_FLOOR, fontsize=8, ha="center", va="center_baseline", zorder=10
        )
        label.set_fontweight("bold")


def _trail(
    axes: Axes, time: NDArray[np.float64], points: NDArray[np.float64], colour: str, width: float, zorder: int
) -> None:
    """Draw a way that brightens with time."""
    if len(points) < 2:
        return
    cmap = LinearSegmentedColormap.from_list("trail", [to_rgba(colour, 0.15), to_rgba(colour)])
    lines = LineCollection(
        list(np.stack([points[:-1], points[1:]], axis=1)), cmap=cmap, linewidth=width, capstyle="round", zorder=zorder
    )
    lines.set_array(time[1:])
    axes.add_collection(lines)


def _player(axes: Axes, pose: NDArray[np.float64]) -> None:
    """Draw where the robot began, and the robot, its mouth ahead, where it ended."""
    axes.plot(*pose[0, :2], marker="o", markersize=9, color="none", markeredgecolor=_YELLOW, zorder=5)
    x, y, yaw = pose[-1]
    mouth = np.degrees(yaw)
    axes.add_patch(
        Wedge((x, y), 1.3 * ROBOT_RADIUS, mouth + 35, mouth - 35, facecolor=_YELLOW, edgecolor=_NIGHT, zorder=8)
    )


def _ghost() -> Outline:
    """Return a ghost's outline as a marker: a round head, a wavy hem and two eyes."""
    angles = np.linspace(np.pi, 0.0, 24)
    head = np.stack([np.cos(angles), 0.2 + np.sin(angles)], axis=1)
    hem = [(1.0, -1.0), (0.67, -0.7), (0.33, -1.0), (0.0, -0.7), (-0.33, -1.0), (-0.67, -0.7), (-1.0, -1.0)]
    rim = np.array([*head.tolist(), *hem, head[0].tolist()])
    parts = [Outline(rim, [Outline.MOVETO] + [Outline.LINETO] * (len(rim) - 2) + [Outline.CLOSEPOLY])]
    for side in (-0.38, 0.38):
        # Drawn the other way round, an eye is a hole.
        eye = Outline.circle((side, 0.35), 0.22)
        parts.append(Outline(np.asarray(eye.vertices)[::-1], eye.codes))
    return Outline.make_compound_path(*parts)


def _score_board(axes: Axes, result: RunResult, trial: TrialResult, story: PacmanStory) -> None:
    """Write the score as arcade machines do."""
    axes.axis("off")
    eaten = f"{len(story.collected)}/{len(story.pellets)}"
    seconds = trial.simulated_s - (story.begun or 0.0)
    heads = (("SCORE", str(story.score)), ("ROUND", str(story.round)), ("PELLETS", eaten), ("TIME", f"{seconds:.0f} s"))
    for column, (head, value) in enumerate(heads):
        x = (column + 0.5) / len(heads)
        axes.text(x, 0.62, head, color=_RED, fontsize=10, fontweight="bold", ha="center", transform=axes.transAxes)
        axes.text(x, 0.16, value, color=_TEXT, fontsize=19, fontweight="bold", ha="center", transform=axes.transAxes)
    ending, colour = _ENDINGS.get(trial.outcome, trial.outcome), _OUTCOMES.get(trial.outcome, _TEXT)
    axes.set_title(ending, color=colour, fontsize=17, fontweight="bold")
    name = f"{result.scenario}, trial {trial.index + 1} of {len(result.arms[0].trials)}, seed {trial.seed}"
    axes.text(0.5, -0.16, name, color=_DIM, ha="center", transform=axes.transAxes)


def _danger(axes: Axes, trial: TrialResult, story: PacmanStory) -> None:
    """Draw how near the nearest ghost was, and when the pellets were collected."""
    way = next(iter(trial.trajectories.values()))
    for number, ghost in enumerate(story.ghosts.values()):
        if len(ghost):
            x, y = (np.interp(way.time, ghost[:, 0], ghost[:, column]) for column in (1, 2))
            seen = (way.time >= ghost[0, 0]) & (way.time <= ghost[-1, 0])
            distance = np.hypot(way.pose[:, 0] - x, way.pose[:, 1] - y)
            axes.plot(way.time[seen], distance[seen], color=_GHOSTS[number % len(_GHOSTS)], linewidth=1.4)
    for place, (time, _) in enumerate(story.collected, 1):
        axes.axvline(time, color=_PELLET, linewidth=0.8, alpha=0.6)
        if len(story.collected) <= _MOST_LABELS:
            axes.text(
                time,
                1.0,
                str(place),
                color=_PELLET,
                fontsize=7,
                ha="center",
                va="bottom",
                transform=axes.get_xaxis_transform(),
            )
    for time, _, _ in story.died:
        axes.axvline(time, color=_RED, linewidth=2)
    axes.set(xlim=(0.0, trial.simulated_s), xlabel="time, s")
    axes.set_title("Distance to each ghost, m, and the pellets", pad=14)
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.15)
