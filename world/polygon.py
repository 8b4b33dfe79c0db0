"""Polygons that people give: checked point by point, so that an error reports its place."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import shapely
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from arena_trees.robot.configuration.parameters import FROM_LIST
from arena_trees.robot.configuration.yaml_files import first_error
from arena_trees.robot.errors import ConfigError

__all__ = ["checked_polygon"]

MAXIMUM_POINTS = 1000
"""A polygon with more points is refused: no arena needs it, and each tick measures against all of them."""

MINIMUM_AREA = 1e-6
"""Square metres; points whose hull is smaller lie on a line."""

# Farther from the origin, m, areas and products would lose their digits.
_Coordinate = Annotated[float, Field(ge=-1e5, le=1e5)]
_POINTS = TypeAdapter(
    Annotated[
        tuple[Annotated[tuple[_Coordinate, _Coordinate], FROM_LIST], ...], FROM_LIST, Field(max_length=MAXIMUM_POINTS)
    ],
    config=ConfigDict(strict=True, allow_inf_nan=False),
)


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
    try:
        given = _POINTS.validate_python(points.tolist() if isinstance(points, np.ndarray) else points)
    except ValidationError as error:
        found, reason, value = first_error(error)
        raise ConfigError(reason, file=file, key=_under(key, found), value=value) from error
    # Adding zero makes -0.0 equal to 0.0 in print as well.
    corners = [(x + 0.0, y + 0.0) for x, y in given]
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    if len(corners) < 3:
        reason = f"has {len(corners)} different points; at least 3 are needed"
        raise ConfigError(reason, file=file, key=key, value=corners)
    seen: dict[tuple[float, float], int] = {}
    for index, corner in enumerate(corners):
        first = seen.setdefault(corner, index)
        if first < index:
            reason = f"point {index} repeats point {first}"
            raise ConfigError(reason, file=file, key=_under(key, str(index)), value=corner)
    polygon = shapely.Polygon(corners)
    if polygon.convex_hull.area < MINIMUM_AREA:
        raise ConfigError("has no area: all its points lie on a line", file=file, key=key, value=corners)
    if not polygon.is_valid:
        # Such as "Self-intersection[1.5 2]".
        place = shapely.is_valid_reason(polygon).partition("[")[2].rstrip("]")
        raise ConfigError(f"crosses or touches itself at x, y = {place}", file=file, key=key)
    return polygon


def _under(key: str | None, inner: str) -> str:
    return inner if key is None else ".".join(filter(None, (key, inner)))
