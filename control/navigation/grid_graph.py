"""A coarse grid over the cells of a map that joins whatever they join: no narrow passage falls between its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import csr_matrix, identity
from scipy.sparse.csgraph import dijkstra

__all__ = ["GridGraph", "make_grid_graph"]

_NEIGHBOURS = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1))
_STRAIGHT = 4
"""That many of the neighbours share a side, the others a corner."""
_NEAR = 4
"""Steps of the grid; what has a way round of at most so many needs no passage of its own."""
_FAR = 2.0
"""Blocks; the corner of a room is as far from the grid."""


@dataclass(frozen=True, slots=True)
class GridGraph:
    """Nodes on cells of a map, and which of them are neighbours.

    Attributes:
        rows: of the n nodes' cells, shape (n,)
        columns: of the n nodes' cells, shape (n,)
        neighbours: numbers of each node's neighbours, -1 for none, shape (n, k) with k of 8 or more
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    neighbours: NDArray[np.intp]


def make_grid_graph(
    fits: NDArray[np.bool_], roomy: NDArray[np.bool_], clearance: NDArray[np.float32], step: int
) -> GridGraph:
    """Return the grid's nodes that are roomy, and as many others as it takes to join all that the cells join.

    The map is cut into blocks of ``step`` times ``step`` cells, with a node in the middle of each where that is roomy.
    A diagonal step needs both nodes next to it. Within a block, cells that share sides are one patch. Where
    neighbouring patches lead somewhere to which the grid has no way, or none of about that length, or farther than two
    blocks from any of its nodes, they get nodes, too, each at its cell with the most clearance; and steps of the grid
    between which no patches lead are taken away. So two nodes have a way between them if, and only if, their cells
    are joined by cells that share sides and fit.

    Args:
        fits: cells that a way may lead through, shape (rows, columns)
        roomy: those of them that bear nodes of the grid, shape (rows, columns)
        clearance: of the cells, shape (rows, columns)
        step: cells from node to node
    """
    shape = tuple(-(-length // step) for length in fits.shape)
    fits, roomy = _padded(fits, shape, step), _padded(roomy, shape, step)
    middle = step // 2
    on_grid = roomy[middle::step, middle::step]
    index = np.full(shape, -1, np.intp)
    index[on_grid] = np.arange(np.count_nonzero(on_grid))
    rows, columns = np.nonzero(on_grid)
    neighbours = _grid_neighbours(index, rows, columns)
    rows, columns = rows * step + middle, columns * step + middle
    if step == 1 and np.array_equal(fits, roomy):
        return GridGraph(rows, columns, neighbours)
    patches, graph = _patches(fits, shape, step)
    own = patches[rows, columns]
    neighbours = _without_jumps(neighbours, graph, own)
    added = _passages(graph, own, _joins(neighbours))
    if not added.size:
        return GridGraph(rows, columns, neighbours)
    places = ndimage.maximum_position(_padded(clearance, shape, step), patches, added)
    nodes = np.concatenate((own, added))
    number = np.full(graph.shape[0], -1, np.intp)
    number[nodes] = np.arange(len(nodes))
    return GridGraph(
        np.concatenate((rows, [row for row, _ in places])).astype(np.intp),
        np.concatenate((columns, [column for _, column in places])).astype(np.intp),
        _with_passages(neighbours, graph, number, len(own)),
    )


def _padded(values: NDArray[Any], shape: tuple[int, ...], step: int) -> NDArray[Any]:
    """Return cells with others of value 0 above and to the right, so that the blocks are whole."""
    return np.pad(values, [(0, count * step - length) for count, length in zip(shape, values.shape, strict=True)])


def _grid_neighbours(index: NDArray[np.intp], rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the neighbours of each node of the grid, shape (n, 8)."""
    padded = np.pad(index, 1, constant_values=-1)
    neighbours = np.stack([padded[rows + 1 + dr, columns + 1 + dc] for dr, dc in _NEIGHBOURS], axis=1)
    for number in range(_STRAIGHT, len(_NEIGHBOURS)):
        dr, dc = _NEIGHBOURS[number]
        cut = (padded[rows + 1 + dr, columns + 1] < 0) | (padded[rows + 1, columns + 1 + dc] < 0)
        neighbours[cut, number] = -1
    return neighbours


def _patches(fits: NDArray[np.bool_], shape: tuple[int, ...], step: int) -> tuple[NDArray[np.intp], csr_matrix]:
    """Return the number of each cell's patch (0 for none), shape as ``fits``, and which patches share a side."""
    apart = np.zeros((shape[0], step + 1, shape[1], step + 1), np.uint8)
    blocks = (shape[0], step, shape[1], step)
    apart[:, :step, :, :step] = fits.reshape(blocks)
    count, found = cv2.connectedComponents(apart.reshape(shape[0] * (step + 1), -1), connectivity=4, ltype=cv2.CV_32S)
    patches = found.astype(np.intp).reshape(apart.shape)[:, :step, :, :step].reshape(fits.shape)
    pairs = np.concatenate(
        [
            np.stack((patches[:, step - 1 : -1 : step].ravel(), patches[:, step::step].ravel())),
            np.stack((patches[step - 1 : -1 : step].ravel(), patches[step::step].ravel())),
        ],
        axis=1,
    )
    a, b = pairs[:, (pairs > 0).all(axis=0)]
    half = csr_matrix((np.ones(len(a), np.float32), (a, b)), shape=(count, count))
    graph = (half + half.T).tocsr()
    graph.data[:] = 1.0
    return patches, graph


def _joins(neighbours: NDArray[np.intp]) -> csr_matrix:
    """Return the graph of a table of neighbours."""
    starts, slots = np.nonzero(neighbours >= 0)
    return csr_matrix(
        (np.ones(len(starts), np.float32), (starts, neighbours[starts, slots])), shape=(len(neighbours),) * 2
    )


def _are_near(graph: csr_matrix, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which of m pairs of nodes have at most ``_NEAR`` steps between them, shape (m,)."""
    if not starts.size:
        return np.zeros(0, np.bool_)
    stay = (graph + identity(graph.shape[0], np.float32, "csr")).tocsr()
    firsts, which = np.unique(starts, return_inverse=True)
    reached = stay[firsts]
    for _ in range(_NEAR - 1):
        reached = reached @ stay
        reached.data[:] = 1.0
    return np.asarray(reached.tocsr()[which, ends]).ravel() > 0.0


def _without_jumps(neighbours: NDArray[np.intp], graph: csr_matrix, own: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the neighbours without those to which the patches have no way of about that length."""
    if not own.size:
        return neighbours
    nodes, slots = np.nonzero(neighbours[:, :_STRAIGHT] >= 0)
    others = neighbours[nodes, slots]
    joined = np.asarray(graph[own[nodes], own[others]]).ravel() > 0.0
    nodes, slots, others = nodes[~joined], slots[~joined], others[~joined]
    jumps = ~_are_near(graph, own[nodes], own[others])
    if not jumps.any():
        return neighbours
    neighbours = neighbours.copy()
    neighbours[nodes[jumps], slots[jumps]] = -1
    for slot in range(_STRAIGHT, len(_NEIGHBOURS)):
        dr, dc = _NEIGHBOURS[slot]
        first, second = _NEIGHBOURS.index((dr, 0)), _NEIGHBOURS.index((0, dc))
        for a, b in ((first, second), (second, first)):
            # Across the corner by one side; -1 leads to the last node, and to what is cut anyway.
            over = neighbours[:, a]
            cut = (over < 0) | (neighbours[over, b] != neighbours[:, slot])
            neighbours[cut, slot] = -1
    return neighbours


def _passages(graph: csr_matrix, own: NDArray[np.intp], grid: csr_matrix) -> NDArray[np.intp]:
    """Return the patches that need nodes, in order."""
    count = graph.shape[0]
    every = np.arange(1, count)
    if not own.size:
        return every
    steps, before, sources = dijkstra(graph, unweighted=True, indices=own, min_only=True, return_predecessors=True)
    number = np.full(count, -1, np.intp)
    number[own] = np.arange(len(own))
    far = every[steps[1:] > _FAR]
    starts, ends = graph.nonzero()
    across = (starts < ends) & np.isfinite(steps[starts])
    starts, ends = starts[across], ends[across]
    between = sources[starts] != sources[ends]
    starts, ends = starts[between], ends[between]
    alone = ~_are_near(grid, number[sources[starts]], number[sources[ends]])
    needed = np.zeros(count, np.bool_)
    for patches in (far, starts[alone], ends[alone]):
        # The whole way to the grid.
        while patches.size:
            needed[patches] = True
            patches = before[patches]
            patches = patches[patches >= 0]
    needed[own] = False
    return np.flatnonzero(needed)


def _with_passages(
    neighbours: NDArray[np.intp], graph: csr_matrix, number: NDArray[np.intp], on_grid: int
) -> NDArray[np.intp]:
    """Return the neighbours of all nodes; ``number`` is that of each patch's node, the grid's own come first."""
    starts, ends = graph.nonzero()
    starts, ends = number[starts], number[ends]
    kept = (starts >= 0) & (ends >= 0) & ((starts >= on_grid) | (ends >= on_grid))
    starts, ends = starts[kept], ends[kept]
    order = np.lexsort((ends, starts))
    starts, ends = starts[order], ends[order]
    places = np.arange(len(starts)) - np.searchsorted(starts, starts)
    width = neighbours.shape[1] + int(places.max(initial=-1)) + 1
    found = np.full((int(number.max()) + 1, width), -1, np.intp)
    found[:on_grid, : neighbours.shape[1]] = neighbours
    found[starts, neighbours.shape[1] + places] = ends
    return found
