"""The path of a movement through a crossing: straight lines and arcs, by the distance covered along it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D

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


class LanePath:
    """Pieces one after the other.

    Args:
        start: where the first piece begins, and in which direction
        pieces: in order; one that has no length is left out
    """

    def __init__(self, start: Pose2D, pieces: tuple[Piece, ...]) -> None:
        self.pieces = tuple(piece for piece in pieces if piece.length > 0.0)
        self._starts: list[tuple[float, Pose2D]] = []
        self.length = 0.0
        for piece in self.pieces:
            self._starts.append((self.length, start))
            start = piece.advance(start, piece.length)
            self.length += piece.length
        self.end = start

    def pose(self, distance: float) -> Pose2D:
        """Return the pose after a distance (m); before the start and beyond the end the path goes on straight."""
        if distance >= self.length:
            return self.end.compose(Pose2D(distance - self.length))
        if distance < 0.0:
            return self._starts[0][1].compose(Pose2D(distance))
        index = self._index(distance)
        begin, start = self._starts[index]
        return self.pieces[index].advance(start, distance - begin)

    def curvature(self, distance: float) -> float:
        """Return the curvature (1/m, positive to the left) at a distance (m); 0 before the start and beyond the end."""
        return self.pieces[self._index(distance)].curvature if 0.0 <= distance < self.length else 0.0

    def project(self, near: float, x: float, y: float) -> float:
        """Return the distance (m) at which the path comes nearest to a point.

        Args:
            near: where it is looked for, m; of a path that comes back, the part that is nearest to this
            x: of the point, m
            y: of the point, m
        """
        point = Pose2D(x, y)
        for _ in range(_STEPS):
            offset = self.pose(near).relative(point)
            # On an arc those inside it are ahead of those outside; never by more than twice, near its centre.
            step = offset.x / max(0.5, 1.0 - self.curvature(near) * offset.y)
            near += step
            if abs(step) < _NEAR_ENOUGH:
                break
        return near

    def line(self, begin: float = 0.0, end: float | None = None) -> shapely.LineString:
        """Return the centre line between two distances (m)."""
        end = self.length if end is None else end
        return shapely.LineString([(pose.x, pose.y) for pose in map(self.pose, self._stops(begin, end))])

    def _index(self, distance: float) -> int:
        index = 0
        while index + 1 < len(self._starts) and self._starts[index + 1][0] <= distance:
            index += 1
        return index

    def _stops(self, begin: float, end: float) -> list[float]:
        """Return distances between which the path is as good as straight, both ends included."""
        stops: set[float] = {begin, end}
        for (start, _), piece in zip(self._starts, self.pieces, strict=True):
            count = max(1, math.ceil(abs(piece.length * piece.curvature) / _CHORD))
            parts: NDArray[np.float64] = np.linspace(start, start + piece.length, count + 1)
            stops.update(stop for stop in parts.tolist() if begin < stop < end)
        return sorted(stops)
