"""Walls from a map: its occupied cells, merged into few rectangles."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.world.arena_file import Wall
from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["map_walls", "merged_rectangles"]

_THICKEST = 10.0
"""Metres; a block that is wider both ways becomes several walls."""

Rectangle = tuple[int, int, int, int]
"""First row, first column, and the row and the column after the last."""


def map_walls(area: OccupancyMap, height: float = 0.5) -> tuple[Wall, ...]:
    """Return the walls of a map, named ``wall_1`` and so on, in the map frame.

    Only what borders free space becomes a wall: nothing sees or touches what lies behind it. Where a map does not know
    what is behind a wall, the wall may reach into it, so that the ragged walls of a real map need fewer blocks.

    Args:
        area: the map
        height: of the walls, m
    """
    near = cv2.dilate(area.free.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    needed = near & ~area.free & ~area.unknown
    longest = max(1, int(_THICKEST / area.resolution))
    return tuple(
        _wall(area, rectangle, f"wall_{number}", height)
        for number, rectangle in enumerate(merged_rectangles(needed, ~area.free, longest), 1)
    )


def merged_rectangles(needed: NDArray[np.bool_], allowed: NDArray[np.bool_], longest: int = 1 << 30) -> list[Rectangle]:
    """Return few rectangles that cover every needed cell and no cell that is not allowed.

    Greedy: from the first cell that is not covered, the better of a row grown into a block and a column grown into one.

    Args:
        needed: cells to cover, shape (rows, columns)
        allowed: cells that may be covered; the needed ones among them
        longest: most rows of a rectangle
    """
    open_cells = needed & allowed
    found = []
    # Row by row: what lies above the row of an open cell is covered already.
    for row, column in np.argwhere(open_cells).tolist():
        if not open_cells[row, column]:
            continue
        below = allowed[row : row + longest]
        blocks = (_wide(below, column), _tall(below, column))
        height, left, right = max(blocks, key=lambda b: int(open_cells[row : row + b[0], b[1] : b[2]].sum()))
        rectangle = _trimmed(open_cells, (row, left, row + height, right))
        open_cells[rectangle[0] : rectangle[2], rectangle[1] : rectangle[3]] = False
        found.append(rectangle)
    return found


def _run(cells: NDArray[np.bool_]) -> int:
    """Return how many cells from the first one on are true."""
    return len(cells) if cells.all() else int(np.argmin(cells))


def _wide(allowed: NDArray[np.bool_], column: int) -> tuple[int, int, int]:
    """Return height, left and right of what the first row sweeps downwards, as far as it is allowed about a column."""
    left, right = _across(np.asarray(allowed[0]), column)
    return _run(np.all(allowed[:, left:right], axis=1)), left, right


def _tall(allowed: NDArray[np.bool_], column: int) -> tuple[int, int, int]:
    """Return height, left and right of what a column, as far down as it is allowed, sweeps to both sides."""
    height = _run(allowed[:, column])
    return height, *_across(np.all(allowed[:height], axis=0), column)


def _across(line: NDArray[np.bool_], column: int) -> tuple[int, int]:
    """Return begin and end of the run of true cells that a cell lies in."""
    return column + 1 - _run(line[column::-1]), column + _run(line[column:])


def _trimmed(cells: NDArray[np.bool_], rectangle: Rectangle) -> Rectangle:
    """Return the rectangle without the outer rows and columns that hold none of the cells."""
    top, left, bottom, right = rectangle
    inside = cells[top:bottom, left:right]
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    return top + int(rows[0]), left + int(columns[0]), top + int(rows[-1]) + 1, left + int(columns[-1]) + 1


def _wall(area: OccupancyMap, rectangle: Rectangle, name: str, height: float) -> Wall:
    top, left, bottom, right = rectangle
    lower, upper = (top - 0.5, left - 0.5), (bottom - 0.5, right - 0.5)
    middle_row, middle_column = (lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2
    if right - left >= bottom - top:
        ends, thickness = ((middle_row, lower[1]), (middle_row, upper[1])), bottom - top
    else:
        ends, thickness = ((lower[0], middle_column), (upper[0], middle_column)), right - left
    start, end = (area.world(*cell) for cell in ends)
    return Wall(name=name, start=start, end=end, thickness=thickness * area.resolution, height=height)
