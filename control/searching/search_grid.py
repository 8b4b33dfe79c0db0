"""Where a lost target can be: a grid that grows with the target's speed and loses what the camera has seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.scan import Scan

__all__ = ["SearchGrid"]

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Cells = NDArray[np.int64]

_BINS = 360
_SQUARE = np.ones((3, 3), np.uint8)
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
_RAYS = 240
"""Directions in which a view is tested for what hides the rest."""
_ALONGSIDE = 0.75
"""Cells nearer than this many cells hide nothing: a place on the edge of a wall sees along it."""


class SearchGrid:
    """A square of floor about a point of a fixed frame, in cells.

    Attributes:
        occupied: cells where something stands, as the range sensors showed last, shape (n, n), rows along y
        known: cells that a range sensor has looked into, and those next to what it met
        blocked: cells that are in the way though no range sensor shows anything there, see :meth:`block`
        outside: cells that no way may lead through, see :meth:`keep_inside`
        chance: probability that the target is in a cell, shape (n, n); their sum is 1

    Args:
        half_size: half the side of the square, m
        cell: side of a cell, m
        centre: of the square, m
    """

    def __init__(self, half_size: float, cell: float, centre: tuple[float, float] = (0.0, 0.0)) -> None:
        self.cell = cell
        self.count = max(3, round(2.0 * half_size / cell))
        self._half = self.count * cell / 2.0
        self._centre = centre
        middle = (np.arange(self.count) + 0.5) * cell - self._half
        self._x, self._y = np.meshgrid(centre[0] + middle, centre[1] + middle)
        self.occupied: Mask = np.zeros((self.count, self.count), np.bool_)
        self.known: Mask = np.zeros((self.count, self.count), np.bool_)
        self.blocked: Mask = np.zeros((self.count, self.count), np.bool_)
        self.outside: Mask = np.zeros((self.count, self.count), np.bool_)
        self.chance: Floats = np.full((self.count, self.count), 1.0 / self.count**2)
        self._viewless: Mask = self.outside
        self._grown = 0.0

    def inside(self, x: float, y: float) -> bool:
        """Return whether a point lies in the square."""
        return max(abs(x - self._centre[0]), abs(y - self._centre[1])) < self._half

    def index(self, x: float, y: float) -> tuple[int, int]:
        """Return row and column of the cell of a point, of the nearest one where it lies outside."""
        top = self.count - 1
        column, row = self._columns(x), self._rows(y)
        return min(max(math.floor(row), 0), top), min(max(math.floor(column), 0), top)

    def point(self, row: int, column: int) -> tuple[float, float]:
        """Return the middle of a cell."""
        return float(self._x[row, column]), float(self._y[row, column])

    def begin_everywhere(self) -> None:
        """Know nothing of where the target is."""
        self._set(np.ones_like(self.chance))

    def begin_near(self, x: float, y: float, radius: float) -> None:
        """The target was seen: it is within a radius (m) of a point."""
        near = (np.hypot(self._x - x, self._y - y) <= max(radius, 0.75 * self.cell)).astype(np.float64)
        near[self.index(x, y)] = 1.0
        self._set(near)

    def grow(self, way: float) -> None:
        """The target may have gone so far (m) since the last call, in any direction and round what stands there."""
        self._grown += way
        while self._grown >= self.cell:
            self._grown -= self.cell
            free = (~self.occupied).astype(np.float64)
            room = np.maximum(1.0, _sum_about(free))
            for _ in range(_STIRS):
                # Each cell gives itself and its free neighbours the same.
                self.chance = free * _sum_about(self.chance / room)
            self._set(self.chance)

    def confine(self, x: float, y: float) -> None:
        """The target is where a way leads from a point, not within what the sensors have met all round."""
        self._set(np.where(np.isfinite(self.ways_from(x, y, 0.0)), self.chance, 0.0))

    def _set(self, chance: Floats) -> None:
        """Take weights for probabilities; weights that are nowhere are everywhere."""
        chance = np.where(self.occupied, 0.0, chance)
        total = float(chance.sum())
        if total <= 0.0:
            chance = (~self.occupied).astype(np.float64)
            total = max(1.0, float(chance.sum()))
        self.chance = chance / total

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
        self.known |= free
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
        self.known[rows[within], columns[within]] = True
        if hit:
            self._occupy(np.array([end[0]]), np.array([end[1]]), None)

    def see_nothing(self, x: float, y: float, yaw: float, hfov: float, reach: float) -> None:
        """A camera at a point saw no target: it is hardly in a cell of its field of view that nothing hides.

        The farther a cell is, the less certain that is: something unknown may be between (see :meth:`_sight`).
        """
        dx, dy = self._x - x, self._y - y
        off = np.abs((np.arctan2(dy, dx) - yaw + math.pi) % math.tau - math.pi)
        rows, columns = np.nonzero((off < hfov / 2.0) & (np.hypot(dx, dy) < reach) & (self.chance > 0.0))
        if rows.size:
            self.chance[rows, columns] *= 1.0 - _FOUND * self._sight(np.array([[x, y]]), rows, columns, reach)[0]
            self._set(self.chance)

    def block(self, discs: Iterable[tuple[float, float, float]]) -> None:
        """Let no way lead through discs (x, y, radius, m), from now on and no more through those of before."""
        self.blocked[:] = False
        for x, y, radius in discs:
            self.blocked |= np.hypot(self._x - x, self._y - y) <= max(radius, 0.5 * self.cell)

    def keep_inside(self, ways: shapely.Geometry, views: shapely.Geometry) -> None:
        """Let ways lead through the inside of an area only, and to views inside another; the target may be outside."""
        self.outside = ~shapely.contains_xy(ways, self._x, self._y)
        self._viewless = ~shapely.contains_xy(views, self._x, self._y)

    def is_clear(self, start: tuple[float, float], end: tuple[float, float], clearance: float) -> bool:
        """Return whether the straight way between two points keeps so clear (m) of occupied cells.

        What is nearer than the clearance to either end counts only where the way comes nearer to it.
        """
        return self.clear_test(clearance)(start, end)

    def clear_test(self, clearance: float) -> Callable[[tuple[float, float], tuple[float, float]], bool]:
        """Return what :meth:`is_clear` asks of two points, for several ways through the grid as it is now."""
        barred = self._barred(clearance)
        x, y = self._x[barred], self._y[barred]

        def is_clear(start: tuple[float, float], end: tuple[float, float]) -> bool:
            length = math.dist(start, end)
            if not x.size or length < 1e-6:
                return True
            ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
            dx, dy = x - start[0], y - start[1]
            along, across = dx * ux + dy * uy, np.abs(dy * ux - dx * uy)
            near = np.flatnonzero((along > 0.0) & (along < length) & (across < clearance))
            if not near.size:
                return True
            dx, dy, across = dx[near], dy[near], across[near]
            # Whoever stands beside a wall may drive along it.
            away = np.hypot(dx, dy)
            alongside = (away <= clearance) & (across > _ALONG * away)
            there = np.hypot(dx - length * ux, dy - length * uy) <= clearance
            return bool((alongside | there).all())

        return is_clear

    def direction_to_look(
        self, x: float, y: float, facing: float, hfov: float, turn_rate: float, reach: float, least_turn: float = 0.0
    ) -> tuple[float, float]:
        """Return the direction (rad) in which a camera at a point finds the target soonest, and how soon.

        Args:
            x: of the camera
            y: of the camera
            facing: direction in which it looks now, rad
            hfov: of the camera, rad
            turn_rate: at which it can turn, rad/s
            reach: within which a target is seen, m
            least_turn: directions nearer to where it looks now are left out, rad

        Returns:
            the direction, and the probability of finding it there for each second that the turn takes, 1/s
        """
        rows, columns, chance = self._goals()
        weight = chance * self._sight(np.array([[x, y]]), rows, columns, reach)[0]
        bearing = np.arctan2(self._y[rows, columns] - y, self._x[rows, columns] - x)
        turn = (np.arange(_DIRECTIONS) / _DIRECTIONS - 0.5) * math.tau
        off = np.abs((bearing - facing - turn[:, None] + math.pi) % math.tau - math.pi)
        worth = (off < hfov / 2.0) @ weight / (np.abs(turn) / turn_rate + _GLANCE_S)
        worth[np.abs(turn) < least_turn] = 0.0
        best = int(np.argmax(worth))
        return wrap(facing + float(turn[best])), float(worth[best])

    def ways_from(self, x: float, y: float, clearance: float) -> Floats:
        """Return the length (m) of the shortest way from a point to every cell, inf where none leads there.

        Args:
            x: of the point
            y: of the point
            clearance: to occupied cells and to the square's edge, m
        """
        start = self.index(x, y)
        free = self._free_from(x, y, clearance)
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
        """Return points of a short way from a point towards another, without the first; empty where none leads on.

        Where no way leads to the goal, it is that to the nearest place to it.
        """
        ways = self.ways_from(x, y, clearance)
        off = np.hypot(self._x - goal[0], self._y - goal[1])
        off[~np.isfinite(ways)] = math.inf
        end = self.index(*goal)
        here = end if math.isfinite(ways[end]) else divmod(int(np.argmin(off)), self.count)
        found = [goal if here == end else self.point(*here)]
        while ways[here] > 0.0:
            row, column = here
            rows = range(max(0, row - 1), min(self.count, row + 2))
            columns = range(max(0, column - 1), min(self.count, column + 2))
            here = min(((r, c) for r in rows for c in columns), key=lambda cell: (ways[cell], cell))
            found.append(self.point(*here))
        return found[-2::-1]

    def next_view(
        self,
        x: float,
        y: float,
        reach: float,
        clearance: float,
        speed: float,
        kept: tuple[float, float] | None = None,
    ) -> tuple[tuple[float, float], float] | None:
        """Return another place, from which the target is found soonest; None where none can be reached.

        What is seen as well from here counts for nothing.

        Args:
            x: of the seeker
            y: of the seeker
            reach: within which a target is seen, m
            clearance: of the way, m
            speed: of the seeker, m/s
            kept: the place that it is under way to; another one must be clearly better

        Returns:
            the place, and the probability of finding the target there for each second that it takes, 1/s
        """
        rows, columns, chance = self._goals()
        ways = self.ways_from(x, y, clearance)
        stride = max(1, round(self.count / _VIEWS))
        picked = np.zeros(ways.shape, np.bool_)
        picked[stride // 2 :: stride, stride // 2 :: stride] = True
        picked &= (ways > stride * self.cell) & ~self._viewless
        if kept is not None:
            picked[self.index(*kept)] = True
        places = np.argwhere(picked & np.isfinite(ways))
        if not len(places):
            return None
        points = np.stack([self._x[tuple(places.T)], self._y[tuple(places.T)]], axis=1)
        here = self._sight(np.array([[x, y]]), rows, columns, reach)
        gained = np.maximum(0.0, self._sight(points, rows, columns, reach) - here) @ chance
        worth = gained / (ways[tuple(places.T)] / speed + _LOOK_S)
        if kept is not None:
            worth[(places == self.index(*kept)).all(axis=1)] *= _KEPT
        best = int(np.argmax(worth))
        if worth[best] <= 0.0:
            return None
        return (float(points[best, 0]), float(points[best, 1])), float(worth[best])

    def _goals(self) -> tuple[Cells, Cells, Floats]:
        """Return cells that stand for the blocks of cells about them, and the probability of each block."""
        stride = max(1, round(self.count / _BLOCKS))
        begin = np.arange(0, self.count, stride)
        blocks = np.add.reduceat(np.add.reduceat(self.chance, begin, axis=0), begin, axis=1)
        rows, columns = np.nonzero(blocks > _SCARCE)
        middle = np.minimum(begin + stride // 2, self.count - 1)
        return middle[rows], middle[columns], blocks[rows, columns]

    def _sight(self, points: Floats, rows: Cells, columns: Cells, reach: float) -> Floats:
        """Return how surely points (k, 2) see a target in cells (m), shape (k, m): 0 where something hides it.

        What no sensor has met hides things, too: a line of sight is free as likely as exp(-length / typical length).
        """
        if not rows.size:
            return np.zeros((len(points), 0))
        away = np.hypot(self._x[rows, columns] - points[:, :1], self._y[rows, columns] - points[:, 1:])
        free: Floats = np.exp(-away / (_UNKNOWN * reach)) * self._sees(points, rows, columns, reach)
        return free

    def _barred(self, clearance: float) -> Mask:
        """Return where no way leads: what is occupied, and what nobody has looked into next to it, for walls go on."""
        near = self.occupied
        for number in range(max(0, round(_DOUBT * clearance / self.cell))):
            near = _dilated(near, diagonal=number % 2 == 0)
        barred: Mask = self.occupied | self.blocked | self.outside | (near & ~self.known)
        return barred

    def _free_from(self, x: float, y: float, clearance: float) -> Mask:
        """Return where ways from a point lead: whoever stands too near to something may leave, but not go nearer."""
        start = self.index(x, y)
        about = np.hypot(self._x - x, self._y - y) <= clearance + self.cell
        blocked = np.pad(self._barred(clearance), 1, constant_values=True)
        blocked[start[0] + 1, start[1] + 1] = False
        leave = about & ~blocked[1:-1, 1:-1]
        for number in range(max(0, math.ceil(clearance / self.cell - 0.5))):
            blocked = _dilated(blocked, diagonal=number % 2 == 0)
            if not blocked[start[0] + 1, start[1] + 1]:
                leave = about & ~blocked[1:-1, 1:-1]
        free: Mask = ~blocked[1:-1, 1:-1] | leave
        free[start] = True
        return free

    def _occupy(self, x: Floats, y: Floats, ignore: tuple[float, float, float] | None) -> None:
        rows, columns, within = self._cells(x, y)
        if ignore is not None:
            within &= np.hypot(x - ignore[0], y - ignore[1]) > ignore[2]
        met = np.zeros_like(self.occupied)
        met[rows[within], columns[within]] = True
        self.occupied |= met
        self.known |= _dilated(met, diagonal=True)

    def _columns(self, x: Any) -> Any:
        return (x - self._centre[0] + self._half) / self.cell

    def _rows(self, y: Any) -> Any:
        return (y - self._centre[1] + self._half) / self.cell

    def _cells(self, x: Floats, y: Floats) -> tuple[Cells, Cells, Mask]:
        columns, rows = np.floor(self._columns(x)).astype(np.int64), np.floor(self._rows(y)).astype(np.int64)
        within = (rows >= 0) & (rows < self.count) & (columns >= 0) & (columns < self.count)
        return rows, columns, within

    def _sees(self, points: Floats, rows: Cells, columns: Cells, reach: float) -> Mask:
        """Return whether points (k, 2) see cells (m) within reach (m), nothing being between; shape (k, m)."""
        dx, dy = self._x[rows, columns] - points[:, :1], self._y[rows, columns] - points[:, 1:]
        away = np.hypot(dx, dy)
        # A cell does not hide itself, nor its neighbour: walls are seen by their edges.
        met = np.take_along_axis(self._horizon(points), _ray(np.arctan2(dy, dx)), axis=1)
        clear: Mask = (away < reach) & (away <= met + 1.5 * self.cell)
        return clear

    def _horizon(self, points: Floats) -> Floats:
        """Return how far (m) points (k, 2) see along each of _RAYS directions, shape (k, _RAYS)."""
        rows, columns = np.nonzero(self.occupied)
        dx, dy = self._x[rows, columns] - points[:, :1], self._y[rows, columns] - points[:, 1:]
        away = np.hypot(dx, dy)
        seeker, number = np.nonzero(away > _ALONGSIDE * self.cell)
        away = away[seeker, number]
        bearing, half = np.arctan2(dy, dx)[seeker, number], np.arcsin(np.minimum(1.0, 0.5 * self.cell / away))
        first, last = _ray(bearing - half), _ray(bearing + half)
        wide = (last - first) % _RAYS
        horizon = np.full((len(points), _RAYS), math.inf)
        for more in range(int(wide.max(initial=-1)) + 1):
            covers = wide >= more
            np.minimum.at(horizon, (seeker[covers], (first[covers] + more) % _RAYS), away[covers])
        return horizon


_ALONG = 0.9
"""A way does not come nearer to what it passes at more than this share of the distance at its beginning."""
_DOUBT = 4.0
"""A wall may go on for so many clearances where nobody has looked."""
_LOOK_S = 2.0
"""What a look round costs besides the way, s."""
_GLANCE_S = 0.3
"""What a look costs besides the turn, s."""
_VIEWS = 12
"""Views in a row of the square."""
_BLOCKS = 16
"""Blocks of cells in a row that views are judged by."""
_DIRECTIONS = 36
"""Directions that are weighed."""
_KEPT = 1.4
"""A view is given up for one that is so many times better."""
_SCARCE = 1e-5
"""Blocks less likely than this are left out."""
_STIRS = 2
"""How often cells mix while the target goes the length of one: it keeps its direction for some of them."""
_FOUND = 0.8
"""Probability that an image shows a target in plain view."""
_UNKNOWN = 0.35
"""Typical length of a free line of sight, as a share of the camera's reach."""


def _bins(bearing: Floats) -> Cells:
    found: Cells = np.floor((bearing % math.tau) / math.tau * _BINS).astype(np.int64) % _BINS
    return found


def _ray(bearing: Floats) -> Cells:
    found: Cells = np.rint(bearing / math.tau * _RAYS).astype(np.int64) % _RAYS
    return found


def _sum_about(values: Floats) -> Floats:
    """Return the sum over each cell's square of nine."""
    padded = np.pad(values, 1)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    total: Floats = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return total


def _dilated(mask: Mask, diagonal: bool = True) -> Mask:
    grown: Mask = cv2.dilate(mask.view(np.uint8), _SQUARE if diagonal else _CROSS).view(np.bool_)
    return grown
