"""The path of a movement through a crossing: straight lines and arcs, by the distance covered along it."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["LanePath", "Piece"]

_CHORD = math.radians(1.0)
"""Largest angle of an arc that is drawn as one straight line; at a radius of 2 m it is 0.08 mm off."""

_STEPS = 4
"""Steps of Newton's method from place to place along a path."""

_NEAR_ENOUGH = 1e-5
"""m."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line or an arc.

    Attributes:
        length: m
        curvature: 1/m, positive to the left; 0 for a line
    """

    length: float
    curvature: float = 0.0

    def advance(self, start: Pose2D, distance: float) -> Pose2D:
        """Return the pose after a distance (m) along the piece from its start."""
        if self.curvature == 0.0:
            return start.compose(Pose2D(distance))
        angle = distance * self.curvature
        return start.compose(Pose2D(math.sin(angle) / self.curvature, (1.0 - math.cos(angle)) / self.curvature, angle))


class _Leg(NamedTuple):
    """A piece where it lies: from which distance (m) on, where that is (m, rad), and its curvature (1/m)."""

    begin: float
    x: float
    y: float
    yaw: float
    cosine: float
    sine: float
    curvature: float

    @classmethod
    def placed(cls, begin: float, start: Pose2D, curvature: float) -> _Leg:
        return cls(begin, start.x, start.y, start.yaw, math.cos(start.yaw), math.sin(start.yaw), curvature)

    def place(self, distance: float) -> tuple[float, float, float]:
        """Return x, y (m) and yaw (rad) at a distance (m) along the path."""
        ahead = distance - self.begin
        if self.curvature == 0.0:
            return self.x + self.cosine * ahead, self.y + self.sine * ahead, wrap(self.yaw)
        angle = ahead * self.curvature
        x, y = math.sin(angle) / self.curvature, (1.0 - math.cos(angle)) / self.curvature
        return (
            self.x + self.cosine * x - self.sine * y,
            self.y + self.sine * x + self.cosine * y,
            wrap(self.yaw + angle),
        )


class LanePath:
    """Pieces one after the other.

    Args:
        start: where the first piece begins, and in which direction
        pieces: in order; one that has no length is left out
    """

    def __init__(self, start: Pose2D, pieces: tuple[Piece, ...]) -> None:
        self.pieces = tuple(piece for piece in pieces if piece.length > 0.0)
        self.length = 0.0
        # What lies before the start and beyond the end is straight.
        self._legs = [_Leg.placed(0.0, start, 0.0)]
        for piece in self.pieces:
            self._legs.append(_Leg.placed(self.length, start, piece.curvature))
            start = piece.advance(start, piece.length)
            self.length += piece.length
        self._legs.append(_Leg.placed(self.length, start, 0.0))
        self._begins = [leg.begin for leg in self._legs[1:]]
        self.end = start

    def pose(self, distance: float) -> Pose2D:
        """Return the pose after a distance (m); before the start and beyond the end the path goes on straight."""
        return Pose2D(*self._leg(distance).place(distance))

    def curvature(self, distance: float) -> float:
        """Return the curvature (1/m, positive to the left) at a distance (m); 0 before the start and beyond the end."""
        return self._leg(distance).curvature

    def project(self, near: float, x: float, y: float) -> float:
        """Return the distance (m) at which the path comes nearest to a point.

        Args:
            near: where it is looked for, m; of a path that comes back, the part that is nearest to this
            x: of the point, m
            y: of the point, m
        """
        for _ in range(_STEPS):
            leg = self._leg(near)
            at_x, at_y, yaw = leg.place(near)
            cosine, sine = math.cos(yaw), math.sin(yaw)
            dx, dy = x - at_x, y - at_y
            # On an arc those inside it are ahead of those outside; never by more than twice, near its centre.
            step = (cosine * dx + sine * dy) / max(0.5, 1.0 - leg.curvature * (cosine * dy - sine * dx))
            near += step
            if abs(step) < _NEAR_ENOUGH:
                break
        return near

    def line(self, begin: float = 0.0, end: float | None = None) -> shapely.LineString:
        """Return the centre line between two distances (m)."""
        end = self.length if end is None else end
        return shapely.LineString([(pose.x, pose.y) for pose in map(self.pose, self._stops(begin, end))])

    def _leg(self, distance: float) -> _Leg:
        return self._legs[bisect_right(self._begins, distance)]

    def _stops(self, begin: float, end: float) -> list[float]:
        """Return distances between which the path is as good as straight, both ends included."""
        stops: set[float] = {begin, end}
        for start, piece in zip(self._begins[:-1], self.pieces, strict=True):
            count = max(1, math.ceil(abs(piece.length * piece.curvature) / _CHORD))
            parts: NDArray[np.float64] = np.linspace(start, start + piece.length, count + 1)
            stops.update(stop for stop in parts.tolist() if begin < stop < end)
        return sorted(stops)
