"""The source system's reading of a lane: the centroids of red and of black in a slice of the image.

Its masks are its code's: red is hue 0 to 10 in OpenCV's units of 2 degrees, saturation and value 100 and more; black is
value 50 and less. They know nothing of the light, and a centroid counts whatever has the colour.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Rgb
from arena_trees.perception.lanes.floor_camera import FloorCamera
from arena_trees.robot.lane import SliceColumns

__all__ = ["FAR_SLICE", "NEAR_SLICE", "read_slice"]

NEAR_SLICE, FAR_SLICE = 5.0 / 6.0, 2.0 / 3.0
"""Where the lower and the middle slice begin, as shares of the image's height.

One of the report's robots has its middle slice at 1/2, which is the horizon of a camera that looks straight ahead. A
higher lower slice shows the red line of the road that crosses before the robot is at its line.
"""

_ROWS = 20
_RED_LOW, _RED_HIGH = (0, 100, 100), (10, 255, 255)
_BLACK_LOW, _BLACK_HIGH = (0, 0, 0), (180, 255, 50)


def read_slice(pixels: Rgb, camera: FloorCamera, begin: float, lane_width: float) -> SliceColumns | None:
    """Return what twenty rows of an image show of a lane; None where they show no floor.

    Args:
        pixels: RGB, uint8, of the camera's size
        camera: that took the image
        begin: where the rows begin, as a share of the height, from 0 to 1
        lane_width: from the red line's middle to the black one's, m
    """
    top = int(begin * camera.height)
    middle = (camera.width - 1) / 2.0
    part = np.ascontiguousarray(pixels[top : top + _ROWS])
    ahead = float(camera.to_floor(np.array([[middle, top + (len(part) - 1) / 2.0]]))[0, 0])
    if not np.isfinite(ahead):
        return None
    hsv = cv2.cvtColor(part, cv2.COLOR_RGB2HSV)
    red, black = cv2.inRange(hsv, _RED_LOW, _RED_HIGH), cv2.inRange(hsv, _BLACK_LOW, _BLACK_HIGH)
    edge = float(camera.to_pixels(np.array([[ahead, lane_width / 2.0]]))[0, 0])
    scale = camera.focal_length
    return SliceColumns(_centroid(red, middle, scale), _centroid(black, middle, scale), (middle - edge) / scale)


def _centroid(mask: NDArray[Any], middle: float, scale: float) -> float | None:
    """Return how far a mask's centroid is left of the middle column, in parts of a scale (px); None without pixels."""
    columns = np.nonzero(mask)[1]
    return (middle - float(columns.mean())) / scale if columns.size else None
