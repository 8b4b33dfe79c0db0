"""The curve fitted to the wall near a robot, and the way that keeps a distance to it.

Returns of a scan are averaged in sectors, smoothed along the wall, and joined where they belong to one surface. The way
is the line of all points at the wanted distance from that curve: parallel to a straight wall, an arc about a convex
corner, a crease in a concave one. It needs no case for any of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.pid import clamp
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.scan import Scan

__all__ = ["WallCurve", "drive_along"]

SECTORS = 90
"""Into which returns are averaged; 4 degrees each."""

_BEARINGS = np.linspace(-math.pi, math.pi, 73)
_RING = np.stack((np.cos(_BEARINGS), np.sin(_BEARINGS)), axis=1)
_STEP = float(_BEARINGS[1] - _BEARINGS[0])


@dataclass(frozen=True, slots=True, eq=False)
class WallCurve:
    """Pieces of the near wall in base_link; a piece may be a point.

    Attributes:
        begin: of each piece, m, shape (k, 2)
        end: of each piece, m, shape (k, 2)
    """

    begin: NDArray[np.float64]
    end: NDArray[np.float64]

    @classmethod
    def fitted(cls, scan: Scan, gap: float, farthest: float = math.inf) -> WallCurve:
        """Fit a curve to a scan.

        Args:
            scan: points in base_link
            gap: neighbouring returns nearer to each other than this belong to one surface, m
            farthest: returns beyond this distance are left out, m
        """
        points = _averaged(scan, gap, farthest)
        count = len(points)
        if not count:
            return cls(points, points)
        after = np.roll(points, -1, axis=0)
        joined = np.hypot(*(after - points).T) < gap if count > 1 else np.zeros(count, dtype=bool)
        inner = joined & np.roll(joined, 1)
        smooth = points.copy()
        before = np.roll(points, 1, axis=0)
        smooth[inner] = (before[inner] + 2.0 * points[inner] + after[inner]) / 4.0
        return cls(smooth, np.where(joined[:, None], np.roll(smooth, -1, axis=0), smooth))

    @property
    def empty(self) -> bool:
        """Whether there is no wall."""
        return not len(self.begin)

    def seen_from(self, pose: Pose2D) -> WallCurve:
        """Return the curve in the frame of a pose that is given in this frame."""
        turn = np.array(((math.cos(pose.yaw), -math.sin(pose.yaw)), (math.sin(pose.yaw), math.cos(pose.yaw))))
        place = np.array((pose.x, pose.y))
        return WallCurve((self.begin - place) @ turn, (self.end - place) @ turn)

    def distances(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distance (m) of each point, shape (n, 2), from the curve; inf where there is none."""
        if self.empty:
            return np.full(len(points), math.inf)
        begin_x, begin_y = self.begin.T
        along_x, along_y = (self.end - self.begin).T
        length = np.maximum(along_x * along_x + along_y * along_y, 1e-12)
        # A row a piece: the least of each column is found faster than that of each row.
        along_x, along_y, length = along_x[:, None], along_y[:, None], length[:, None]
        off_x, off_y = points[:, 0] - begin_x[:, None], points[:, 1] - begin_y[:, None]
        share = off_x * along_x
        share += off_y * along_y
        share /= length
        np.maximum(share, 0.0, out=share)
        np.minimum(share, 1.0, out=share)
        off_x -= share * along_x
        off_y -= share * along_y
        off_x *= off_x
        off_y *= off_y
        off_x += off_y
        nearest: NDArray[np.float64] = np.sqrt(off_x.min(axis=0))
        return nearest

    def nearest(self) -> tuple[float, float]:
        """Return distance (m) and bearing (rad) of the curve's point nearest to the robot; an infinite one of none."""
        if self.empty:
            return math.inf, 0.0
        begin_x, begin_y = self.begin.T
        along_x, along_y = (self.end - self.begin).T
        length = np.maximum(along_x * along_x + along_y * along_y, 1e-12)
        share = np.minimum(np.maximum(-(begin_x * along_x + begin_y * along_y) / length, 0.0), 1.0)
        x, y = begin_x + share * along_x, begin_y + share * along_y
        index = int(np.argmin(x * x + y * y))
        nearest_x, nearest_y = float(x[index]), float(y[index])
        return math.hypot(nearest_x, nearest_y), math.atan2(nearest_y, nearest_x)

    def within(self, distance: float) -> WallCurve:
        """Return the pieces that begin or end nearer than a distance (m)."""
        begin, end = self.begin * self.begin, self.end * self.end
        near = np.minimum(begin[:, 0] + begin[:, 1], end[:, 0] + end[:, 1]) < distance * distance
        return WallCurve(self.begin[near], self.end[near])

    def course(
        self, side: float, distance: float, reach: float, nearest: tuple[float, float] | None = None
    ) -> float | None:
        """Return the bearing (rad) of the way's point at a reach (m) ahead, the wall on a side; None without a wall.

        Where the way is farther than the reach, it is the bearing that leads to it soonest: to the wall, or from it.

        Args:
            side: on which the wall is to be, 1 left and -1 right
            distance: wanted, from the wall, m
            reach: of the look ahead, m
            nearest: what :meth:`nearest` returns, where that is known already
        """
        far, bearing = self.nearest() if nearest is None else nearest
        if math.isinf(far):
            return None
        if far >= distance + reach:
            return bearing
        if far <= distance - reach:
            return math.remainder(bearing + math.pi, math.tau)
        ring = _RING * reach
        # Nearer than wanted on the wall's side of the way: rising from there to the other side.
        excess = (self.within(distance + 2.0 * reach).distances(ring) - distance) * -side
        rising = np.flatnonzero((excess[:-1] < 0.0) & (excess[1:] >= 0.0))
        if not rising.size:
            # The ring touches the way without going through it.
            return bearing if far > distance else math.remainder(bearing + math.pi, math.tau)
        share = excess[rising] / (excess[rising] - excess[rising + 1])
        found = _BEARINGS[rising] + _STEP * share
        return float(found[np.argmin(np.abs(found))])


def drive_along(course: float, reach: float, speed: float, turn_rate: float, turn_gate: float) -> Twist2D:
    """Return the twist on the arc that leads to a point: pure pursuit (Coulter 1992), slower where the arc is narrow.

    Args:
        course: bearing of the point, rad
        reach: its distance, m
        speed: greatest, m/s
        turn_rate: greatest yaw rate, rad/s
        turn_gate: beyond this bearing the robot turns on the spot, rad
    """
    if abs(course) > turn_gate:
        return Twist2D(0.0, math.copysign(turn_rate, course))
    curvature = 2.0 * math.sin(course) / reach
    if speed * abs(curvature) > turn_rate:
        speed = turn_rate / abs(curvature)
    return Twist2D(speed, clamp(speed * curvature, turn_rate))


def _averaged(scan: Scan, gap: float, farthest: float) -> NDArray[np.float64]:
    """Return the mean of each sector's returns, shape (k, 2); of those only that are as near as its nearest one."""
    near = scan.distance < farthest
    distance = scan.distance[near]
    if not distance.size:
        return np.empty((0, 2))
    # Rays of 4 degrees lie in the middle of sectors, not between two.
    sector = np.floor((scan.bearing[near] + math.pi) * (SECTORS / math.tau) + 0.5).astype(np.intp) % SECTORS
    least = np.full(SECTORS, math.inf)
    np.minimum.at(least, sector, distance)
    first = distance < least[sector] + gap
    sector = sector[first]
    number = np.bincount(sector, minlength=SECTORS)
    used = number > 0
    x = np.bincount(sector, scan.x[near][first], SECTORS)[used] / number[used]
    y = np.bincount(sector, scan.y[near][first], SECTORS)[used] / number[used]
    return np.stack((x, y), axis=1)
