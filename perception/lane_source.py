"""Document 003's own reading of a lane: two centroids in a slice of the image, and the error that it steered by.

Its formula, ``(w / 2 - r + (b - r) / 2)) / 100``, has one bracket too many. Read as
``(w / 2 - (r + (b - r) / 2)) / 100`` it is how far the middle between the lines is to the left of the image's middle,
which is what the text says and what the formula for one line, ``(w / 2 - (r + x)) / 100``, is as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Rgb

__all__ = ["SLICE_LOWER", "SLICE_MIDDLE", "SliceReading", "read_slice"]

SLICE_LOWER, SLICE_MIDDLE = 5.0 / 6.0, 1.0 / 2.0
"""Where slice 1 and slice 2 begin, as shares of the image's height; one robot had 2/3 for the second."""

_ROWS = 20
_RED_HUE = 10
"""Largest hue that is red, in OpenCV's units of 2 degrees; hues just below 180, red too, were not."""

_RED_LEAST = 100
"""Least saturation and value of red; the document gives none, and without them grey is red."""

_BLACK_MOST = 50
"""Largest value that is black."""


@dataclass(frozen=True, slots=True)
class SliceReading:
    """Centroids of a slice.

    Attributes:
        width: of the image, px
        red: column of the red pixels' centroid, px, None where there are none
        black: the same of the black pixels
    """

    width: int
    red: float | None
    black: float | None

    @property
    def error(self) -> float | None:
        """Error between the two lines, hundreds of pixels, positive to the left; None without both."""
        if self.red is None or self.black is None:
            return None
        return (self.width / 2.0 - (self.red + (self.black - self.red) / 2.0)) / 100.0

    def error_beside_red(self, aside: float) -> float | None:
        """Return the error by the red line alone, which shall be so many pixels to the left of the image's middle."""
        return None if self.red is None else (self.width / 2.0 - (self.red + aside)) / 100.0


def read_slice(pixels: Rgb, begin: float = SLICE_LOWER) -> SliceReading:
    """Return the centroids of red and black in twenty rows of an image.

    Args:
        pixels: RGB, uint8, shape (height, width, 3)
        begin: where the rows begin, as a share of the height, 0 to 1

    Raises:
        ValueError: the image has another shape or type, or there are no such rows
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        raise ValueError(f"an RGB image of bytes is needed, got {pixels.dtype} of shape {pixels.shape}")
    if not 0.0 <= begin < 1.0:
        raise ValueError(f"the slice must begin within the image, not at {begin!r} of its height")
    top = int(begin * pixels.shape[0])
    part = np.ascontiguousarray(pixels[top : top + _ROWS])
    hue, saturation, value = np.moveaxis(np.asarray(cv2.cvtColor(part, cv2.COLOR_RGB2HSV)), 2, 0)
    red = (hue <= _RED_HUE) & (saturation >= _RED_LEAST) & (value >= _RED_LEAST)
    return SliceReading(pixels.shape[1], _centroid(red), _centroid(value <= _BLACK_MOST))


def _centroid(mask: NDArray[np.bool_]) -> float | None:
    columns = np.nonzero(mask)[1]
    return float(columns.mean()) if columns.size else None
