"""Shapes drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib import patches, patheffects
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from numpy.typing import NDArray

from arena_trees.world.palette import pale
from arena_trees.world.shapes import Disc, Path, Polygon, Shape, Text, in_layers

__all__ = ["draw_shapes"]

_POINTS = 72.0
"""Points per inch."""
_THINNEST = 0.6
"""Thinnest line, points."""
_LETTERS = (6.0, 40.0)
"""Smallest and largest letters, points."""
_FADED = 0.65


def draw_shapes(axes: Axes, shapes: Iterable[Shape]) -> None:
    """Draw shapes into axes in metres of the map; a higher layer lies above.

    Widths and letters follow the scale that the axes have now: their limits must be set, and where the figure has a
    layout engine, ``figure.draw_without_rendering()`` called before.
    """
    (left, _), (right, _) = axes.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    scale = abs(right - left) * _POINTS / axes.figure.dpi
    for shape in in_layers(shapes):
        zorder = 1.0 + shape.layer / 10.0
        if isinstance(shape, Polygon):
            axes.add_patch(patches.Polygon(np.array(shape.points), **_style(shape, scale), zorder=zorder))
        elif isinstance(shape, Disc):
            axes.add_patch(patches.Circle((shape.x, shape.y), shape.radius, **_style(shape, scale), zorder=zorder))
        elif isinstance(shape, Path):
            _draw_path(axes, shape, scale, zorder)
        else:
            _draw_text(axes, shape, scale, zorder)


def _style(shape: Polygon | Disc, scale: float) -> dict[str, Any]:
    width = max(shape.width * scale, _THINNEST)
    style: dict[str, Any] = {
        "facecolor": "none" if shape.fill is None else to_rgba(shape.fill, shape.alpha),
        "edgecolor": "none" if shape.line is None else to_rgba(shape.line, shape.alpha),
        "linewidth": width,
    }
    if isinstance(shape, Polygon) and shape.dash:
        dash = shape.dash * scale / width
        style |= {"linestyle": (-shape.shift * scale / width, (dash, dash)), "capstyle": "butt"}
    return style


def _draw_path(axes: Axes, shape: Path, scale: float, zorder: float) -> None:
    if len(shape.points) < 2:
        return
    width = max(shape.width * scale, _THINNEST)
    if shape.fading:
        ends = [to_rgba(pale(shape.colour, _FADED), shape.alpha), to_rgba(shape.colour, shape.alpha)]
        pieces, shares = _pieces(np.array(shape.points), shape.dash)
        lines = LineCollection(
            pieces,
            cmap=LinearSegmentedColormap.from_list("trail", ends),
            linewidth=width,
            capstyle="butt" if shape.dash else "round",
            zorder=zorder,
        )
        lines.set_array(shares)
        axes.add_collection(lines)
        return
    dash = shape.dash * scale / width
    xs, ys = zip(*shape.points, strict=True)
    (line,) = axes.plot(xs, ys, color=shape.colour, alpha=shape.alpha, linewidth=width, zorder=zorder)
    if shape.dash:
        line.set_linestyle((0.0, (dash, dash)))
        line.set_dash_capstyle("butt")


def _pieces(points: NDArray[np.float64], dash: float) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the parts of a fading line, and how far along its points each begins.

    Args:
        points: m, shape (k, 2)
        dash: length of dashes and of the gaps between them, m; 0 for a part between every two points
    """
    places = np.arange(len(points), dtype=np.float64)
    if not dash:
        return [points[index : index + 2] for index in range(len(points) - 1)], places[:-1]
    way = np.concatenate([[0.0], np.hypot(*np.diff(points, axis=0).T).cumsum()])
    begins = np.arange(0.0, max(way[-1], dash / 2.0), 2.0 * dash)
    pieces = []
    for begin in begins:
        ends = [[np.interp(at, way, points[:, axis]) for axis in (0, 1)] for at in (begin, begin + dash)]
        pieces.append(np.array([ends[0], *points[(way > begin) & (way < begin + dash)], ends[1]]))
    return pieces, np.interp(begins, way, places)


def _draw_text(axes: Axes, shape: Text, scale: float, zorder: float) -> None:
    low, high = _LETTERS
    text = axes.text(
        shape.x,
        shape.y,
        shape.text,
        color=shape.colour,
        alpha=shape.alpha,
        fontsize=min(max(shape.size * scale, low), high),
        fontweight="bold" if shape.bold else "normal",
        ha="center",
        va="center_baseline",
        clip_on=True,
        zorder=zorder,
    )
    if shape.halo is not None:
        text.set_path_effects([patheffects.withStroke(linewidth=2.5, foreground=shape.halo)])
