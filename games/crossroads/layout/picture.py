"""Pictures of a crossing's floor and of its markers, drawn from their description."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np

from arena_trees.games.crossroads.layout.floor import FLOOR, CrossingFloor
from arena_trees.world.markers import marker_dictionary
from arena_trees.world.textures import Picture

__all__ = ["draw_floor", "draw_marker"]


_RIM = 1.0 / 12.0
"""White rim of a marker's picture, as a share of the marker's side."""

_LARGEST_SIDE = 8192


def draw_floor(floor: CrossingFloor, metres_per_pixel: float) -> Picture:
    """Return the floor from above, edges smoothed, RGB; columns run along x, the lowest row is at -y.

    Args:
        floor: the crossing's floor
        metres_per_pixel: scale

    Raises:
        ValueError: the picture would have no pixels, or more than 8192 each way
    """
    side = round(2.0 * floor.half / metres_per_pixel) if metres_per_pixel > 0.0 else 0
    if not 1 <= side <= _LARGEST_SIDE:
        raise ValueError(f"a floor of {2.0 * floor.half:.2f} m does not fit at {metres_per_pixel!r} m a pixel")
    picture = np.full((side, side, 3), FLOOR, np.uint8)
    scale = side / (2.0 * floor.half)
    for stripe in floor.stripes:
        x = np.array([corner[0] for corner in stripe.corners])
        y = np.array([corner[1] for corner in stripe.corners])
        _fill(picture, (x + floor.half) * scale, (floor.half - y) * scale, stripe.colour)
    return picture


def _fill(picture: Picture, columns: Any, rows: Any, colour: tuple[int, int, int]) -> None:
    """Fill an upright rectangle, each pixel by the share of it that is covered."""
    cover = [_cover(values.min(), values.max(), picture.shape[axis]) for axis, values in ((0, rows), (1, columns))]
    (top, down), (left, across) = cover
    part = picture[top : top + len(down), left : left + len(across)]
    share = np.outer(down, across)[..., None]
    part[:] = np.rint(part * (1.0 - share) + np.asarray(colour) * share).astype(np.uint8)


def _cover(low: float, high: float, size: int) -> tuple[int, Any]:
    """Return the first of the pixels that an interval touches, and how much of each it covers."""
    first, last = max(0, math.floor(low)), min(size, math.ceil(high))
    pixels = np.arange(first, last)
    return first, np.clip(np.minimum(pixels + 1, high) - np.maximum(pixels, low), 0.0, 1.0)


def draw_marker(number: int, side: int, rim: float = _RIM) -> Picture:
    """Return the picture of a marker with a white rim, RGB.

    Args:
        number: of the marker
        side: of its black square, px
        rim: width of the white rim, as a share of that side
    """
    # OpenCV renamed the function in 4.7.
    aruco: Any = cv2.aruco
    draw = aruco.generateImageMarker if hasattr(aruco, "generateImageMarker") else aruco.drawMarker
    marker = np.asarray(draw(marker_dictionary(), number, side), np.uint8)
    return np.repeat(np.pad(marker, round(rim * side), constant_values=255)[..., None], 3, axis=2)
