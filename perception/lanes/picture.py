"""Pictures that show what a lane detector sees: the image, the floor from above, and the inks found on it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from arena_trees.perception.image import Rgb
from arena_trees.perception.lanes.birds_eye import BirdsEye, find_inks
from arena_trees.perception.lanes.calibration import LaneCalibration

__all__ = ["draw_sheet"]

_SIDE = 320
_UNSEEN = (90, 90, 90)
_LINE = (28, 0.5, (255, 255, 255))


def draw_sheet(images: Sequence[Rgb], views: Sequence[BirdsEye | None], calibration: LaneCalibration) -> Rgb:
    """Return a row of pictures for each image: itself, the floor from above, and its red, green and black, RGB.

    Args:
        images: RGB
        views: the floor in each, or None where none is seen
        calibration: defines what is red, green and black
    """
    rows = [_row(image, view, calibration) for image, view in zip(images, views, strict=True)]
    return np.vstack([_headings(len(rows[0][0]) // _SIDE), *rows])


def _row(image: Rgb, view: BirdsEye | None, calibration: LaneCalibration) -> Rgb:
    empty = np.zeros((_SIDE, _SIDE, 3), np.uint8)
    cells = [_fit(image)]
    if view is None:
        return np.hstack([*cells, empty, empty, empty, empty])
    inks = find_inks(view, calibration)
    cells.append(_floor(view.colours, view))
    for ink, colour in ((inks.red, (255, 40, 40)), (inks.green, (40, 255, 80)), (inks.black, (255, 255, 255))):
        cells.append(_floor((ink[..., None] * np.array(colour, np.float32)).astype(np.uint8), view))
    return np.hstack(cells)


def _floor(picture: Rgb, view: BirdsEye) -> Rgb:
    """Return a picture of the floor's cells, as long and wide as they are."""
    seen = np.where(view.seen[..., None], picture, np.array(_UNSEEN, np.uint8))
    return _fit(np.repeat(seen, max(1, round(view.grid.deep / view.grid.wide)), axis=0))


def _headings(count: int) -> Rgb:
    bar = np.zeros((40, _SIDE * count, 3), np.uint8)
    height, scale, colour = _LINE
    for number, text in enumerate(("image", "floor, light evened out", "red", "green", "black")):
        cv2.putText(bar, text, (_SIDE * number + 8, height), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv2.LINE_AA)
    return bar


def _fit(picture: Rgb) -> Rgb:
    """Return the picture in a square, as large as it fits."""
    height, width = picture.shape[:2]
    scale = _SIDE / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(np.ascontiguousarray(picture), size, interpolation=cv2.INTER_AREA)
    square = np.zeros((_SIDE, _SIDE, 3), np.uint8)
    square[: size[1], : size[0]] = small
    return square
