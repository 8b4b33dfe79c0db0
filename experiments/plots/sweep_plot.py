"""Pictures of a sweep: any metric over one or two of its keys, as lines or as a heat map; a function of its table."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize, to_hex
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from arena_trees.experiments.plots.legends import legend_columns
from arena_trees.experiments.sweeps.table import Table
from arena_trees.robot.configuration.figure_file import write_figure
from arena_trees.robot.errors import ConfigError
from arena_trees.world.palette import INK, MUTED, PAPER, WALL, ink_on, robot_colour

__all__ = ["MOST_PANELS", "SweepPicture", "draw_sweep", "plot_sweep"]

MOST_PANELS = 12
_ABREAST = 3
"""Panels in a row."""
_MOST_FIGURES = 240
"""Most cells of a panel for which their values are written."""
_MOST_LINES = 8
_MOST_TICKS = 24
_SHARE = 0.94
"""Share of a figure's width that a legend may take."""
_COLOURS = "viridis"
_LINES = ("-", "--", "-.", ":")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.edgecolor": INK,
    "text.color": INK,
    # A dollar sign in a key or a value is no mathematics.
    "text.parse_math": False,
}


@dataclass(frozen=True, slots=True)
class SweepPicture:
    """What a picture shows.

    Attributes:
        metric: column of the table
        x: key along the x axis
        y: key along the y axis of a heat map, or of the lines; None where there is but one
        panels: keys of which each combination of values has a panel of its own
        lines: draw lines where there are two keys, too, and no heat map
        title: of the picture
        label: what the metric is, besides its name; empty where it is not given
    """

    metric: str
    x: str
    y: str | None = None
    panels: tuple[str, ...] = ()
    lines: bool = False
    title: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Cell:
    """The table's figures of one point: the value and its interval, and the number of trials."""

    value: float | None
    low: float | None
    high: float | None
    played: int
    failed: int


class _Panel:
    """The cells of one panel, by their values of x and y."""

    def __init__(self, heading: str, cells: Mapping[tuple[str, str], _Cell]) -> None:
        self.heading = heading
        self.cells = cells


def plot_sweep(table: Table, picture: SweepPicture, path: Path) -> None:
    """Draw a metric of a table of points into a file: PNG, SVG or PDF, as its name ends.

    Args:
        table: as :func:`draw_sweep` takes it
        picture: what is shown
        path: of the file

    Raises:
        ConfigError: as of :func:`draw_sweep`, or the file cannot be written
    """
    with matplotlib.rc_context(_STYLE):
        figure = draw_sweep(table, picture)
        write_figure(figure, path)


def draw_sweep(table: Table, picture: SweepPicture) -> Figure:
    """Return the picture of a metric of a table of points.

    A cell without a value is grey where trials were played, hatched where all of them failed, and white where none has
    been played yet. Bands and bars are the 95 % intervals of the table.

    Args:
        table: of points, as :func:`~arena_trees.experiments.sweeps.table.point_table` makes it, at most one for each
            combination of the values of the picture's keys
        picture: what is shown

    Raises:
        ConfigError: the table has no such metric, or there are too many panels or lines
    """
    if f"{picture.metric}_n" not in table.columns:
        raise ConfigError("no trial has a value of it", key=picture.metric)
    xs = _sorted(table.column(picture.x))
    ys = [None] if picture.y is None else _sorted(table.column(picture.y))
    panels = _panels(table, picture)
    as_lines = picture.lines or picture.y is None
    if len(panels) > MOST_PANELS:
        keys = " and ".join(picture.panels)
        raise ConfigError(f"{len(panels)} panels for {keys}: choose values of these", key=picture.metric)
    if as_lines and len(ys) > _MOST_LINES:
        raise ConfigError(f"{len(ys)} lines; at most {_MOST_LINES} can be told apart", key=str(picture.y))
    figure, axes = _figure(picture, len(panels), len(xs), len(ys), as_lines)
    if as_lines:
        _draw_lines(figure, axes, panels, picture, xs, ys)
    else:
        _draw_heat(figure, axes, panels, picture, xs, ys)
    return figure


def _panels(table: Table, picture: SweepPicture) -> list[_Panel]:
    """Return the panels, each with its cells by the texts of x and y."""
    ends = ("", "_low", "_high")
    columns = [table.column(f"{picture.metric}{end}") for end in ends]
    numbers = zip(*columns, table.column("played"), table.column("failed"), strict=True)
    found = [_Cell(*one) for one in numbers]
    xs = table.column(picture.x)
    ys = [None] * len(xs) if picture.y is None else table.column(picture.y)
    others = list(zip(*(table.column(key) for key in picture.panels), strict=True)) or [()] * len(xs)
    axes = [_sorted(table.column(key)) for key in picture.panels]
    panels = []
    for values in itertools.product(*axes):
        wanted = tuple(map(_label_text, values))
        cells = {
            (_label_text(x), _label_text(y)): cell
            for x, y, other, cell in zip(xs, ys, others, found, strict=True)
            if tuple(map(_label_text, other)) == wanted
        }
        heading = ", ".join(f"{key} = {_label_text(value)}" for key, value in zip(picture.panels, values, strict=True))
        panels.append(_Panel(heading, cells))
    return panels


def _figure(picture: SweepPicture, panels: int, columns: int, rows: int, as_lines: bool) -> tuple[Figure, list[Axes]]:
    """Return a figure with room for all panels, and their axes."""
    abreast = min(panels, _ABREAST)
    down = math.ceil(panels / abreast)
    if as_lines:
        width, height = (7.2, 4.4) if panels == 1 else (4.6, 3.2)
    else:
        widest = 12.0 if panels == 1 else 5.4
        width = min(widest, max(3.4, 1.6 + 0.55 * columns))
        height = min(9.0, max(2.2, 1.1 + 0.42 * rows))
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    size = (max(5.0, width * abreast + (0.0 if as_lines else 1.4)), height * down + 0.9)
    figure = Figure(figsize=size, dpi=120, facecolor=PAPER, layout=layout)
    FigureCanvasAgg(figure)
    if picture.title:
        # 11 points of bold type are about a tenth of an inch a letter.
        lines = textwrap.wrap(picture.title, round(9.0 * size[0]))
        figure.suptitle("\n".join(lines), fontsize=11, fontweight="bold")
    axes = figure.subplots(down, abreast, squeeze=False).ravel().tolist()
    for spare in axes[panels:]:
        spare.axis("off")
    return figure, axes[:panels]


def _draw_heat(
    figure: Figure, axes: Sequence[Axes], panels: Sequence[_Panel], picture: SweepPicture, xs: Sequence[Any], ys: Any
) -> None:
    """Draw each panel as a heat map, all of one scale."""
    values = [cell.value for panel in panels for cell in panel.cells.values() if cell.value is not None]
    scale = Normalize(*((min(values), max(values)) if values else (0.0, 1.0)))
    colours = colormaps[_COLOURS]
    marked: dict[str, Patch] = {}
    image = None
    for place, panel in zip(axes, panels, strict=True):
        cells = [[panel.cells.get((_label_text(x), _label_text(y))) for x in xs] for y in ys]
        shown = np.array(
            [[math.nan if one is None or one.value is None else one.value for one in row] for row in cells]
        )
        place.set_facecolor("white")
        image = place.pcolormesh(np.ma.masked_invalid(shown), cmap=colours, norm=scale)
        for row, column in itertools.product(range(len(ys)), range(len(xs))):
            cell = cells[row][column]
            if cell is not None and cell.value is None and cell.played + cell.failed:
                words = "every trial failed" if not cell.played else "no trial has a value"
                marked[words] = _mark(place, column, row, failed=not cell.played)
            elif cell is not None and cell.value is not None and len(xs) * len(ys) <= _MOST_FIGURES:
                ink = ink_on(to_hex(colours(scale(cell.value))))
                place.text(column + 0.5, row + 0.5, _short(cell.value), ha="center", va="center", size=8, color=ink)
        _label_places(place, xs, ys, picture)
        place.set_title(panel.heading, loc="left", fontsize=9)
    if image is not None:
        figure.colorbar(image, ax=list(axes), label=_metric_label(picture), pad=0.02)
    if marked:
        handles = [Patch(label=words, **_patch(words == "every trial failed")) for words in marked]
        _legend(figure, handles)


def _label_places(axes: Axes, xs: Sequence[Any], ys: Sequence[Any], picture: SweepPicture) -> None:
    """Write the keys' values at the cells of a heat map."""
    for values, set_ticks in ((xs, axes.set_xticks), (ys, axes.set_yticks)):
        step = math.ceil(len(values) / _MOST_TICKS)
        places = range(0, len(values), step)
        set_ticks([place + 0.5 for place in places], [_label_text(values[place]) for place in places])
    longest = max(map(len, map(_label_text, xs)))
    if longest * min(len(xs), _MOST_TICKS) > 60:
        axes.tick_params(axis="x", labelrotation=90)
    axes.set(xlabel=picture.x, ylabel=str(picture.y))
    axes.tick_params(length=0)


def _mark(axes: Axes, column: int, row: int, failed: bool) -> Patch:
    """Mark a cell that has no value."""
    patch = Rectangle((column, row), 1.0, 1.0, **_patch(failed))
    axes.add_patch(patch)
    return patch


def _patch(failed: bool) -> dict[str, Any]:
    if failed:
        return {"facecolor": "white", "edgecolor": MUTED, "hatch": "///", "linewidth": 0.0}
    return {"facecolor": WALL, "edgecolor": WALL, "linewidth": 0.0}


def _draw_lines(
    figure: Figure,
    axes: Sequence[Axes],
    panels: Sequence[_Panel],
    picture: SweepPicture,
    xs: Sequence[Any],
    ys: Sequence[Any],
) -> None:
    """Draw each panel as lines with their intervals, all of one scale."""
    numeric = all(isinstance(x, int | float) and not isinstance(x, bool) for x in xs)
    at = [float(x) for x in xs] if numeric else [float(place) for place in range(len(xs))]
    handles = []
    for place, panel in zip(axes, panels, strict=True):
        for number, y in enumerate(ys):
            cells = [panel.cells.get((_label_text(x), _label_text(y))) for x in xs]
            style: dict[str, Any] = {
                "color": robot_colour(number + 1),
                "linestyle": _LINES[number % len(_LINES)] if numeric else "",
                "marker": _MARKS[number % len(_MARKS)],
                "markersize": 4.5,
                "linewidth": 1.6,
            }
            shift = 0.0 if numeric else 0.12 * (number - (len(ys) - 1) / 2.0)
            _draw_line(place, [x + shift for x in at], cells, style, numeric)
            if panel is panels[0] and y is not None:
                handles.append(Line2D([], [], label=f"{picture.y} = {_label_text(y)}", **style))
        place.set(xlabel=picture.x, facecolor="white")
        place.set_title(panel.heading, loc="left", fontsize=9)
        place.grid(alpha=0.15)
        if numeric:
            place.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]))
        else:
            place.set_xticks(at, list(map(_label_text, xs)))
            place.set_xlim(-0.5, len(xs) - 0.5)
    lows, highs = zip(*(place.get_ylim() for place in axes), strict=True)
    for place in axes:
        place.set_ylim(min(lows), max(highs))
    axes[0].set_ylabel(_metric_label(picture))
    if handles:
        _legend(figure, handles)


def _draw_line(
    axes: Axes, at: Sequence[float], cells: Sequence[_Cell | None], style: Mapping[str, Any], numeric: bool
) -> None:
    """Draw one line, interrupted where there is no value, and its interval: a band, or bars where x is no number."""

    def column(name: str) -> list[float]:
        return [math.nan if cell is None else _or_nan(getattr(cell, name)) for cell in cells]

    values, low, high = column("value"), column("low"), column("high")
    axes.plot(at, values, **style)
    if numeric:
        axes.fill_between(at, low, high, color=style["color"], alpha=0.12, linewidth=0.0)
    else:
        axes.vlines(at, low, high, color=style["color"], linewidth=1.2, alpha=0.7)


def _legend(figure: Figure, handles: Sequence[Any]) -> None:
    """Put a legend below all panels."""
    columns = legend_columns([handle.get_label() for handle in handles], _SHARE * 72.0 * figure.get_figwidth())
    figure.legend(
        handles=handles, loc="outside lower center", ncol=columns, frameon=False, fontsize=8, handlelength=2.6
    )


def _metric_label(picture: SweepPicture) -> str:
    return f"{picture.metric}: {picture.label}" if picture.label and len(picture.label) <= 50 else picture.metric


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _sorted(values: Sequence[Any]) -> list[Any]:
    """Return the different values of a key: numbers by size, others in the order in which they come."""
    found = {_label_text(value): value for value in values}
    different = list(found.values())
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in different):
        return sorted(different)
    return different


def _label_text(value: Any) -> str:
    """Return a value of a key as text for a label."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _short(value: float) -> str:
    """Return a metric's value as a cell has room for it."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e4 else f"{value:.3g}"
