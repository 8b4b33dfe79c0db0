"""The markers that stand in arenas or are seen from their ceilings: of which dictionaries they are, and their cells."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MARKER_DICTIONARY",
    "TAG_CELLS",
    "TAG_DICTIONARY",
    "TAG_NUMBERS",
    "marker_cells",
    "marker_dictionary",
    "tag_dictionary",
]

MARKER_DICTIONARY = "DICT_4X4_50"

TAG_DICTIONARY = "DICT_APRILTAG_36h11"
"""Of what a camera on the ceiling looks for. OpenCV turns each tag otherwise than the pictures of the AprilTag project
do: print those of ``arena-trees print-markers``."""

TAG_CELLS = 8
"""Cells of a tag each way, its black frame included."""

TAG_NUMBERS = 587
"""How many tags there are, numbered from 0."""


def marker_dictionary() -> Any:
    """Return the dictionary of the markers that stand in arenas."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))


def tag_dictionary() -> Any:
    """Return the dictionary of the tags that a camera on the ceiling looks for."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, TAG_DICTIONARY))


def marker_cells(dictionary: Any, number: int) -> NDArray[np.bool_]:
    """Return which cells of a marker are white, row by row from the top, its black frame of one cell included.

    Args:
        dictionary: of OpenCV
        number: of the marker in it
    """
    bits = type(dictionary).getBitsFromByteList(dictionary.bytesList[number : number + 1], dictionary.markerSize)
    return np.pad(np.asarray(bits, np.bool_), 1)
