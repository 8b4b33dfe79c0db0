"""Find the round hull of another robot among points of a scan."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.scan import Scan

__all__ = ["Hull", "find_hulls", "unhidden"]

_NARROWEST, _WIDEST = 0.45, 1.25
"""Shares of a hull's diameter between which the width of its returns lies."""
_NEIGHBOURING = 0.5
"""Angle within which the next return is next to a surface, rad."""
_ROUNDS = 4
"""Of the fit; it begins within a hull's radius of its end."""


@dataclass(frozen=True, slots=True)
class Hull:
    """A round hull, in base_link.

    Attributes:
        x: of its centre, m
        y: of its centre, m
        gap: from the robot's centre to its nearest point, m
    """

    x: float
    y: float
    gap: float


def find_hulls(scan: Scan, radius: float, farthest: float, noise: float) -> list[Hull]:
    """Return what may be a hull: as wide as one, round enough, and with nothing nearer or as near next to it.

    Args:
        scan: points in base_link
        radius: of the hull, m
        farthest: from the robot's centre to a hull's nearest point, m
        noise: root mean square that a hull's returns may be off its circle, m
    """
    order = np.argsort(scan.bearing, kind="stable")
    bearing, distance = scan.bearing[order], scan.distance[order]
    x, y = scan.x[order], scan.y[order]
    hulls = []
    for index in _surfaces(scan, radius, bearing, distance, x, y):
        nearest = float(distance[index].min())
        if len(index) < 3 or nearest > farthest or _cut_off(bearing, distance, index, nearest + radius):
            continue
        width = math.hypot(x[index[-1]] - x[index[0]], y[index[-1]] - y[index[0]])
        if not _NARROWEST * 2.0 * radius <= width <= _WIDEST * 2.0 * radius:
            continue
        found = _fitted(x[index], y[index], radius)
        if found is not None and found[2] <= noise:
            hulls.append(Hull(found[0], found[1], math.hypot(found[0], found[1]) - radius))
    return hulls


def unhidden(robots: Scan, walls: Scan, width: float, margin: float) -> NDArray[np.bool_]:
    """Return which points of a scan that goes through walls are not behind one, shape (k,).

    Args:
        robots: the scan that goes through walls
        walls: the one that they stop
        width: a wall within so much of a ray's bearing, half of it to either side, may hide what it shows, rad
        margin: by how much nearer the wall must be, m
    """
    turn = robots.bearing[:, None] - walls.bearing[None, :]
    off = np.abs(np.remainder(turn + math.pi, math.tau) - math.pi)
    hides = (off <= width / 2.0) & (walls.distance[None, :] < robots.distance[:, None] - margin)
    return np.asarray(~hides.any(axis=1), dtype=np.bool_)


def _surfaces(
    scan: Scan,
    radius: float,
    bearing: NDArray[np.float64],
    distance: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
) -> list[NDArray[np.intp]]:
    """Return the indices of the points of each surface, in the order of bearings; one may reach past the end."""
    count = len(bearing)
    if not count:
        return []
    # At the edges of a hull its returns are far apart, the more so with noise; lost rays do not matter either.
    turn = np.diff(bearing, append=bearing[0] + math.tau)
    reach = np.minimum(distance, np.roll(distance, -1))
    gap = np.maximum(1.2 * radius, 3.0 * (math.tau / scan.beams) * reach)
    ends = np.flatnonzero((np.hypot(np.roll(x, -1) - x, np.roll(y, -1) - y) > gap) | (turn * reach > gap))
    begins = np.roll(ends, 1) + 1
    return [
        np.arange(begin, end + 1 + count * (end < begin)) % count
        for begin, end in zip(begins % count, ends, strict=True)
    ]


def _cut_off(
    bearing: NDArray[np.float64], distance: NDArray[np.float64], index: NDArray[np.intp], farthest: float
) -> bool:
    """Return whether a surface ends on either side where something begins that is nearer than a distance (m).

    It may be a piece of anything then, that goes on behind that or next to it.
    """
    count = len(bearing)
    for end, step in ((int(index[0]), -1), (int(index[-1]), 1)):
        other = (end + step) % count
        apart = float((bearing[other] - bearing[end]) * step % math.tau)
        if apart < _NEIGHBOURING and distance[other] < farthest:
            return True
    return False


def _fitted(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float] | None:
    """Return centre and root mean square error (m) of a circle of a radius through points, seen from the origin."""
    middle_x, middle_y = float(x.mean()), float(y.mean())
    away = math.hypot(middle_x, middle_y)
    if away <= 0.0:
        return None
    # The returns are of the side that faces the robot.
    cx, cy = middle_x * (1.0 + 0.7 * radius / away), middle_y * (1.0 + 0.7 * radius / away)
    for _ in range(_ROUNDS):
        dx, dy = cx - x, cy - y
        length = np.maximum(np.hypot(dx, dy), 1e-9)
        ux, uy, error = dx / length, dy / length, length - radius
        # A little is held on to, where the returns say nothing across.
        a, b, c = float((ux * ux).sum()) + 0.1, float((ux * uy).sum()), float((uy * uy).sum()) + 0.1
        p, q = float((ux * error).sum()), float((uy * error).sum())
        determinant = a * c - b * b
        cx -= (c * p - b * q) / determinant
        cy -= (a * q - b * p) / determinant
    off = np.hypot(cx - x, cy - y) - radius
    return cx, cy, float(np.sqrt((off * off).mean()))
