"""A tag's corners to a fraction of a pixel: where its four sides meet, each a line through its edge.

OpenCV looks at the surroundings of each corner, where the cells of a small tag are near: it errs by half a pixel. Along
the sides there are only the tag's black frame and its white rim.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["refine_corners"]

_SAMPLES = 24
"""Places along a side where its edge is looked for."""

_ENDS = 0.12
"""Share of a side at either end that is left out: the next side is near."""

_FIRST_REACH, _REACH = 1.0, 0.6
"""How far to either side of the edge is looked at, in cells, at first and then: frame and rim are one cell wide."""

_STEP_PX = 0.5
"""Between the places across an edge that are looked at, at most."""

_ROUNDS = 3
_OUTLYING = 2.5
"""Points that are off a side's line by more than so many times the median are left out."""

_LEAST_CONTRAST = 10.0
"""Grey levels between frame and rim below which there is no edge."""


def refine_corners(grey: NDArray[np.uint8], corners: NDArray[np.float64], cells: int) -> NDArray[np.float64] | None:
    """Return a tag's corners, found anew near where they were found, px, shape (4, 2); None without clear edges.

    An edge is at first where the brightness rises most, and then where the mean of its slope is, which blur does not
    move.

    Args:
        grey: the image, shape (height, width)
        corners: columns and rows from the picture's upper left clockwise, px, shape (4, 2)
        cells: of the tag each way, its black frame included
    """
    cell_px = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean() / cells
    found = corners
    for turn in range(_ROUNDS):
        lines = [_edge(grey, np.roll(found, -side, axis=0), cells, turn == 0) for side in range(4)]
        met = [_intersection(lines[side - 1], lines[side]) for side in range(4)]
        if any(point is None for point in met):
            return None
        found = np.array(met, np.float64)
        if not np.abs(found - corners).max() < _FIRST_REACH * cell_px:
            return None
    return found


def _edge(
    grey: NDArray[np.uint8], corners: NDArray[np.float64], cells: int, first: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return a point of the first side's edge and its direction, each shape (2,); None where there is no edge."""
    start, along = corners[0], corners[1] - corners[0]
    length = float(np.linalg.norm(along))
    if length < cells:
        return None
    # Corners go clockwise in the image, rows downwards: outside is to the left of the way.
    outward = np.array([along[1], -along[0]]) / length
    # Frame and rim are as wide as the tag is deep here, which is less than the side is long where that is seen askew.
    deep = abs(float(outward @ (corners[2] + corners[3] - corners[0] - corners[1]))) / 2.0
    reach = (_FIRST_REACH if first else _REACH) * deep / cells
    offsets = np.linspace(-reach, reach, 2 * math.ceil(reach / _STEP_PX) + 1)
    middles = start + np.linspace(_ENDS, 1.0 - _ENDS, _SAMPLES)[:, None] * along
    places = (middles[:, None] + offsets[:, None] * outward).astype(np.float32)
    bright = np.asarray(cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR), np.float64)
    slopes = np.diff(bright, axis=1)
    if first:
        slopes = np.where(slopes == slopes.max(axis=1, keepdims=True), slopes, 0.0)
    rise = slopes.sum(axis=1)
    clear = rise > _LEAST_CONTRAST
    if clear.sum() < _SAMPLES // 2:
        return None
    centres = (offsets[1:] + offsets[:-1]) / 2.0
    edge = middles[clear] + ((slopes[clear] @ centres) / rise[clear])[:, None] * outward
    middle, direction = _line(edge)
    # What stands on the edge, or beside the rim, is no part of the line.
    off = np.abs((edge - middle) @ (-direction[1], direction[0]))
    near = off <= max(_STEP_PX, _OUTLYING * float(np.median(off)))
    return _line(edge[near])


def _line(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middle of points, and the direction of the line through them (total least squares)."""
    middle = points.mean(axis=0)
    direction: NDArray[np.float64] = np.linalg.svd(points - middle)[2][0]
    return middle, direction


def _intersection(
    first: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    second: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> NDArray[np.float64] | None:
    """Return where two lines meet, px, shape (2,); None where they do not."""
    if first is None or second is None:
        return None
    matrix = np.stack([first[1], -second[1]], axis=-1)
    if abs(np.linalg.det(matrix)) < 0.05:
        return None
    meeting: NDArray[np.float64] = first[0] + np.linalg.solve(matrix, second[0] - first[0])[0] * first[1]
    return meeting
