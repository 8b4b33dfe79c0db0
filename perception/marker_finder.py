"""Finds the corners and numbers of ArUco markers and AprilTags, by whichever OpenCV is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["FoundMarkers", "marker_finder"]

FoundMarkers = list[tuple[int, NDArray[np.float64]]]
"""Number of each marker and its corners (px, shape (4, 2)): from the picture's upper left, clockwise."""


def marker_finder(dictionary: Any) -> Callable[[NDArray[np.uint8]], FoundMarkers]:
    """Return what finds the markers of a dictionary of OpenCV in a grey image, shape (height, width)."""
    # From OpenCV 4.7 on there is a class, before there were functions.
    aruco: Any = cv2.aruco
    modern = hasattr(aruco, "ArucoDetector")
    parameters = aruco.DetectorParameters() if modern else aruco.DetectorParameters_create()
    parameters.cornerRefinementMethod = aruco.CORNER_REFINE_SUBPIX
    if modern:
        detector = aruco.ArucoDetector(dictionary, parameters)
        return lambda grey: _pairs(detector.detectMarkers(grey))
    return lambda grey: _pairs(aruco.detectMarkers(grey, dictionary, parameters=parameters))


def _pairs(found: Any) -> FoundMarkers:
    corners, numbers = found[0], found[1]
    if numbers is None:
        return []
    fours = (np.asarray(four, np.float64).reshape(4, 2) for four in corners)
    return [(int(number), four) for number, four in zip(np.ravel(numbers), fours, strict=True)]
