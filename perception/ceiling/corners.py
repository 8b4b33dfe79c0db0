"""A tag's corners to a fraction of a pixel: where its four sides meet, each a line through its edge.

OpenCV looks at the surroundings of each corner, where the cells of a small tag are near: it errs by half a pixel. Along
the sides there are only the tag's black frame and its white rim.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["refine_corners"]

_SAMPLES = 24
"""Places along a side where its edge is looked for."""

_ENDS = 0.12
"""Share of a side at either end that is left out: the next side is near."""

_REACH = 0.6
"""How far to either side of the edge is looked at, in cells: frame and rim are one cell wide."""

_STEPS = 17
_ROUNDS = 2
_LEAST_CONTRAST = 10.0
"""Grey levels between frame and rim below which there is no edge."""


def refine_corners(grey: NDArray[np.uint8], corners: NDArray[np.float64], cells: int) -> NDArray[np.float64]:
    """Return a tag's corners, found anew near where they were found; as they were where there are no clear edges.

    An edge is where the mean of the brightness's slope is, which blur does not move.

    Args:
        grey: the image, shape (height, width)
        corners: columns and rows from the picture's upper left clockwise, px, shape (4, 2)
        cells: of the tag each way, its black frame included
    """
    found = corners
    for _ in range(_ROUNDS):
        lines = [_edge(grey, found[side], found[(side + 1) % 4], cells) for side in range(4)]
        met = [_intersection(lines[side - 1], lines[side]) for side in range(4)]
        fresh = np.array([point if point is not None else (np.nan, np.nan) for point in met])
        side_px = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean()
        if not np.abs(fresh - corners).max() < _REACH * side_px / cells:
            return corners
        found = fresh
    return found


def _edge(
    grey: NDArray[np.uint8], start: NDArray[np.float64], end: NDArray[np.float64], cells: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return a point of a side's edge and its direction, each shape (2,); None where there is no edge."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length < cells:
        return None
    # Corners go clockwise in the image, rows downwards: outside is to the left of the way.
    outward = np.array([along[1], -along[0]]) / length
    offsets = np.linspace(-_REACH, _REACH, _STEPS) * length / cells
    middles = start + np.linspace(_ENDS, 1.0 - _ENDS, _SAMPLES)[:, None] * along
    places = (middles[:, None] + offsets[:, None] * outward).astype(np.float32)
    bright = np.asarray(cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR), np.float64)
    slopes = np.diff(bright, axis=1)
    rise = slopes.sum(axis=1)
    clear = rise > _LEAST_CONTRAST
    if clear.sum() < _SAMPLES // 2:
        return None
    centres = (offsets[1:] + offsets[:-1]) / 2.0
    edge = middles[clear] + ((slopes[clear] @ centres) / rise[clear])[:, None] * outward
    middle = edge.mean(axis=0)
    direction: NDArray[np.float64] = np.linalg.svd(edge - middle)[2][0]
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
