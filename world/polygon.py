"""Polygons that people give: checked point by point, so that an error says where it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from arena_trees.robot.errors import ConfigError

__all__ = ["MAXIMUM_POINTS", "checked_polygon"]

MAXIMUM_POINTS = 1000
"""A polygon with more points is refused: no arena needs it, and each tick measures against all of them."""

MAXIMUM_COORDINATE = 1e5
"""Metres; points farther from the origin are refused, since areas and products would lose their digits."""

MINIMUM_AREA = 1e-6
"""Square metres; points whose hull is smaller lie on a line."""


def checked_polygon(points: Any, file: str | Path | None = None, key: str | None = None) -> Any:
    """Return the simple polygon through the points, as a ``shapely.Polygon``.

    A closing point equal to the first is accepted and dropped.

    Args:
        points: (x, y) of each corner, m, in either sense of rotation
        file: named in errors
        key: dotted path of the points inside the file; an error adds the index of the point

    Raises:
        ConfigError: there are fewer than 3 or more than 1000 points, or one is not a pair of finite
            numbers, or two are equal, or all lie on a line, or two edges cross or touch
    """
    corners = _checked_points(points, file, key)
    polygon = shapely.Polygon(corners)
    if polygon.convex_hull.area < MINIMUM_AREA:
        raise ConfigError("has no area: all its points lie on a line", file=file, key=key, value=corners)
    if not polygon.is_valid:
        first, second = _meeting(corners)
        reason = f"crosses itself: the edge from point {first} meets the edge from point {second}"
        raise ConfigError(reason, file=file, key=_at(key, first), value=corners[first])
    return polygon


def _checked_points(points: Any, file: str | Path | None, key: str | None) -> list[tuple[float, float]]:
    if not isinstance(points, (Sequence, np.ndarray)) or isinstance(points, (str, bytes)):
        raise ConfigError("must be a list of points [x, y]", file=file, key=key, value=points)
    if len(points) > MAXIMUM_POINTS:
        reason = f"has {len(points)} points; at most {MAXIMUM_POINTS} are accepted"
        raise ConfigError(reason, file=file, key=key)
    corners = [_checked_point(point, file, _at(key, index)) for index, point in enumerate(points)]
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    if len(corners) < 3:
        reason = f"has {len(corners)} different points; at least 3 are needed"
        raise ConfigError(reason, file=file, key=key, value=corners)
    seen: dict[tuple[float, float], int] = {}
    for index, corner in enumerate(corners):
        if corner in seen:
            reason = f"point {index} repeats point {seen[corner]}"
            raise ConfigError(reason, file=file, key=_at(key, index), value=corner)
        seen[corner] = index
    return corners


def _checked_point(point: Any, file: str | Path | None, key: str) -> tuple[float, float]:
    is_list = isinstance(point, (Sequence, np.ndarray)) and not isinstance(point, (str, bytes))
    numbers = list(point) if is_list else []
    if len(numbers) != 2 or any(isinstance(n, (bool, np.bool_)) or not isinstance(n, Real) for n in numbers):
        raise ConfigError("must be a pair of numbers [x, y]", file=file, key=key, value=point)
    try:
        x, y = float(numbers[0]), float(numbers[1])
    except OverflowError:
        x = y = math.inf
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ConfigError("point is not finite", file=file, key=key, value=point)
    if max(abs(x), abs(y)) > MAXIMUM_COORDINATE:
        reason = f"point is more than {MAXIMUM_COORDINATE:g} m from the origin"
        raise ConfigError(reason, file=file, key=key, value=point)
    # Adding zero makes -0.0 equal to 0.0 in print as well.
    return x + 0.0, y + 0.0


def _meeting(corners: list[tuple[float, float]]) -> tuple[int, int]:
    """Return the first two edges, by their first points, that meet elsewhere than at a shared corner."""
    count = len(corners)
    ends = np.asarray(corners)
    edges = shapely.linestrings(np.stack([ends, np.roll(ends, -1, axis=0)], axis=1))
    pairs = shapely.STRtree(edges).query(edges, predicate="intersects").T
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    for first, second in pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].tolist():
        neighbours = second - first in (1, count - 1)
        if not neighbours or shapely.intersection(edges[first], edges[second]).length > 0.0:
            return first, second
    raise AssertionError("a polygon that is not valid has two edges that meet")


def _at(key: str | None, index: int) -> str:
    return str(index) if key is None else f"{key}.{index}"
