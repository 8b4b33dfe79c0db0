"""The markers that stand in arenas: which ArUco dictionary they are of."""

from __future__ import annotations

from typing import Any

import cv2

__all__ = ["MARKER_DICTIONARY", "marker_dictionary"]

MARKER_DICTIONARY = "DICT_4X4_50"


def marker_dictionary() -> Any:
    """Return the dictionary of the markers."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MARKER_DICTIONARY))
