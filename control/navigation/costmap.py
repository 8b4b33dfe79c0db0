"""A costmap over free space: ways near walls and obstacles cost more, and the cheapest way is found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.robot.geometry import Disc

__all__ = ["Costmap"]

Point = tuple[float, float]

_GRAZE = 0.02
"""m by which a straight line may come nearer to a wall than nodes do."""
_NODES_APART = 3.0
"""Steps of the grid; a place that fits has a node within so many."""
_STRETCH = 40
"""Most steps of the grid that are made one straight line."""
_SLACK = 0.01
"""m that a straight line may cost more, for corners less."""
_ROUNDING = 3
"""How often corners are rounded."""


class Costmap:
    """The nodes of a free space with costs for nearness to walls.

    A step between two nodes costs its length times ``1 + weight s``, where s goes from 1 at the least clearance that
    the space allows to 0 at the inflation's end. Discs put on it are impassable.

    Args:
        space: where the robot may be
        inflation: clearance from which on walls cost nothing, m
        weight: cost at the least clearance, in lengths of the way
    """

    def __init__(self, space: FreeSpace, inflation: float, weight: float) -> None:
        self.space = space
        clearance = space.map.clearance
        span = max(inflation - space.clearance_m, 1e-6)
        field = 1.0 + weight * np.clip((inflation - clearance) / span, 0.0, 1.0)
        self._field: NDArray[np.float64] = np.where(clearance < space.clearance_m - _GRAZE, np.inf, field)
        self._costs = self._at(space.points)
        neighbours = [space.neighbours(node) for node in range(len(space))]
        self._ends = np.array([end for ends in neighbours for end in ends], np.intp)
        self._starts = np.repeat(np.arange(len(space)), [len(ends) for ends in neighbours])
        steps = np.hypot(*(space.points[self._starts] - space.points[self._ends]).T)
        self._lengths: NDArray[np.float64] = steps * 0.5 * (self._costs[self._starts] + self._costs[self._ends])
        self._pointers = np.concatenate(([0], np.cumsum([len(ends) for ends in neighbours])))
        self._graph = self._made(self._lengths)

    def path(self, start: Point, goal: Point, discs: Sequence[Disc] = ()) -> list[Point]:
        """Return the cheapest way, smoothed; empty where there is none.

        Args:
            start: map frame, m
            goal: map frame, m
            discs: x, y and radius of what must not be entered, map frame, m; a robot inside one may leave it
        """
        first, last = self.space.nearest(*start), self.space.nearest(*goal)
        if self.space.components[first] != self.space.components[last]:
            return []
        end = goal if self._bears(goal, self.space.point(last)) else self.space.point(last)
        away, line = math.dist(start, end), np.array([start, end])
        # No way costs less than a straight line on which walls cost nothing.
        if away <= (_STRETCH - 2) * self.space.spacing and self._straight(line[0], line[1], discs) <= away:
            return _smoothed(_filled(line))
        graph = self._graph if not discs else self._made(self._blocked(first, discs))
        # A narrow search is a quick one: most ways are hardly longer than the straight line.
        narrow = 2.0 * away * float(self._costs.mean()) + 1.0
        for limit in (narrow, 4.0 * narrow, np.inf):
            costs, before = dijkstra(graph, directed=True, indices=last, return_predecessors=True, limit=limit)
            # Older releases of scipy name a predecessor of nodes that only a blocked step leads to.
            if math.isfinite(costs[first]):
                break
        else:
            return []
        nodes = [first]
        while nodes[-1] != last:
            nodes.append(int(before[nodes[-1]]))
        points = np.array([start, *(self.space.point(node) for node in nodes[1:-1]), end])
        return _smoothed(_filled(self._taut(points, discs)))

    def _bears(self, goal: Point, node: Point) -> bool:
        """Return whether the way ends at the goal itself, rather than at the node nearest to it."""
        gap, space = math.dist(node, goal), self.space
        fits = space.map.clearance_at(*goal) >= space.clearance_m - _GRAZE
        return gap <= (_NODES_APART if fits else 1.0) * space.spacing

    def _at(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the cost of a metre at each of n points, infinite where the robot does not fit, shape (n,)."""
        area = self.space.map
        cosine, sine = math.cos(area.origin.yaw), math.sin(area.origin.yaw)
        dx, dy = points[:, 0] - area.origin.x, points[:, 1] - area.origin.y
        columns = np.floor((cosine * dx + sine * dy) / area.resolution).astype(np.intp)
        rows = np.floor((cosine * dy - sine * dx) / area.resolution).astype(np.intp)
        inside = (rows >= 0) & (columns >= 0) & (rows < area.shape[0]) & (columns < area.shape[1])
        found = np.full(len(points), np.inf)
        found[inside] = self._field[rows[inside], columns[inside]]
        return found

    def _taut(self, points: NDArray[np.float64], discs: Sequence[Disc]) -> NDArray[np.float64]:
        """Return the way with every stretch straight that costs no more so: the grid knows eight directions only."""
        steps = np.hypot(*np.diff(points, axis=0).T)
        costs = np.minimum(self._at(points), 1e3)
        along = np.concatenate(([0.0], np.cumsum(steps * 0.5 * (costs[1:] + costs[:-1]))))
        kept, here = [0], 0
        while here < len(points) - 1:
            far = here + 1
            for there in range(here + 2, min(here + _STRETCH, len(points) - 1) + 1):
                if self._straight(points[here], points[there], discs) <= along[there] - along[here] + _SLACK:
                    far = there
            kept.append(far)
            here = far
        return points[kept]

    def _straight(self, a: NDArray[np.float64], b: NDArray[np.float64], discs: Sequence[Disc]) -> float:
        """Return the cost of a straight line; infinite where it cannot be driven."""
        length = math.dist(a, b)
        line = a + np.linspace(0.0, 1.0, 2 + round(length / 0.05))[:, None] * (b - a)
        if any((np.hypot(*(line - (x, y)).T) <= radius).any() for x, y, radius in discs):
            return math.inf
        # Localisation may place the robot nearer to a wall than it is.
        return length * float(self._at(line[1:]).mean())

    def _made(self, lengths: NDArray[np.float64]) -> csr_matrix:
        return csr_matrix((lengths, self._ends, self._pointers), shape=(len(self.space),) * 2)

    def _blocked(self, first: int, discs: Sequence[Disc]) -> NDArray[np.float64]:
        inside = np.zeros(len(self.space), np.bool_)
        for x, y, radius in discs:
            inside |= np.hypot(*(self.space.points - (x, y)).T) <= radius
        if inside[first]:
            return self._lengths
        blocked: NDArray[np.float64] = np.where(inside[self._starts] | inside[self._ends], np.inf, self._lengths)
        return blocked


def _filled(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points with others between them, so that no two are farther apart than a tenth of a metre."""
    parts = [points[:1]]
    for a, b in pairwise(points):
        parts.append(a + np.linspace(0.0, 1.0, 1 + max(1, math.ceil(math.dist(a, b) / 0.1)))[1:, None] * (b - a))
    return np.concatenate(parts)


def _smoothed(line: NDArray[np.float64]) -> list[Point]:
    """Return the points with corners rounded; the ends stay."""
    line = line.copy()
    for _ in range(_ROUNDING if len(line) > 2 else 0):
        line[1:-1] = 0.25 * line[:-2] + 0.5 * line[1:-1] + 0.25 * line[2:]
    return [(float(x), float(y)) for x, y in line]
