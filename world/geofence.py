"""The geofence: a polygon in the map frame that the centre of a robot must not leave."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from arena_trees.robot.errors import ConfigError
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.polygon import checked_polygon

__all__ = ["Geofence", "room_within"]

_STRAIGHT_IN = 0.2
"""Share of its first step by which a way inside must win signed distance, not to lead along the fence."""

_STEP = 1e-4
"""Metres of that first step."""

_A_LITTLE = 0.02
"""Metres inside an edge."""

_LEAST_INSET = 1e-3
"""Metres; what is nearer to an edge is not safely inside."""

_FARTHEST = 1e7
"""Metres; a position beyond is nowhere."""


class Geofence:
    """One robot's polygon, checked when it is made and never changed.

    Distances are those of the robot's centre, in metres, positive inside. A position that is
    not finite, or absurdly far away, is nowhere and never inside.

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
        margin: room that the robot must have besides, m; with the radius 1 mm at least
        file: file the points came from, named in errors
        key: dotted path of the points in the file, named in errors

    Raises:
        ConfigError: the polygon is refused (see :func:`~arena_trees.world.polygon.checked_polygon`), or
            the robot does not fit inside
    """

    def __init__(
        self,
        name: str,
        points: Any,
        robot_radius: float = TURTLEBOT4.radius,
        margin: float = 0.10,
        *,
        file: str | Path | None = None,
        key: str | None = None,
    ) -> None:
        inset = robot_radius + margin
        if not (math.isfinite(inset) and robot_radius >= 0.0 and margin >= 0.0):
            raise ConfigError("robot radius and margin must be finite and not negative", file=file, key=key)
        if inset < _LEAST_INSET:
            reason = f"robot radius and margin must be {_LEAST_INSET:g} m together, at least, and are {inset:g} m"
            raise ConfigError(reason, file=file, key=key)
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
        self._narrow = polygon.buffer(-_A_LITTLE)
        shapely.prepare([self._polygon, self._boundary, self._room])

    def inside(self, x: float, y: float) -> bool:
        """Return whether a position is inside; the boundary itself is not."""
        return _somewhere(x, y) and bool(shapely.contains_xy(self._polygon, x, y))

    def signed_distance(self, x: float, y: float) -> float:
        """Return the distance (m) to the boundary, negative outside; -inf for a position that is nowhere."""
        if not _somewhere(x, y):
            return -math.inf
        here = shapely.Point(x, y)
        distance = float(self._boundary.distance(here))
        return distance if self._polygon.contains(here) else -distance

    def signed_distances(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return :meth:`signed_distance` of finite positions, shape (n,)."""
        places = np.stack([x, y], axis=1)
        distance = shapely.distance(self._boundary, shapely.points(places))
        inside = shapely.contains_xy(self._polygon, places[:, 0], places[:, 1])
        return np.asarray(np.where(inside, distance, -distance), dtype=np.float64)

    def way_inside(self, x: float, y: float) -> tuple[float, float]:
        """Return the nearest point (m) that is safely inside, for a robot that drives straight to it.

        It is the nearest point of the polygon shrunk by :attr:`inset`, and the position itself
        where that is inside it already. Where the polygon is too narrow for that, outside of a
        slim arm, it is a point behind the nearest edge, so that the way leads straight in. For a
        position that is nowhere it is the safe point nearest to the centroid.
        """
        if not _somewhere(x, y):
            x, y = self.centroid
        if shapely.contains_xy(self._room, x, y):
            return float(x), float(y)
        here = shapely.Point(x, y)
        target = _end(shapely.shortest_line(here, self._room))
        before = self.signed_distance(x, y)
        if before >= 0.0 or self._leads_in((x, y), target, before):
            return target
        edge = _end(shapely.shortest_line(here, self._boundary))
        behind = self._behind(edge, ((edge[0] - x) / -before, (edge[1] - y) / -before))
        if self.inside(*behind):
            return behind
        # Level with a corner, what is behind it is the next edge: a little inside that one, then.
        nearest = _end(shapely.shortest_line(here, self._narrow))
        return nearest if self._leads_in((x, y), nearest, before) else target

    def _leads_in(self, here: tuple[float, float], target: tuple[float, float], before: float) -> bool:
        """Return whether the first step of the straight way wins signed distance."""
        share = _STEP / math.dist(here, target)
        ahead = self.signed_distance(
            here[0] + share * (target[0] - here[0]), here[1] + share * (target[1] - here[1])
        )  # fmt: skip
        return ahead - before >= _STRAIGHT_IN * _STEP

    def _behind(self, edge: tuple[float, float], inwards: tuple[float, float]) -> tuple[float, float]:
        """Return the middle of what the polygon has behind an edge point, no deeper than the inset."""
        deep = (edge[0] + 2.0 * self.inset * inwards[0], edge[1] + 2.0 * self.inset * inwards[1])
        chord = shapely.intersection(shapely.LineString([edge, deep]), self._polygon)
        near = min(shapely.get_parts(chord), key=lambda part: shapely.distance(part, shapely.Point(edge)))
        middle = shapely.centroid(near)
        return float(middle.x), float(middle.y)


@lru_cache(maxsize=64)
def room_within(points: tuple[tuple[float, float], ...], margin: float) -> Any:
    """Return what of a polygon is so far (m) from its edge, as a geometry of shapely; all of it where nothing is.

    Args:
        points: (x, y) of each corner, m
        margin: m
    """
    whole = shapely.Polygon(points)
    room = whole.buffer(-margin, join_style="mitre")
    return whole if room.is_empty else room


def _somewhere(x: float, y: float) -> bool:
    """Return whether a position is finite and not so far away that its distances overflow."""
    return abs(x) <= _FARTHEST and abs(y) <= _FARTHEST


def _end(line: Any) -> tuple[float, float]:
    x, y = line.coords[1]
    return float(x), float(y)
