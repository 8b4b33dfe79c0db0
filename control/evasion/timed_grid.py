"""The cells of a map as a grid for searches in time: arrays that numpy gathers at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.navigation.free_space import FreeSpace

__all__ = ["TimedGrid"]


class TimedGrid:
    """The cells of a free space with their neighbours; the number n stands for "no cell".

    Attributes:
        space: what it was made of
        points: centres of the cells, map frame, m, shape (n, 2)
        straight: the cells that share a side with each, shape (4, n)
        diagonal: the cells that share a corner with each, shape (4, n)
        spacing: between two cells that share a side, m

    Args:
        space: free space of the robot
    """

    def __init__(self, space: FreeSpace) -> None:
        self.space = space
        self.points = space.points
        self.spacing = space.spacing
        count = len(self.points)
        self.straight: NDArray[np.intp] = np.full((4, count), count, np.intp)
        self.diagonal: NDArray[np.intp] = np.full((4, count), count, np.intp)
        for cell in range(count):
            neighbours = np.array(space.neighbours(cell), np.intp)
            far = np.hypot(*(self.points[neighbours] - self.points[cell]).T) > 1.2 * self.spacing
            near, corner = neighbours[~far], neighbours[far]
            # In a narrow passage there may be more of one sort than the grid has places for.
            near, corner = np.append(near, corner[4:])[:8], np.append(corner[:4], near[4:])
            for table, chosen in ((self.straight, near[:4]), (self.diagonal, corner[:4])):
                table[: len(chosen), cell] = chosen

    def __len__(self) -> int:
        return len(self.points)

    def nearest_first(
        self, start: int, farthest: NDArray[np.floating[Any]]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return cells in the order of their ways from one.

        Args:
            start: that one
            farthest: ways, m, the longest last

        Returns:
            numbers of those nearer than the longest way; how many of them are nearer than each, shape as ``farthest``
        """
        away = self.space.distances_from_node(start)
        order = np.argsort(away, kind="stable")
        counts = np.searchsorted(away[order], farthest)
        return order[: counts[-1]], counts

    def longest(self, table: NDArray[np.intp]) -> float:
        """Return the length (m) of the longest step of a table; zero where it has none."""
        cells, starts = table, np.broadcast_to(np.arange(len(self)), table.shape)
        steps = cells < len(self)
        gaps = self.points[cells[steps]] - self.points[starts[steps]]
        return float(np.hypot(gaps[:, 0], gaps[:, 1]).max(initial=0.0))

    def among(self, cells: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the places, in a list of k cells, of the neighbours of each.

        Returns:
            the straight ones first, k where there is none, shape (8, k)
        """
        places = np.full(len(self) + 1, len(cells), np.intp)
        places[cells] = np.arange(len(cells))
        found: NDArray[np.intp] = places[np.concatenate((self.straight[:, cells], self.diagonal[:, cells]))]
        return found

    def around(self, cell: int) -> NDArray[np.intp]:
        """Return a cell and its neighbours."""
        near = np.concatenate(([cell], self.straight[:, cell], self.diagonal[:, cell]))
        return near[near < len(self)]

    def values_at(self, fields: NDArray[np.floating[Any]], x: float, y: float) -> NDArray[np.float64]:
        """Return the ways (m) at a point, of fields with the way of each cell to something; finer than the cells.

        Args:
            fields: shape (..., n)
            x: of the point, map frame, m
            y: the same

        Returns:
            shape (...)
        """
        near = self.around(self.space.nearest(x, y))
        away = np.hypot(self.points[near, 0] - x, self.points[near, 1] - y)
        found: NDArray[np.float64] = (fields[..., near] + away).min(axis=-1)
        return found

    def within(self, x: float, y: float, radius: float) -> NDArray[np.intp]:
        """Return the cells whose centre is within a radius (m) of a point, through walls too."""
        return np.flatnonzero((self.points[:, 0] - x) ** 2 + (self.points[:, 1] - y) ** 2 <= radius * radius)
