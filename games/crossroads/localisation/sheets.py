"""Sheets to print a crossing's floor from, in true size, and its markers: one PDF."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shapely

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.robot.errors import ConfigError
from arena_trees.world.markers import marker_cells, marker_dictionary
from arena_trees.world.printing import PAPERS, RIM, draw_area, draw_marker, make_page, write_pages

__all__ = ["Tile", "find_tiles", "write_sheets"]

_MOST_TILES = 2000


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
    width, height = paper[0] - 2.0 * RIM, paper[1] - 2.0 * RIM
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
        paper: one of :data:`~arena_trees.world.printing.PAPERS`
        path: of the file

    Returns:
        How many pages there are.

    Raises:
        ConfigError: there is no such paper, or the crossing needs too much of it
    """
    if paper not in PAPERS:
        raise ConfigError(f"must be one of {', '.join(PAPERS)}", key="--paper", value=paper)
    tiles = find_tiles(floor, PAPERS[paper])
    return write_pages(path, "A crossing of Arena Trees", _pages(floor, tiles, PAPERS[paper]))


def _pages(floor: CrossingFloor, tiles: list[Tile], paper: tuple[float, float]) -> Iterator[Any]:
    yield _plan(floor, tiles, paper)
    for tile in tiles:
        yield _sheet(floor, tile, paper)
    for marker in floor.markers:
        yield _marker(marker.number, str(marker.lane), marker.size)


def _lines(axes: Any, floor: CrossingFloor, within: Any = None) -> None:
    for stripe in floor.stripes:
        shape = shapely.Polygon(stripe.corners)
        shape = shape if within is None else shape.intersection(within)
        draw_area(axes, shape, [value / 255.0 for value in stripe.colour])


def _plan(floor: CrossingFloor, tiles: list[Tile], paper: tuple[float, float]) -> Any:
    """Return the first page: where each sheet lies, not to scale."""
    half = floor.half
    high = half * paper[1] / paper[0]
    figure, axes = make_page(paper, -1.05 * half, -1.05 * high, 1.05 * half, 1.05 * high)
    _lines(axes, floor)
    for tile in tiles:
        across = (tile.left, tile.right, tile.right, tile.left, tile.left)
        up = (tile.bottom, tile.bottom, tile.top, tile.top, tile.bottom)
        axes.plot(across, up, color="#808080", linewidth=0.4)
        middle = ((tile.left + tile.right) / 2.0, (tile.bottom + tile.top) / 2.0)
        axes.text(*middle, f"{tile.row}.{tile.column}", ha="center", va="center", fontsize=4)
    p = floor.crossing
    lines = (
        f"Arena Trees: {_what(p)}, {2.0 * half:.2f} m across, lanes of {p.lane_width:.2f} m",
        f"{len(tiles)} sheets, named row.column; north is up. Print at 100 % (no scaling to fit), on white matt paper.",
        "Cut each sheet along its corner marks and lay the edges together. Where no sheet is, the floor is white.",
        "Walls stand behind the black lines, markers at the corners: see docs/crossroads.md.",
    )
    for number, line in enumerate(lines):
        axes.text(0.0, (-1.0 + 0.06 * (3 - number)) * high, line, ha="center", fontsize=7)
    return figure


def _what(crossing: CrossingParameters) -> str:
    """Return what the sheets are of, in words."""
    if crossing.crossings == 1:
        return f"a crossing of {crossing.approaches} arms"
    return f"{crossing.crossings} crossings of {crossing.approaches} arms in a row"


def _sheet(floor: CrossingFloor, tile: Tile, paper: tuple[float, float]) -> Any:
    """Return a sheet in true size, with marks at the corners to cut and lay by."""
    figure, axes = make_page(paper, tile.left - RIM, tile.bottom - RIM, tile.right + RIM, tile.top + RIM)
    _lines(axes, floor, shapely.box(tile.left, tile.bottom, tile.right, tile.top))
    for x, outward in ((tile.left, -1.0), (tile.right, 1.0)):
        for y, upward in ((tile.bottom, -1.0), (tile.top, 1.0)):
            axes.plot([x, x], [y + 0.002 * upward, y + 0.008 * upward], color="black", linewidth=0.5)
            axes.plot([x + 0.002 * outward, x + 0.008 * outward], [y, y], color="black", linewidth=0.5)
    width = 1000.0 * (tile.right - tile.left)
    text = f"{tile}; {width:.0f} mm between the marks"
    axes.text((tile.left + tile.right) / 2.0, tile.bottom - RIM / 2.0, text, ha="center", va="center", fontsize=6)
    return figure


def _marker(number: int, lane: str, size: float) -> Any:
    """Return a sheet with a marker in true size."""
    paper = PAPERS["a4" if size <= 0.19 else "a0"]
    figure, axes = make_page(paper, -paper[0] / 2.0, -paper[1] / 2.0, paper[0] / 2.0, paper[1] / 2.0)
    draw_marker(axes, marker_cells(marker_dictionary(), number), size)
    lines = (
        f"marker {number}, for those who come from the {lane}: it hangs at their far left corner and faces them",
        f"the black square is {1000.0 * size:.0f} mm wide; leave {1000.0 * size / 12.0:.0f} mm of white around",
    )
    for place, text in enumerate(lines):
        axes.text(0.0, -size / 2.0 - 0.03 - 0.008 * place, text, ha="center", fontsize=7)
    return figure
