"""Pictures of a study: the result of each point, which keys mattered, and the front of two objectives."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from arena_trees.experiments.tuning.objective import Objective
from arena_trees.experiments.tuning.study import Point
from arena_trees.robot.configuration.figure_file import write_figure
from arena_trees.world.palette import INK, MUTED, PAPER, robot_colour

__all__ = ["StudyPicture", "plot_front", "plot_history", "plot_importance"]

_STYLE: dict[Any, Any] = {"font.size": 9, "axes.edgecolor": INK, "text.color": INK, "text.parse_math": False}


@dataclass(frozen=True, slots=True)
class StudyPicture:
    """What the pictures of a study show.

    Attributes:
        title: of each
        objectives: of the study
        points: that were tried
        named: points that have a name, such as the best one
        front: points that no other one beats in all objectives
    """

    title: str
    objectives: Sequence[Objective]
    points: Sequence[Point]
    named: Mapping[str, Point]
    front: Sequence[Point]


def plot_history(picture: StudyPicture, path: Path) -> None:
    """Draw each objective over the points in their order, with the best value so far of one objective.

    Raises:
        ConfigError: the file cannot be written
    """
    count = len(picture.objectives)
    with matplotlib.rc_context(_STYLE):
        figure = _figure(picture.title, (7.2, 1.2 + 2.9 * count))
        rows: list[Axes] = figure.subplots(count, 1, squeeze=False, sharex=True).ravel().tolist()
        for place, (axes, objective) in enumerate(zip(rows, picture.objectives, strict=True)):
            _draw_points(axes, picture, lambda point, place=place: (point.number, point.objectives[place]))
            if count == 1:
                _draw_best(axes, picture, objective)
            failed = [point.number for point in picture.points if point.outcome == "failed"]
            if failed:
                # At the lower edge, whatever the values are.
                axes.plot(
                    failed, [0.02] * len(failed), "x", color=MUTED, label="failed", transform=axes.get_xaxis_transform()
                )
            axes.set_ylabel(objective.metric.name)
            axes.legend(frameon=False, fontsize=8)
        rows[-1].set_xlabel("point")
        write_figure(figure, path)


def plot_front(picture: StudyPicture, path: Path) -> None:
    """Draw the points of two objectives, and the front: those that no other one beats in both.

    Raises:
        ConfigError: the file cannot be written
    """
    with matplotlib.rc_context(_STYLE):
        figure = _figure(picture.title, (6.4, 4.8))
        axes = figure.subplots()
        front = sorted((point.objectives[0], point.objectives[1]) for point in picture.front)
        axes.plot(*_columns(front), color=INK, linewidth=1.0, linestyle="--", label="front")
        _draw_points(axes, picture, lambda point: (point.objectives[0], point.objectives[1]))
        axes.set(xlabel=_axis(picture.objectives[0]), ylabel=_axis(picture.objectives[1]))
        axes.legend(frameon=False, fontsize=8)
        write_figure(figure, path)


def plot_importance(shares: Mapping[str, Mapping[str, float]], title: str, path: Path) -> None:
    """Draw how much each key mattered for each objective.

    Args:
        shares: objective to key to its share, by any measure whose shares add up to 1
        title: of the picture
        path: of the file

    Raises:
        ConfigError: the file cannot be written
    """
    keys = list(next(iter(shares.values())))
    with matplotlib.rc_context(_STYLE):
        figure = _figure(title, (7.2, 1.5 + 0.32 * len(keys) * len(shares)))
        axes = figure.subplots()
        height = 0.8 / len(shares)
        for place, (name, own) in enumerate(shares.items()):
            at = [row + (place - (len(shares) - 1) / 2.0) * height for row in range(len(keys))]
            bars = axes.barh(at, [own[key] for key in keys], height, color=robot_colour(place + 1), label=name)
            axes.bar_label(bars, fmt="{:.0%}", padding=3, fontsize=8)
        axes.set_yticks(range(len(keys)), keys)
        axes.invert_yaxis()
        axes.set_xlim(0.0, 1.12 * max(max(own.values()) for own in shares.values()) or 1.0)
        axes.set_xlabel("share of the importance (PED-ANOVA: among the best points against all)")
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.legend(frameon=False, fontsize=8)
        write_figure(figure, path)


def _draw_points(axes: Axes, picture: StudyPicture, place: Any) -> None:
    """Draw points by how they ended, and those that have a name once more."""
    played = [place(point) for point in picture.points if point.outcome == "played"]
    left = [place(point) for point in picture.points if point.outcome == "given up"]
    axes.set_facecolor("white")
    axes.grid(alpha=0.15)
    axes.plot(*_columns(played), "o", color=robot_colour(1), markersize=4.5, label="played")
    if left:
        axes.plot(
            *_columns(left), "o", color=MUTED, markersize=4.5, fillstyle="none", label="given up: value is an estimate"
        )
    groups: dict[int, list[str]] = {}
    for name, point in picture.named.items():
        groups.setdefault(point.number, []).append(name)
    points = {point.number: point for point in picture.named.values()}
    for number, (key, names) in enumerate(groups.items()):
        x, y = place(points[key])
        mark = "*Ds^v"[number % 5]
        axes.plot([x], [y], mark, color=robot_colour(0), markersize=10, label=", ".join(names))


def _draw_best(axes: Axes, picture: StudyPicture, objective: Objective) -> None:
    """Draw the best value of the points so far as a line of steps."""
    best, at, values = math.inf, [], []
    for point in picture.points:
        if point.outcome == "played":
            best = min(best, point.objectives[0] * objective.sign)
        if best < math.inf:
            at.append(point.number)
            values.append(best * objective.sign)
    axes.step(at, values, where="post", color=INK, linewidth=1.2, label="best so far")


def _axis(objective: Objective) -> str:
    return f"{objective.metric.name} ({'more' if objective.maximise else 'less'} is better)"


def _columns(places: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in places], [y for _, y in places]


def _figure(title: str, size: tuple[float, float]) -> Figure:
    figure = Figure(figsize=size, dpi=120, facecolor=PAPER, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=11, fontweight="bold")
    return figure
