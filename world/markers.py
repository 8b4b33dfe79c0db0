"""The ArUco markers that stand in arenas."""

from __future__ import annotations

from typing import Any

import cv2

__all__ = ["marker_dictionary"]

_NAME = "DICT_4X4_50"


def marker_dictionary() -> Any:
    """Return the dictionary of the markers."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, _NAME))
