"""The arena in a picture: the world, what the game draws, the robots' ways, and marks with their labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from arena_trees.experiments.plots.gate_marks import Signs, gate_handles, limited_of
from arena_trees.experiments.plots.legends import legend_below
from arena_trees.experiments.plots.shapes import draw_shapes
from arena_trees.experiments.results import Trajectory, TrialResult
from arena_trees.games.figures import Mark
from arena_trees.world.layout_shapes import layout_shapes
from arena_trees.world.palette import INK, pale, robot_colour, robot_dash, robot_letter
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Shape, Text, corners

__all__ = ["draw_map", "prepare_map"]

_MOST_LABELS = 8
"""Most marks with labels; further ones are crosses alone."""
_MOST_NAMES = 12
"""Most entries of a legend."""
_WIDE, _NARROW, _FEW = 0.035, 0.018, 4
"""Width of paths, m: of a few robots, and of more than those."""
_SIGN = 4.5
"""Order of the gate's signs: above robots, below their letters."""
_CROSS = 7.0
"""Points: half of a mark's cross."""
_LETTER = (6.4, 18.0)
"""Points: width of a label's letter, and height of a label."""
_REACHES = (42.0, 75.0, 110.0, 160.0)
"""Points from a mark to its label that are tried."""
_LATE = 0.008
"""Share of its half that a label may cover before the next place is preferred."""


def prepare_map(axes: Axes, trial: TrialResult, signs: Signs | None = None) -> None:
    """Give axes the limits, the legend and the titles of a trial's map.

    Args:
        axes: to prepare
        trial: that is drawn
        signs: marker and colour of each reason of the gate, as of :func:`gate_signs`
    """
    points = np.array(corners([*_world(trial), *trial.shapes]), dtype=np.float64).reshape(-1, 2)
    points = np.concatenate([points, *(path.pose[:, :2] for path in trial.trajectories.values()), np.zeros((0, 2))])
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.full(2, -1.0), np.ones(2))
    room = 0.1 + 0.01 * float((high - low).max())
    axes.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room), aspect="equal")
    axes.set(xlabel="x, m", ylabel="y, m", facecolor="white")
    axes.grid(alpha=0.15)
    reported = ["trails darken with time"] if trial.trajectories else []
    reported += ["a ring is a start"] if trial.trajectories else []
    reported += ["a star a home"] if any(name in trial.layout.homes for name in trial.trajectories) else []
    reported += ["a dashed square a fence"] if any(name in trial.layout.fences for name in trial.trajectories) else []
    axes.set_title(", ".join(reported).capitalize(), fontsize=9)
    handles = [*_legend(trial), *gate_handles(trial, signs or {})]
    if handles:
        legend_below(axes, handles)


def draw_map(axes: Axes, trial: TrialResult, signs: Signs | None = None) -> None:
    """Draw the arena from above into axes that were prepared and laid out.

    Args:
        axes: to draw in
        trial: that is drawn
        signs: marker and colour of each reason of the gate
    """
    decor = trial.layout.decor
    if decor is not None:
        half = decor.side / 2.0
        limits = axes.axis()
        extent = (-half, half, -half, half)
        axes.imshow(decor.floor[::4, ::4], extent=extent, interpolation="bilinear", alpha=0.75, zorder=0.5)
        axes.axis(limits)
    shapes: list[Shape] = [*_world(trial), *trial.shapes]
    width = _WIDE if len(trial.trajectories) <= _FEW else _NARROW
    for number, (name, path) in enumerate(trial.trajectories.items()):
        shapes += _way_shapes(path, number, name, width)
    draw_shapes(axes, shapes)
    for path in trial.trajectories.values():
        _draw_limits(axes, path, signs or {})
    _draw_marks(axes, trial)


def _draw_limits(axes: Axes, path: Trajectory, signs: Signs) -> None:
    """Draw a sign where the gate began to limit a robot."""
    for limited in limited_of(path):
        if limited.reason in signs:
            marker, colour = signs[limited.reason]
            axes.plot(*limited.place, marker=marker, markersize=7, color=colour, markeredgecolor="white", zorder=_SIGN)


def _world(trial: TrialResult) -> list[Shape]:
    colours = {name: robot_colour(number) for number, name in enumerate(trial.trajectories)}
    return layout_shapes(trial.layout, colours)


def _way_shapes(path: Trajectory, number: int, name: str, width: float) -> list[Shape]:
    """Return a way, a ring where it began, and the robot with its letter where it ended."""
    if not len(path.pose):
        return []
    colour = robot_colour(number)
    points = tuple((float(x), float(y)) for x, y in path.pose[:, :2])
    (x0, y0), (x, y) = points[0], points[-1]
    yaw = float(path.pose[-1, 2])
    radius, hull = path.body.radius, path.body.colour or pale(colour, 0.65)
    nose = tuple(
        (x + radius * reach * math.cos(yaw + angle), y + radius * reach * math.sin(yaw + angle))
        for reach, angle in ((1.35, 0.0), (0.95, 0.42), (0.95, -0.42))
    )
    return [
        Path(points, colour, width=width, dash=robot_dash(number), fading=True, layer=Layer.THINGS - 1),
        Disc(x0, y0, 0.05, fill="#ffffff", line=colour, width=0.015, layer=Layer.THINGS - 1),
        Polygon(nose, fill=colour, line=colour, width=0.01, layer=Layer.ROBOTS),
        Disc(x, y, radius, fill=hull, line=colour, width=0.02, alpha=0.9, layer=Layer.ROBOTS),
        # Above a home's star, upon which a robot may end.
        Text(x, y, robot_letter(name), 0.2, bold=True, layer=Layer.LABELS),
    ]


def _legend(trial: TrialResult) -> list[Any]:
    """Return what a legend lists: robots with their lines, and shapes with names."""
    listed: dict[str, Any] = {}
    for number, name in enumerate(trial.trajectories):
        label = name.replace("_", " ")
        listed[label] = _line(label, robot_colour(number), robot_dash(number))
    for shape in trial.shapes:
        if isinstance(shape, Text) or not shape.name or shape.name in listed:
            continue
        if isinstance(shape, Path):
            listed[shape.name] = _line(shape.name, shape.colour, shape.dash, 1.5)
        else:
            colour = next((colour for colour in (shape.fill, shape.line) if colour is not None), INK)
            listed[shape.name] = Patch(color=colour, label=shape.name)
    handles = list(listed.values())
    if len(handles) <= _MOST_NAMES:
        return handles
    return [*handles[: _MOST_NAMES - 1], Patch(color="none", label=f"and {len(handles) - _MOST_NAMES + 1} more")]


def _line(label: str, colour: str, dash: float, width: float = 3.0) -> Line2D:
    """Return a line of a legend, with dashes (m) as on the map; the longest that a legend has room for."""
    part = min(dash * 30.0, 3.0)
    return Line2D(
        [],
        [],
        color=colour,
        linewidth=width,
        linestyle=(0.0, (part, part)) if part else "solid",
        dash_capstyle="butt",
        label=label,
    )


def _draw_marks(axes: Axes, trial: TrialResult) -> None:
    """Draw a cross for each mark, and label the first ones with event and time, where least is covered."""
    crowd = [np.array(corners(trial.shapes), dtype=np.float64).reshape(-1, 2)]
    crowd += [path.pose[:, :2] for path in trial.trajectories.values()]
    crowd += [np.asarray(solid.polygon().exterior.segmentize(0.1).coords) for solid in trial.layout.solids]
    taken = axes.transData.transform(np.concatenate([*crowd, np.zeros((0, 2))]))
    half = _CROSS * axes.figure.dpi / 72.0
    places = axes.transData.transform([(mark.x, mark.y) for mark in trial.marks] or np.zeros((0, 2)))
    written = [Bbox([place - half, place + half]) for place in places]
    for number, mark in enumerate(trial.marks):
        axes.plot(mark.x, mark.y, marker="X", markersize=12, color=mark.colour, markeredgecolor=INK, zorder=6)
        if number < _MOST_LABELS:
            _draw_label(axes, mark, taken, written)


def _draw_label(axes: Axes, mark: Mark, taken: NDArray[np.float64], written: list[Bbox]) -> None:
    """Label a mark where nothing is written yet (px), and add the label to that; without room, draw none."""
    text = f"{mark.label} at {mark.now_s:.2f} s"
    pixel = axes.figure.dpi / 72.0
    half = np.array([len(text) * _LETTER[0] / 2.0 + 4.0, _LETTER[1] / 2.0 + 2.0]) * pixel
    place = np.asarray(axes.transData.transform((mark.x, mark.y)))
    middle = _free_place(_around(place, half, pixel), half, taken, [axes.bbox, *written])
    if middle is None:
        return
    written.append(Bbox([middle - half, middle + half]))
    offset = (middle - place) / pixel
    axes.annotate(
        text,
        (mark.x, mark.y),
        (float(offset[0]), float(offset[1])),
        textcoords="offset points",
        ha="center",
        va="center",
        fontweight="bold",
        zorder=7,
        bbox={"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": mark.colour},
        arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.8, "zorder": 5.5},
    )


def _around(place: NDArray[np.float64], half: NDArray[np.float64], pixel: float) -> Iterator[NDArray[np.float64]]:
    """Yield places (px) for the middle of a label, those near its mark first."""
    for reach, angle in itertools.product(_REACHES, np.arange(16) * math.pi / 8.0):
        yield place + np.array([math.cos(angle), math.sin(angle)]) * (reach * pixel + half * (1.0, 0.3))


def _free_place(
    places: Iterable[NDArray[np.float64]], half: NDArray[np.float64], taken: NDArray[np.float64], boxes: Sequence[Bbox]
) -> NDArray[np.float64] | None:
    """Return where a label covers least, an early place rather than a late one; all in pixels.

    Args:
        places: of the label's middle
        half: of its width and height
        taken: points that should not be covered
        boxes: the first is what it must lie in, the others what it must not touch
    """
    best, most = None, -math.inf
    for late, middle in enumerate(places):
        box = Bbox([middle - half, middle + half])
        inside = boxes[0].contains(*box.min) and boxes[0].contains(*box.max)
        if not inside or any(box.overlaps(other) for other in boxes[1:]):
            continue
        room = float((np.abs(taken - middle) / half).max(axis=1).min()) if len(taken) else 2.0
        if min(room, 2.0) - _LATE * late > most:
            best, most = middle, min(room, 2.0) - _LATE * late
    return best
