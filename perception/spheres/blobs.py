"""Where an image has a sphere's colour: a mask, and the outlines of its parts."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Rgb

__all__ = ["blue_mask", "outlines"]

_SHARE = 0.75
"""Blue is a pixel whose red and green are below this share of its blue ..."""

_MARGIN = 8.0
"""... by so much, of 255: noise in the dark is no colour."""

_MOST = 8
"""So many outlines are looked at, the longest first."""

_MARGIN_PX = 4
"""Around what every second pixel shows of a part, px."""


def blue_mask(image: Rgb) -> NDArray[np.uint8]:
    """Return 255 where a pixel is blue and 0 elsewhere, shape (height, width)."""
    red, green, blue = cv2.split(image)
    limit = cv2.convertScaleAbs(cv2.subtract(blue, np.array([_MARGIN / _SHARE])), alpha=_SHARE)
    return np.asarray(cv2.compare(limit, cv2.max(red, green), cv2.CMP_GT), np.uint8)


def outlines(image: Rgb, least: float) -> list[NDArray[np.float64]]:
    """Return the outlines of an image's blue parts, the longest first; px from its corner, shape (n, 2) each.

    Every second pixel of every second row tells where to look.

    Args:
        image: RGB, shape (height, width, 3)
        least: parts that are narrower and lower than this are left out, px
    """
    height, width = image.shape[:2]
    half = np.asarray(cv2.resize(image, (width // 2, height // 2), interpolation=cv2.INTER_NEAREST), np.uint8)
    found, _ = cv2.findContours(blue_mask(half), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    boxes = (cv2.boundingRect(one) for one in sorted(found, key=len, reverse=True)[: 2 * _MOST])
    drawn = [_outline(image, (x, y, wide, high)) for x, y, wide, high in boxes if 2 * max(wide, high) >= least]
    return [one for one in drawn if one is not None and np.ptp(one, axis=0).max() >= least][:_MOST]


def _outline(image: Rgb, box: tuple[int, int, int, int]) -> NDArray[np.float64] | None:
    """Return the longest outline within a box, which counts every second pixel."""
    x, y, wide, high = (2 * side for side in box)
    left, top = max(0, x - _MARGIN_PX), max(0, y - _MARGIN_PX)
    part = np.ascontiguousarray(image[top : y + high + _MARGIN_PX, left : x + wide + _MARGIN_PX])
    found, _ = cv2.findContours(blue_mask(part), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not found:
        return None
    return np.asarray(max(found, key=len)[:, 0, :] + np.array((left + 0.5, top + 0.5)), np.float64)
