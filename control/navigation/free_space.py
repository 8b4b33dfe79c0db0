"""Free space: where a disc fits on a map, as a grid graph with the lengths of ways along it."""

from __future__ import annotations

import math
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree

from arena_trees.control.navigation.grid_graph import GridGraph, make_grid_graph
from arena_trees.robot.errors import ConfigError
from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["FreeSpace"]

_MOST_NODES = 1_000_000
_CACHE_VALUES = 4_000_000
"""Distances remembered, over all starts: 32 MB."""


class FreeSpace:
    """A graph of the places of a map where a disc fits: the one answer to what can be reached.

    Its nodes stand on a square grid, a whole number of the map's cells apart, with eight neighbours each. A diagonal
    step needs both nodes next to it, so that no corner is cut. Nodes of the grid are never farther apart than the
    disc's radius (or than one cell of the map). Where the grid would lose a narrow passage, further nodes stand in it
    (:mod:`~arena_trees.control.navigation.grid_graph`). So whether there is a way between two places depends on the map
    and the disc alone, and not on the cell: a coarse graph to plan by and a fine one to drive by agree.

    Args:
        map: the map
        clearance_m: radius of the disc, m: a node is at least that far from all that is not free
        cell_m: distance of neighbouring nodes that is wished for, m
        roomy_m: nodes of the grid keep that far from what is not free, m; only those in narrow passages do not. The
            disc's radius where it is None or less

    Attributes:
        points: nodes, map frame, m, shape (n, 2)
        spacing: distance of nodes of the grid that share a side, m

    Raises:
        ConfigError: the disc fits nowhere, or there would be too many nodes
    """

    def __init__(
        self, map: OccupancyMap, clearance_m: float, cell_m: float = 0.1, roomy_m: float | None = None
    ) -> None:
        if not (math.isfinite(clearance_m) and clearance_m >= 0.0):
            raise ConfigError("must be a length of zero or more", key="clearance_m", value=clearance_m)
        if not (math.isfinite(cell_m) and cell_m > 0.0):
            raise ConfigError("must be a length above zero", key="cell_m", value=cell_m)
        step = _step(map.resolution, clearance_m, cell_m)
        fits = _fits(map, clearance_m)
        self.roomy_m = max(roomy_m or 0.0, clearance_m)
        roomy = _fits(map, self.roomy_m)
        count = int(np.count_nonzero(roomy[step // 2 :: step, step // 2 :: step]))
        if not fits.any():
            raise ConfigError(f"a disc of {clearance_m:g} m radius fits nowhere on the map", key="clearance_m")
        if count > _MOST_NODES:
            raise ConfigError(f"the map has {count} free places; at most {_MOST_NODES} are accepted", key="cell_m")
        self.map = map
        self.clearance_m = clearance_m
        self.spacing = step * map.resolution
        grid = make_grid_graph(fits, roomy, map.clearance, step)
        self.points = map.points(grid.rows, grid.columns)
        self._neighbours: NDArray[np.int64] = grid.neighbours.astype(np.int64)
        self._lengths = _lengths(grid, step, self.spacing)
        self._graph = _graph(self._neighbours, self._lengths)
        self.components: NDArray[np.int64] = connected_components(self._graph, directed=False)[1].astype(np.int64)
        self._tree = cKDTree(self.points)
        self._cache: OrderedDict[int, NDArray[np.float64]] = OrderedDict()
        self._cache_size = max(1, _CACHE_VALUES // len(self.points))

    def __len__(self) -> int:
        return len(self.points)

    def nearest(self, x: float, y: float) -> int:
        """Return the index of the node nearest to a point (map frame, m), however far it is."""
        return int(self._tree.query((x, y))[1])

    def point(self, node: int) -> tuple[float, float]:
        """Return where a node is, map frame, m."""
        x, y = self.points[node]
        return float(x), float(y)

    def neighbours(self, node: int) -> list[int]:
        """Return the nodes one step away."""
        return [int(other) for other in self._neighbours[node] if other >= 0]

    def distances_from(self, x: float, y: float) -> NDArray[np.float64]:
        """Return the length (m) of the shortest way to every node from the node nearest to a point.

        Args:
            x: map frame, m
            y: map frame, m

        Returns:
            lengths along the graph, inf where there is no way; shape (n,), not to be written to
        """
        return self.distances_from_node(self.nearest(x, y))

    def distances_from_node(self, node: int) -> NDArray[np.float64]:
        """Return the length (m) of the shortest way from a node to every node, as :meth:`distances_from`."""
        known = self._cache.get(node)
        if known is not None:
            self._cache.move_to_end(node)
            return known
        found: NDArray[np.float64] = dijkstra(self._graph, directed=True, indices=node)
        found.flags.writeable = False
        self._cache[node] = found
        if len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return found

    def next_nodes(self, goals: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the node that follows each on the shortest way to each goal, shape (k, n); itself where none does.

        Args:
            goals: nodes, shape (k,)
        """
        before = dijkstra(self._graph, directed=True, indices=goals, return_predecessors=True)[1]
        found: NDArray[np.intp] = np.where(before < 0, np.arange(len(self)), before).astype(np.intp)
        return found

    def distance(self, a: tuple[float, float], b: tuple[float, float]) -> float:
        """Return the length (m) of the shortest way between the nodes nearest to two points, inf without one."""
        return float(self.distances_from(*b)[self.nearest(*a)])

    def path(self, a: tuple[float, float], b: tuple[float, float]) -> list[tuple[float, float]]:
        """Return the shortest way between the nodes nearest to two points, both included; empty without one."""
        return [self.point(node) for node in self.node_path(self.nearest(*a), self.nearest(*b))]

    def node_path(self, start: int, goal: int) -> list[int]:
        """Return the nodes of the shortest way between two nodes, both included; empty without one."""
        distances = self.distances_from_node(goal)
        if not math.isfinite(distances[start]):
            return []
        path = [start]
        while path[-1] != goal:
            neighbours, lengths = self._neighbours[path[-1]], self._lengths[path[-1]]
            # Missing neighbours are -1 and infinitely long.
            path.append(int(neighbours[int(np.argmin(distances[neighbours] + lengths))]))
        return path

    def random_node(self, rng: np.random.Generator, reachable_from: int | None = None) -> int:
        """Return a node, each as likely as another; only of those with a way to a node where that is given."""
        if reachable_from is None:
            return int(rng.integers(len(self.points)))
        nodes = np.flatnonzero(self.components == self.components[reachable_from])
        return int(nodes[rng.integers(len(nodes))])


def _step(resolution: float, clearance_m: float, cell_m: float) -> int:
    """Return how many cells of the map neighbours are apart."""
    # A hair's breadth, because 0.25 / 0.05 must be 5.
    return max(1, min(round(cell_m / resolution), math.floor(clearance_m / resolution + 1e-9)))


def _fits(map: OccupancyMap, clearance_m: float) -> NDArray[np.bool_]:
    return np.asarray(map.free & (map.clearance >= clearance_m - 1e-6))


def _lengths(grid: GridGraph, step: int, spacing: float) -> NDArray[np.float64]:
    """Return the lengths (m) of the steps to each node's neighbours, inf for none, shape (n, k)."""
    rows = (grid.rows[grid.neighbours] - grid.rows[:, None]) / step
    columns = (grid.columns[grid.neighbours] - grid.columns[:, None]) / step
    return np.where(grid.neighbours >= 0, spacing * np.hypot(rows, columns), np.inf)


def _graph(neighbours: NDArray[np.int64], lengths: NDArray[np.float64]) -> csr_matrix:
    real = neighbours >= 0
    starts = np.concatenate(([0], np.cumsum(np.count_nonzero(real, axis=1))))
    return csr_matrix((lengths[real], neighbours[real], starts), shape=(len(neighbours),) * 2)
