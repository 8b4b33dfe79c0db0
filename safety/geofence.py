"""The geofence: a polygon in the map frame that the centre of a robot must not leave."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from arena_trees.robot.errors import ConfigError
from arena_trees.safety.polygon import checked_polygon

__all__ = ["Geofence"]

_STRAIGHT_IN = 0.2
"""Cosine to the nearest edge below which a way inside would first lead along or away from the fence."""


class Geofence:
    """One robot's polygon, checked when it is made and never changed.

    Distances are those of the robot's centre, in metres, positive inside. A position that is
    not finite is nowhere inside.

    Attributes:
        name: of the zone, such as the robot's
        points: (x, y) of each corner, without a closing point
        centroid: (x, y) of the centroid; outside of some concave polygons
        inset: how far inside :meth:`way_inside` leads, m
        area: m2

    Args:
        name: of the zone
        points: (x, y) of each corner, m, in the map frame
        robot_radius: of the robot that must fit inside, m
        margin: room that the robot must have besides, m
        file: file the points came from, named in errors
        key: dotted path of the points in the file, named in errors

    Raises:
        ConfigError: the polygon is refused (see :func:`~arena_trees.safety.polygon.checked_polygon`), or
            the robot does not fit inside
    """

    def __init__(
        self,
        name: str,
        points: Any,
        robot_radius: float = 0.17,
        margin: float = 0.10,
        *,
        file: str | Path | None = None,
        key: str | None = None,
    ) -> None:
        inset = robot_radius + margin
        if not (math.isfinite(inset) and robot_radius >= 0.0 and margin >= 0.0):
            raise ConfigError("robot radius and margin must be finite and not negative", file=file, key=key)
        polygon = checked_polygon(points, file, key)
        room = polygon.buffer(-inset)
        if room.is_empty:
            reason = f"a robot of radius {robot_radius:g} m with {margin:g} m around it does not fit inside"
            raise ConfigError(reason, file=file, key=key)
        self.name = name
        self.points: tuple[tuple[float, float], ...] = tuple(polygon.exterior.coords[:-1])
        self.centroid: tuple[float, float] = (polygon.centroid.x, polygon.centroid.y)
        self.inset = inset
        self.area: float = polygon.area
        self._polygon = polygon
        self._boundary = polygon.exterior
        self._room = room
        shapely.prepare([self._polygon, self._boundary, self._room])

    def inside(self, x: float, y: float) -> bool:
        """Return whether a position is inside; the boundary itself is not."""
        return bool(shapely.contains_xy(self._polygon, x, y))

    def signed_distance(self, x: float, y: float) -> float:
        """Return the distance (m) to the boundary, negative outside; -inf for a position that is not finite."""
        distance = float(shapely.distance(self._boundary, shapely.Point(x, y)))
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(distance)):
            return -math.inf
        return distance if shapely.contains_xy(self._polygon, x, y) else -distance

    def signed_distances(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return :meth:`signed_distance` of finite positions, shape (n,)."""
        distance = shapely.distance(self._boundary, shapely.points(x, y))
        inside = shapely.contains_xy(self._polygon, x, y)
        return np.asarray(np.where(inside, distance, -distance), dtype=np.float64)

    def way_inside(self, x: float, y: float) -> tuple[float, float]:
        """Return the nearest point (m) that is safely inside, for a robot that drives straight to it.

        It is the nearest point of the polygon shrunk by :attr:`inset`, and the position itself
        where that is inside it already. Where the polygon is too narrow for that, outside of a
        slim arm, it is a point behind the nearest edge, so that the way leads straight in. For a
        position that is not finite it is the safe point nearest to the centroid.
        """
        if not (math.isfinite(x) and math.isfinite(y)):
            x, y = self.centroid
        here = shapely.Point(x, y)
        target = _end(shapely.shortest_line(here, self._room))
        if shapely.contains_xy(self._polygon, x, y):
            return target
        edge = _end(shapely.shortest_line(here, self._boundary))
        gap, way = math.dist(edge, (x, y)), math.dist(target, (x, y))
        along = (edge[0] - x) * (target[0] - x) + (edge[1] - y) * (target[1] - y)
        if gap == 0.0 or along >= _STRAIGHT_IN * gap * way:
            return target
        return self._behind(edge, ((edge[0] - x) / gap, (edge[1] - y) / gap))

    def _behind(self, edge: tuple[float, float], inwards: tuple[float, float]) -> tuple[float, float]:
        """Return the middle of what the polygon has behind an edge point, no deeper than the inset."""
        deep = (edge[0] + 2.0 * self.inset * inwards[0], edge[1] + 2.0 * self.inset * inwards[1])
        chord = shapely.intersection(shapely.LineString([edge, deep]), self._polygon)
        near = min(shapely.get_parts(chord), key=lambda part: shapely.distance(part, shapely.Point(edge)))
        middle = shapely.centroid(near)
        return float(middle.x), float(middle.y)


def _end(line: Any) -> tuple[float, float]:
    x, y = line.coords[1]
    return float(x), float(y)
