"""Sheets to print a crossing's floor from, in true size, and its markers: one PDF."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shapely

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.robot.errors import ConfigError
from arena_trees.world.markers import marker_dictionary

__all__ = ["PAPERS", "Tile", "find_tiles", "write_sheets"]

PAPERS = {
    "a4": (0.210, 0.297),
    "a3": (0.297, 0.420),
    "a2": (0.420, 0.594),
    "a1": (0.594, 0.841),
    "a0": (0.841, 1.189),
}
"""Width and height of sheets of paper, m."""

_RIM = 0.012
"""What printers leave free around a sheet, m; the marks to cut along are at its inner edge."""

_INCH = 0.0254
_MOST_TILES = 2000
_BITS = 6
"""Cells of a marker each way, its black frame included."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A sheet's part of the floor: row from the north and column from the west, counted from 1, and its bounds (m)."""

    row: int
    column: int
    left: float
    bottom: float
    right: float
    top: float

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}"


def find_tiles(floor: CrossingFloor, paper: tuple[float, float]) -> list[Tile]:
    """Return the sheets on which there is a line, row by row; the others are white and need no printing.

    Args:
        floor: of the crossing
        paper: width and height of a sheet, m

    Raises:
        ConfigError: there would be more than 2000
    """
    width, height = paper[0] - 2.0 * _RIM, paper[1] - 2.0 * _RIM
    lines = shapely.union_all([shapely.Polygon(stripe.corners) for stripe in floor.stripes])
    columns, rows = (math.ceil(2.0 * floor.half / side) for side in (width, height))
    shapely.prepare(lines)
    found: list[Tile] = []
    for row in range(rows):
        for column in range(columns):
            left, top = -floor.half + column * width, floor.half - row * height
            bounds = (left, top - height, left + width, top)
            if not lines.intersects(shapely.box(*bounds)):
                continue
            if len(found) == _MOST_TILES:
                raise ConfigError(
                    f"the crossing needs more than {_MOST_TILES} sheets: take larger paper", key="--paper"
                )
            found.append(Tile(row + 1, column + 1, *bounds))
    return found


def write_sheets(floor: CrossingFloor, paper: str, path: Path) -> int:
    """Write the PDF: a plan of the sheets, the sheets, and the markers; the same bytes each time.

    Args:
        floor: of the crossing
        paper: one of :data:`PAPERS`
        path: of the file

    Returns:
        How many pages there are.

    Raises:
        ConfigError: there is no such paper, or the crossing needs too much of it
    """
    if paper not in PAPERS:
        raise ConfigError(f"must be one of {', '.join(PAPERS)}", key="--paper", value=paper)
    from matplotlib.backends.backend_pdf import PdfPages

    tiles = find_tiles(floor, PAPERS[paper])
    count = 0
    with PdfPages(path, metadata={"Title": "A crossing of Arena Trees", "CreationDate": None}) as pages:
        for figure in _pages(floor, tiles, PAPERS[paper]):
            pages.savefig(figure)
            count += 1
    return count


def _pages(floor: CrossingFloor, tiles: list[Tile], paper: tuple[float, float]) -> Iterator[Any]:
    yield _plan(floor, tiles, paper)
    for tile in tiles:
        yield _sheet(floor, tile, paper)
    for marker in floor.markers:
        yield _marker(marker.number, f"{marker.approach.value}", marker.size)


def _figure(size: tuple[float, float], left: float, bottom: float, right: float, top: float) -> tuple[Any, Any]:
    """Return a page of a size (m) and axes that fill it, with the given limits."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] / _INCH, size[1] / _INCH))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.axis("off")
    return figure, axes


def _fill(axes: Any, shape: Any, colour: Any) -> None:
    from matplotlib.patches import Polygon

    for part in getattr(shape, "geoms", (shape,)):
        if part.geom_type == "Polygon" and not part.is_empty:
            corners = list(part.exterior.coords)
            axes.add_patch(Polygon(corners, closed=True, facecolor=colour, edgecolor="none", antialiased=False))


def _lines(axes: Any, floor: CrossingFloor, within: Any = None) -> None:
    for stripe in floor.stripes:
        shape = shapely.Polygon(stripe.corners)
        shape = shape if within is None else shape.intersection(within)
        _fill(axes, shape, [value / 255.0 for value in stripe.colour])


def _plan(floor: CrossingFloor, tiles: list[Tile], paper: tuple[float, float]) -> Any:
    """Return the first page: where each sheet lies, not to scale."""
    half = floor.half
    high = half * paper[1] / paper[0]
    figure, axes = _figure(paper, -1.05 * half, -1.05 * high, 1.05 * half, 1.05 * high)
    _lines(axes, floor)
    for tile in tiles:
        across = (tile.left, tile.right, tile.right, tile.left, tile.left)
        up = (tile.bottom, tile.bottom, tile.top, tile.top, tile.bottom)
        axes.plot(across, up, color="#808080", linewidth=0.4)
        middle = ((tile.left + tile.right) / 2.0, (tile.bottom + tile.top) / 2.0)
        axes.text(*middle, f"{tile.row}.{tile.column}", ha="center", va="center", fontsize=4)
    p = floor.crossing
    lines = (
        f"Arena Trees: a crossing of {p.approaches} arms, {2.0 * half:.2f} m across, lanes of {p.lane_width:.2f} m",
        f"{len(tiles)} sheets, named row.column; north is up. Print at 100 % (no scaling to fit), on white matt paper.",
        "Cut each sheet along its corner marks and lay the edges together. Where no sheet is, the floor is white.",
        "Walls stand behind the black lines, markers at the corners: see docs/crossroads.md.",
    )
    for number, line in enumerate(lines):
        axes.text(0.0, (-1.0 + 0.06 * (3 - number)) * high, line, ha="center", fontsize=7)
    return figure


def _sheet(floor: CrossingFloor, tile: Tile, paper: tuple[float, float]) -> Any:
    """Return a sheet in true size, with marks at the corners to cut and lay by."""
    figure, axes = _figure(paper, tile.left - _RIM, tile.bottom - _RIM, tile.right + _RIM, tile.top + _RIM)
    _lines(axes, floor, shapely.box(tile.left, tile.bottom, tile.right, tile.top))
    for x, outward in ((tile.left, -1.0), (tile.right, 1.0)):
        for y, upward in ((tile.bottom, -1.0), (tile.top, 1.0)):
            axes.plot([x, x], [y + 0.002 * upward, y + 0.008 * upward], color="black", linewidth=0.5)
            axes.plot([x + 0.002 * outward, x + 0.008 * outward], [y, y], color="black", linewidth=0.5)
    width = 1000.0 * (tile.right - tile.left)
    text = f"{tile}; {width:.0f} mm between the marks"
    axes.text((tile.left + tile.right) / 2.0, tile.bottom - _RIM / 2.0, text, ha="center", va="center", fontsize=6)
    return figure


def _marker(number: int, approach: str, size: float) -> Any:
    """Return a sheet with a marker in true size."""
    paper = PAPERS["a4" if size <= 0.19 else "a0"]
    figure, axes = _figure(paper, -paper[0] / 2.0, -paper[1] / 2.0, paper[0] / 2.0, paper[1] / 2.0)
    _fill(axes, shapely.box(-size / 2.0, -size / 2.0, size / 2.0, size / 2.0), "black")
    dictionary = marker_dictionary()
    bits = type(dictionary).getBitsFromByteList(dictionary.bytesList[number : number + 1], dictionary.markerSize)
    cell = size / _BITS
    for row, line in enumerate(bits):
        for column, bit in enumerate(line):
            if bit:
                left, top = -size / 2.0 + (column + 1) * cell, size / 2.0 - (row + 1) * cell
                _fill(axes, shapely.box(left, top - cell, left + cell, top), "white")
    lines = (
        f"marker {number}, for those who come from the {approach}: it hangs at their far left corner and faces them",
        f"the black square is {1000.0 * size:.0f} mm wide; leave {1000.0 * size / 12.0:.0f} mm of white around",
    )
    for place, text in enumerate(lines):
        axes.text(0.0, -size / 2.0 - 0.03 - 0.008 * place, text, ha="center", fontsize=7)
    return figure
