"""Pictures that show the signs and nobody: all outside of the detections is blurred beyond recognition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from arena_trees.perception.image import Rgb
from arena_trees.robot.detections import Detection

__all__ = ["blurred_outside"]

_PATCHES = 10
"""Patches of one colour along the shorter side that are left of what is blurred; a face fills one or two."""

_MARGIN = 0.1
"""Share of a box's size that is added on each side: detectors cut edges off."""


def blurred_outside(picture: Rgb, boxes: Sequence[Detection]) -> Rgb:
    """Return a picture of which only the boxes are left sharp.

    What is blurred cannot be got back: it is averaged over a tenth of the picture's shorter side.

    Args:
        picture: shape (height, width, 3); not changed
        boxes: found in it
    """
    height, width = picture.shape[:2]
    patch = max(1, min(height, width) // _PATCHES)
    size = (max(1, round(width / patch)), max(1, round(height / patch)))
    coarse = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    result = np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    for box in boxes:
        half_width, half_height = (0.5 + _MARGIN) * box.width, (0.5 + _MARGIN) * box.height
        left, right = max(0, math.floor(box.x - half_width)), min(width, math.ceil(box.x + half_width))
        top, bottom = max(0, math.floor(box.y - half_height)), min(height, math.ceil(box.y + half_height))
        result[top:bottom, left:right] = picture[top:bottom, left:right]
    return result
