"""Where a lost target can be: a grid that grows with the target's speed and loses what the camera has seen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

__all__ = ["SearchGrid"]

Mask = NDArray[np.bool_]
Cells = NDArray[np.int64]

_BINS = 360
_SAMPLE = 0.75
"""Lines of sight are tested at steps of this share of a cell."""
_MOST_GOALS = 160
"""Cells that a view is judged by; of more, every second, third and so on."""


class SearchGrid:
    """A square of floor about a point of a fixed frame, in cells.

    Attributes:
        occupied: cells where something stands, as the range sensors showed last, shape (n, n), rows along y
        possible: cells where the target can be

    Args:
        half_size: half the side of the square, m
        cell: side of a cell, m
    """

    def __init__(self, half_size: float, cell: float) -> None:
        self.cell = cell
        self.count = max(3, round(2.0 * half_size / cell))
        self._low = -self.count * cell / 2.0
        middle = self._low + (np.arange(self.count) + 0.5) * cell
        self._x, self._y = np.meshgrid(middle, middle)
        self.occupied: Mask = np.zeros((self.count, self.count), np.bool_)
        self.possible: Mask = np.ones((self.count, self.count), np.bool_)
        self._grown = 0.0

    def inside(self, x: float, y: float) -> bool:
        """Return whether a point lies in the square."""
        return self._low < x < -self._low and self._low < y < -self._low

    def index(self, x: float, y: float) -> tuple[int, int]:
        """Return row and column of the cell of a point, of the nearest one where it lies outside."""
        top = self.count - 1
        column, row = ((value - self._low) / self.cell for value in (x, y))
        return min(max(math.floor(row), 0), top), min(max(math.floor(column), 0), top)

    def point(self, row: int, column: int) -> tuple[float, float]:
        """Return the middle of a cell."""
        return float(self._x[row, column]), float(self._y[row, column])

    def begin_everywhere(self) -> None:
        """Know nothing of where the target is."""
        self.possible[:] = ~self.occupied
        self._grown = 0.0

    def begin_near(self, x: float, y: float, radius: float) -> None:
        """The target was seen: it can be within a radius (m) of a point."""
        near = np.hypot(self._x - x, self._y - y) <= max(radius, 0.75 * self.cell)
        near[self.index(x, y)] = True
        self.possible = near
        self._grown = 0.0

    def grow(self, way: float) -> None:
        """The target may have gone so far (m) since the last call."""
        self._grown += way
        while self._grown >= self.cell:
            self._grown -= self.cell
            self.possible = _dilated(self.possible) & ~self.occupied

    def see_scan(self, scan: Scan, pose: Pose2D, reach: float, ignore: tuple[float, float, float] | None) -> None:
        """Take in a scan, from a pose: cells with a return are occupied, cells before one are free.

        Args:
            scan: points in base_link
            pose: of base_link when it was taken
            reach: cells farther away (m) are left as they were
            ignore: (x, y, radius) of a disc whose points are no obstacle
        """
        first = np.full(_BINS, math.inf)
        bins = _bins(scan.bearing)
        np.minimum.at(first, bins, scan.distance)
        dx, dy = self._x - pose.x, self._y - pose.y
        away = np.hypot(dx, dy)
        free = away < np.minimum(first[_bins(np.arctan2(dy, dx) - pose.yaw)] - self.cell, reach)
        self.occupied &= ~free
        near = scan.distance < reach
        cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
        x = pose.x + cosine * scan.x[near] - sine * scan.y[near]
        y = pose.y + sine * scan.x[near] + cosine * scan.y[near]
        self._occupy(x, y, ignore)

    def see_ray(self, start: tuple[float, float], end: tuple[float, float], hit: bool) -> None:
        """Take in a single beam: cells along it are free, the one at its end is occupied if it hit something."""
        length = math.dist(start, end)
        steps = max(1, int(length / (0.5 * self.cell)))
        share = np.arange(steps + 1) / steps
        keep = share * length < max(0.0, length - self.cell)
        x, y = start[0] + share[keep] * (end[0] - start[0]), start[1] + share[keep] * (end[1] - start[1])
        rows, columns, within = self._cells(x, y)
        self.occupied[rows[within], columns[within]] = False
        if hit:
            self._occupy(np.array([end[0]]), np.array([end[1]]), None)

    def see_nothing(self, x: float, y: float, yaw: float, hfov: float, reach: float) -> None:
        """A camera at a point saw no target: it is in no cell of its field of view that nothing hides."""
        dx, dy = self._x - x, self._y - y
        off = np.abs((np.arctan2(dy, dx) - yaw + math.pi) % math.tau - math.pi)
        within = self.possible & (off < hfov / 2.0) & (np.hypot(dx, dy) < reach)
        rows, columns = np.nonzero(within)
        if rows.size:
            clear = self._sees(np.array([[x, y]]), rows, columns)[0]
            self.possible[rows[clear], columns[clear]] = False

    def is_clear(self, start: tuple[float, float], end: tuple[float, float], clearance: float) -> bool:
        """Return whether the straight way between two points keeps so clear (m) of occupied cells.

        What is nearer than the clearance to either end does not count: there the chaser is, or wants to be.
        """
        length = math.dist(start, end)
        rows, columns = np.nonzero(self.occupied)
        if not rows.size or length < 1e-6:
            return True
        ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        dx, dy = self._x[rows, columns] - start[0], self._y[rows, columns] - start[1]
        along, across = dx * ux + dy * uy, np.abs(dy * ux - dx * uy)
        near = (along > 0.0) & (along < length) & (across < clearance)
        ends = (np.hypot(dx, dy) > clearance) & (np.hypot(dx - length * ux, dy - length * uy) > clearance)
        return not bool((near & ends).any())

    def bearings_to_see(self, x: float, y: float, reach: float) -> tuple[NDArray[np.float64], int]:
        """Return the directions (rad) of possible cells that a point sees, and of how many cells those are."""
        rows, columns = self._goals()
        if not rows.size:
            return np.zeros(0), 0
        clear = self._sees(np.array([[x, y]]), rows, columns, reach)[0]
        bearings: NDArray[np.float64] = np.arctan2(
            self._y[rows[clear], columns[clear]] - y, self._x[rows[clear], columns[clear]] - x
        )
        return bearings, rows.size

    def ways_from(self, x: float, y: float, clearance: float) -> NDArray[np.float64]:
        """Return the length (m) of the shortest way from a point to every cell, inf where none leads there.

        Args:
            x: of the point
            y: of the point
            clearance: to occupied cells and to the square's edge, m
        """
        free = self._free(clearance)
        start = self.index(x, y)
        # Whoever stands too near to something may leave.
        free[start] = True
        ways = np.full(free.shape, math.inf)
        front = np.zeros(free.shape, np.bool_)
        front[start] = True
        ways[start] = 0.0
        step = 0
        while front.any():
            step += 1
            # Octagons: straight and diagonal steps by turns come near to circles.
            front = _dilated(front, diagonal=step % 2 == 0) & free & ~np.isfinite(ways)
            ways[front] = step * self.cell * 1.08
        return ways

    def path(self, x: float, y: float, goal: tuple[float, float], clearance: float) -> list[tuple[float, float]]:
        """Return points of a short way from a point to another, without the first; empty where none leads there."""
        ways = self.ways_from(*goal, clearance)
        here = self.index(x, y)
        if not math.isfinite(ways[here]):
            near = ways[max(0, here[0] - 2) : here[0] + 3, max(0, here[1] - 2) : here[1] + 3]
            if not np.isfinite(near).any():
                return []
            off = divmod(int(np.argmin(near)), near.shape[1])
            here = max(0, here[0] - 2) + off[0], max(0, here[1] - 2) + off[1]
        found = [self.point(*here)]
        while ways[here] > 0.0:
            row, column = here
            rows = range(max(0, row - 1), min(self.count, row + 2))
            columns = range(max(0, column - 1), min(self.count, column + 2))
            here = min(((r, c) for r in rows for c in columns), key=lambda cell: (ways[cell], cell))
            if here == (row, column):
                return []
            found.append(self.point(*here))
        return [*found[1:], goal]

    def next_view(self, x: float, y: float, reach: float, clearance: float, speed: float) -> tuple[float, float] | None:
        """Return another place, from which most of what cannot be seen from here is seen soonest; None without any.

        Args:
            x: of the seeker
            y: of the seeker
            reach: within which a target is seen, m
            clearance: of the way, m
            speed: of the seeker, m/s
        """
        rows, columns = self._goals()
        ways = self.ways_from(x, y, clearance)
        stride = max(1, round(_VIEWS_M / self.cell))
        picked = np.zeros(ways.shape, np.bool_)
        picked[stride // 2 :: stride, stride // 2 :: stride] = True
        places = np.argwhere(picked & np.isfinite(ways) & (ways > _VIEWS_M))
        if not rows.size or not len(places):
            return None
        points = np.stack([self._x[tuple(places.T)], self._y[tuple(places.T)]], axis=1)
        new = ~self._sees(np.array([[x, y]]), rows, columns, reach)[0]
        seen = self._sees(points, rows, columns, reach) @ np.where(new, 1.0, _SEEN_BEFORE)
        worth = seen / (ways[tuple(places.T)] / speed + _LOOK_S)
        best = int(np.argmax(worth))
        if seen[best] <= 0.0:
            return None
        return float(points[best, 0]), float(points[best, 1])

    def _goals(self) -> tuple[Cells, Cells]:
        rows, columns = np.nonzero(self.possible)
        stride = -(-rows.size // _MOST_GOALS) or 1
        return rows[::stride], columns[::stride]

    def _free(self, clearance: float) -> Mask:
        blocked = np.pad(self.occupied, 1, constant_values=True)
        for number in range(max(0, math.ceil(clearance / self.cell - 0.5))):
            blocked = _dilated(blocked, diagonal=number % 2 == 0)
        return ~blocked[1:-1, 1:-1]

    def _occupy(
        self, x: NDArray[np.float64], y: NDArray[np.float64], ignore: tuple[float, float, float] | None
    ) -> None:
        rows, columns, within = self._cells(x, y)
        if ignore is not None:
            within &= np.hypot(x - ignore[0], y - ignore[1]) > ignore[2]
        self.occupied[rows[within], columns[within]] = True

    def _cells(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Cells, Cells, Mask]:
        columns = np.floor((x - self._low) / self.cell).astype(np.int64)
        rows = np.floor((y - self._low) / self.cell).astype(np.int64)
        within = (rows >= 0) & (rows < self.count) & (columns >= 0) & (columns < self.count)
        return rows, columns, within

    def _sees(self, points: NDArray[np.float64], rows: Cells, columns: Cells, reach: float = math.inf) -> Mask:
        """Return whether points (k, 2) see cells (m) within reach (m), nothing being between; shape (k, m)."""
        x, y = self._x[rows, columns], self._y[rows, columns]
        dx, dy = x - points[:, :1], y - points[:, 1:]
        away = np.hypot(dx, dy)
        steps = max(1, math.ceil(float(min(away.max(), reach * 1.0)) / (_SAMPLE * self.cell)))
        share = np.arange(1, steps) / steps
        top = self.count - 1
        sample_x = points[:, :1, None] + dx[:, :, None] * share
        sample_y = points[:, 1:, None] + dy[:, :, None] * share
        c = np.clip(((sample_x - self._low) / self.cell).astype(np.int64), 0, top)
        r = np.clip(((sample_y - self._low) / self.cell).astype(np.int64), 0, top)
        # A cell does not hide itself, nor its neighbour: walls are seen by their edges.
        hidden = self.occupied[r, c] & ((1.0 - share) * away[:, :, None] > 1.5 * self.cell)
        clear: Mask = ~hidden.any(axis=2) & (away < reach)
        return clear


_LOOK_S = 3.0
"""What a look round costs besides the way, s."""
_VIEWS_M = 0.6
"""Views are about so far apart, and from where the seeker is, m."""
_SEEN_BEFORE = 0.1
"""What a cell counts that can be seen from here, too: it was looked at just now."""


def _bins(bearing: NDArray[np.float64]) -> Cells:
    found: Cells = np.floor((bearing % math.tau) / math.tau * _BINS).astype(np.int64) % _BINS
    return found


def _dilated(mask: Mask, diagonal: bool = True) -> Mask:
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    if diagonal:
        grown[1:, 1:] |= mask[:-1, :-1]
        grown[1:, :-1] |= mask[:-1, 1:]
        grown[:-1, 1:] |= mask[1:, :-1]
        grown[:-1, :-1] |= mask[1:, 1:]
    return grown
