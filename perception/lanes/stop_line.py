"""Finds the green stop line across the robot's lane in a picture from above."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.lanes.birds_eye import Grid
from arena_trees.perception.lanes.line_points import find_points
from arena_trees.robot.lane import LaneLines

__all__ = ["find_stop_line"]

_NEAR = 0.05
"""Points of a stop line are this near (m) to each other along the lane."""

_RIM = 0.06
"""The lane's rims, where lines of other colours are, are not looked at, m."""

_COVER = 0.4
"""Share of what is seen of the lane's width that the line covers."""

_LOST_REACH = 1.3
"""Without the lane's lines, no farther line is believed: it may be that of the oncoming lane, m."""

_SHORTEST = 0.12
"""A line of which less is seen (m) is none."""


def find_stop_line(
    ink: NDArray[np.float32], grid: Grid, seen: NDArray[np.bool_], lane: LaneLines, line_width: float
) -> float | None:
    """Return the distance (m) from base_link along the lane to the middle of the stop line, or None.

    Args:
        ink: how green each cell is, shape (rows, columns)
        grid: the cells
        seen: which of them are in the image
        lane: the lane's lines; where both are lost, the robot is taken to be in the middle of its lane
        line_width: m
    """
    heading, offset = lane.heading or 0.0, lane.offset or 0.0
    farthest = math.inf if lane.confidence > 0.0 else _LOST_REACH
    y, x, _ = find_points(ink.T, seen.T, grid.y, grid.x, (0.2 * line_width, 4.0 * line_width))
    along = x * math.cos(heading) + y * math.sin(heading)
    across = y * math.cos(heading) - x * math.sin(heading) - offset
    half = lane.lane_width / 2.0 - _RIM
    along = along[(np.abs(across) <= half) & (along <= farthest)]
    if not along.size:
        return None
    middle = _densest(along)
    along = along[np.abs(along - middle) <= _NEAR]
    middle = float(along.mean())
    visible = _visible(grid, seen, middle, heading, offset, half)
    covered = along.size * grid.wide
    return middle if covered >= max(_SHORTEST, _COVER * visible) else None


def _densest(values: NDArray[np.float64]) -> float:
    """Return the value that has the most others near it, the smallest of equals."""
    ordered = np.sort(values)
    counts = np.searchsorted(ordered, ordered + _NEAR, side="right") - np.arange(ordered.size)
    first = int(counts.argmax())
    return float(ordered[first : first + int(counts[first])].mean())


def _visible(grid: Grid, seen: NDArray[np.bool_], along: float, heading: float, offset: float, half: float) -> float:
    """Return how much (m) of a line across the lane is in the image."""
    across = np.arange(-half, half, grid.wide) + offset
    x = along * math.cos(heading) - across * math.sin(heading)
    y = along * math.sin(heading) + across * math.cos(heading)
    rows = np.floor((grid.near + grid.deep * grid.shape[0] - x) / grid.deep).astype(np.int64)
    columns = np.floor((grid.half - y) / grid.wide).astype(np.int64)
    inside = (rows >= 0) & (rows < grid.shape[0]) & (columns >= 0) & (columns < grid.shape[1])
    return float(seen[rows[inside], columns[inside]].sum()) * grid.wide
