"""The best tour: how long a robot would take to all pellets if nobody were in its way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.planning.pellet_route import costs_to_go, greedy, improved

__all__ = ["best_order", "best_tour_m"]

_EXACT = 12
"""Most places whose best order is looked for among all orders."""
_BEGINNINGS = 24
"""With more places, so many of them are tried as the first."""
_SPACING = 0.3
"""Metres between two points of a way that is pulled taut."""
_PULLS = 4000
_STILL = 1e-5
"""Metres; no point moves farther once the way is taut."""

Point = tuple[float, float]


def best_tour_m(space: FreeSpace, start: Point, places: Sequence[Point], reach: float) -> float:
    """Return the length (m) of the shortest way from a start that comes within reach of every place.

    The best order along the grid is pulled taut between the walls and the discs around the places, so that neither the
    grid's eight directions nor the way to the middle of a disc counts. The robot is a disc that turns on the spot
    in no time, so nobody is faster than this length over the greatest speed.

    Args:
        space: where the robot's disc fits; every place can be reached
        start: map frame, m
        places: map frame, m
        reach: a place counts within this distance, m
    """
    if not places:
        return 0.0
    stops = [start, *places]
    lengths = np.array([space.distances_from(*a)[[space.nearest(*b) for b in stops]] for a in stops])
    order = best_order(lengths)
    path: list[Point] = [start]
    anchors = []
    for before, after in zip([0, *order], order, strict=False):
        leg = [*space.path(stops[before], stops[after])[1:-1], stops[after]]
        pieces = max(1, round(len(leg) * space.spacing / _SPACING))
        path += [leg[(len(leg) * piece) // pieces - 1] for piece in range(1, pieces + 1)]
        anchors.append(len(path) - 1)
    taut = _pulled(space, np.array(path), anchors, np.array([stops[index] for index in order]), reach)
    return float(np.hypot(*np.diff(taut, axis=0).T).sum())


def best_order(lengths: NDArray[np.float64]) -> list[int]:
    """Return the best order of the stops 1 and up, beginning at stop 0 and ending anywhere.

    Up to 12 stops it is the best of all (Held and Karp, 1962); of more, the best that PelletRoute's search finds from
    one of the 24 stops nearest to the start.

    Args:
        lengths: from stop to stop, m, shape (n + 1, n + 1)
    """
    if len(lengths) <= _EXACT + 1:
        return _exact_order(lengths)
    between, first = lengths[1:, 1:], lengths[0, 1:]
    orders = []
    for begin in np.argsort(first, kind="stable")[:_BEGINNINGS]:
        nearest = np.where(np.arange(len(first)) == begin, 0.0, first + 1.0)
        orders.append(improved(greedy(between, nearest), between, first))
    best = min(orders, key=lambda order: first[order[0]] + between[order[:-1], order[1:]].sum())
    return [stop + 1 for stop in best]


def _exact_order(lengths: NDArray[np.float64]) -> list[int]:
    costs = costs_to_go(lengths)
    order, left = [0], (1 << len(lengths)) - 2
    while left:
        choices = [stop for stop in range(len(lengths)) if left >> stop & 1]
        order.append(min(choices, key=lambda stop: lengths[order[-1], stop] + costs[left & ~(1 << stop), stop]))
        left &= ~(1 << order[-1])
    return order[1:]


def _pulled(
    space: FreeSpace, path: NDArray[np.float64], anchors: Sequence[int], centres: NDArray[np.float64], reach: float
) -> NDArray[np.float64]:
    """Return a way of which every point was drawn between its neighbours until nothing moves any more.

    Args:
        space: where the disc fits
        path: from the start to the last place, shape (n, 2)
        anchors: numbers of the points that belong to the places
        centres: the places, in the order of the way
        reach: an anchor stays within this distance of its place, m
    """
    path = path.copy()
    turns = np.arange(len(path)) % 2
    still = 0
    for turn in range(_PULLS):
        wanted = path.copy()
        wanted[1:-1] = (path[:-2] + path[2:]) / 2
        wanted[-1] = path[-2]
        off = wanted[anchors] - centres
        far = np.maximum(np.hypot(*off.T), 1e-9)
        wanted[anchors] = centres + off * np.minimum(1.0, reach / far)[:, None]
        # Every second point in turn: two neighbours that moved at once could cut a corner between them.
        moved = turns == turn % 2
        moved[0] = False
        moved[1:] &= _fits(space, wanted[1:]) & _fits(space, (wanted[1:] + path[:-1]) / 2)
        moved[:-1] &= _fits(space, (wanted[:-1] + path[1:]) / 2)
        still = still + 1 if np.abs((wanted - path)[moved]).max(initial=0.0) < _STILL else 0
        if still > 1:
            break
        path[moved] = wanted[moved]
    return path


def _fits(space: FreeSpace, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether the disc fits at points (map frame, m), shape (n, 2)."""
    area = space.map
    cosine, sine = math.cos(area.origin.yaw), math.sin(area.origin.yaw)
    dx, dy = points[:, 0] - area.origin.x, points[:, 1] - area.origin.y
    columns = np.floor((cosine * dx + sine * dy) / area.resolution).astype(int)
    rows = np.floor((cosine * dy - sine * dx) / area.resolution).astype(int)
    inside = (rows >= 0) & (rows < area.shape[0]) & (columns >= 0) & (columns < area.shape[1])
    clearance = area.clearance[np.where(inside, rows, 0), np.where(inside, columns, 0)]
    return np.asarray(inside & (clearance >= space.clearance_m))
