"""Pages in true size: paper, areas, markers and a bar to check the printer by; drawn by Matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.geometry import Pose2D

__all__ = ["PAPERS", "RIM", "draw_area", "draw_marker", "draw_scale_bar", "make_page", "write_pages"]

PAPERS = {
    "a4": (0.210, 0.297),
    "a3": (0.297, 0.420),
    "a2": (0.420, 0.594),
    "a1": (0.594, 0.841),
    "a0": (0.841, 1.189),
}
"""Width and height of sheets of paper, m."""

RIM = 0.012
"""What printers leave free around a sheet, m."""

_INCH = 0.0254


def make_page(size: tuple[float, float], left: float, bottom: float, right: float, top: float) -> tuple[Any, Any]:
    """Return a page (a figure) of a size (m) and axes that fill it, with the given limits (m)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] / _INCH, size[1] / _INCH))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.axis("off")
    return figure, axes


def write_pages(path: Path, title: str, pages: Iterable[Any]) -> int:
    """Write figures of Matplotlib into a PDF, whole or not at all; the same bytes each time.

    Args:
        path: of the file; its folder is made where it is missing
        title: of the document
        pages: the figures

    Returns:
        How many pages there are.

    Raises:
        ConfigError: the file cannot be written
    """
    from matplotlib.backends.backend_pdf import PdfPages

    count = 0

    def write(stream: IO[bytes]) -> None:
        nonlocal count
        with PdfPages(stream, metadata={"Title": title, "CreationDate": None}) as document:
            for page in pages:
                document.savefig(page)
                count += 1

    write_atomically(path, write)
    return count


def draw_area(axes: Any, shape: Any, colour: Any) -> None:
    """Fill a polygon, or several, of shapely with a colour of Matplotlib."""
    from matplotlib.patches import Polygon

    for part in getattr(shape, "geoms", (shape,)):
        if part.geom_type == "Polygon" and not part.is_empty:
            corners = list(part.exterior.coords)
            axes.add_patch(Polygon(corners, closed=True, facecolor=colour, edgecolor="none", antialiased=False))


def draw_marker(axes: Any, cells: NDArray[np.bool_], size: float, place: Pose2D | None = None) -> None:
    """Draw a marker.

    Args:
        axes: of a page
        cells: which are white, row by row from the top
        size: side of the black square, m
        place: of its middle, m, and whither its right side looks, rad; the axes' origin and x where not given
    """
    place = place or Pose2D()
    cell, half = size / len(cells), size / 2.0

    def square(left: float, bottom: float, side: float) -> Any:
        corners = ((left, bottom), (left + side, bottom), (left + side, bottom + side), (left, bottom + side))
        turned = (place.compose(Pose2D(x, y)) for x, y in corners)
        return shapely.Polygon([(one.x, one.y) for one in turned])

    draw_area(axes, square(-half, -half, size), "black")
    for row, line in enumerate(cells):
        for column in np.flatnonzero(line):
            draw_area(axes, square(-half + float(column) * cell, half - (row + 1) * cell, cell), "white")


def draw_scale_bar(axes: Any, x: float, y: float, length: float = 0.1) -> None:
    """Draw a bar of a length (m), to be measured on paper, its middle at a place (m)."""
    height = 0.002
    for start in (-length / 2.0, length / 2.0):
        axes.plot([x + start, x + start], [y - height, y + height], color="black", linewidth=0.5)
    axes.plot([x - length / 2.0, x + length / 2.0], [y, y], color="black", linewidth=0.5)
    text = f"this line must measure {math.floor(1000.0 * length + 0.5)} mm; if not, print at 100 % without fitting"
    axes.text(x, y - 0.006, text, ha="center", va="center", fontsize=6)
