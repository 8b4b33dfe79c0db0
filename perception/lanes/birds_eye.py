"""The floor before a robot from above, with its light evened out, and how much each place is of each ink."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Rgb
from arena_trees.perception.lanes.calibration import BlackInk, ColouredInk, LaneCalibration
from arena_trees.perception.lanes.floor_camera import FloorCamera

__all__ = ["BirdsEye", "Grid", "Inks", "find_inks", "look_down"]

_WINDOW = 0.13
"""Lines are narrower than this (m); what is wider is floor, whatever its colour."""

_DARKEST = 12.0
"""A floor darker than this (of 255) is not made brighter: only noise would be seen."""

_EDGE_PX = 1.5
"""A place nearer (px) to the image's edge does not count as seen."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells on the floor in base_link: rows from far to near, columns from left to right.

    Attributes:
        near: x of the nearest row, m
        far: x that no row reaches, m
        half: half of the width, m
        deep: length of a cell along x, m
        wide: width of a cell along y, m
    """

    near: float
    far: float
    half: float = 0.9
    deep: float = 0.01
    wide: float = 0.005

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return max(1, round((self.far - self.near) / self.deep)), round(2.0 * self.half / self.wide)

    @property
    def x(self) -> NDArray[np.float64]:
        """Middle of each row, m, forward."""
        return np.asarray(self.near + self.deep * (self.shape[0] - 0.5 - np.arange(self.shape[0])), np.float64)

    @property
    def y(self) -> NDArray[np.float64]:
        """Middle of each column, m, left."""
        return np.asarray(self.half - self.wide * (np.arange(self.shape[1]) + 0.5), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class BirdsEye:
    """The floor from above.

    Attributes:
        grid: where each cell is
        colours: RGB, 255 for what is as bright as the floor around, shape (rows, columns, 3)
        seen: whether a cell is in the image, shape (rows, columns)
    """

    grid: Grid
    colours: Rgb
    seen: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Inks:
    """How much each cell is of each ink, 0 to 1, shape (rows, columns)."""

    red: NDArray[np.float32]
    green: NDArray[np.float32]
    black: NDArray[np.float32]


def look_down(image: Rgb, camera: FloorCamera, grid: Grid) -> BirdsEye:
    """Return the floor from above, its light evened out.

    Each colour is divided by the floor's around, which is what is left of the picture once everything narrower than
    a hand was filled up (a grey closing) and cut off (an opening). So brightness, colour of the light, shadows and wide
    glare drop out, and walls and robots, which are wide, count as floor.

    Args:
        image: RGB, uint8, shape (height, width, 3)
        camera: that took it
        grid: cells to look at
    """
    to_image, seen, nearest = _places(camera, grid)
    size = (grid.shape[1], grid.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    above = np.asarray(cv2.warpPerspective(np.ascontiguousarray(image), to_image, size, flags=flags), np.uint8)
    if not seen.any():
        return BirdsEye(grid, np.full_like(above, 255), seen)
    # Beside the image goes on what is at its edge: else a shadow's last corner would look like a line.
    above = above.reshape(-1, 3)[nearest].reshape(above.shape)
    above = np.asarray(cv2.blur(above, (3, 3)), np.uint8)
    window = np.ones((_odd(_WINDOW / grid.deep), _odd(_WINDOW / grid.wide)), np.uint8)
    floor = cv2.morphologyEx(cv2.morphologyEx(above, cv2.MORPH_CLOSE, window), cv2.MORPH_OPEN, window)
    even = 255.0 * above / np.maximum(floor, _DARKEST)
    return BirdsEye(grid, np.clip(np.rint(even), 0.0, 255.0).astype(np.uint8), seen)


def find_inks(view: BirdsEye, calibration: LaneCalibration) -> Inks:
    """Return how much each cell is of each ink."""
    hsv = np.asarray(cv2.cvtColor(view.colours, cv2.COLOR_RGB2HSV), np.float32)
    hue, saturation, value = 2.0 * hsv[..., 0], hsv[..., 1] / 255.0, hsv[..., 2] / 255.0
    red, green = (_coloured(hue, saturation, value, ink) for ink in (calibration.red, calibration.green))
    black = _dark(saturation, value, calibration.black)
    return Inks(*(np.where(view.seen, ink, np.float32(0.0)).astype(np.float32) for ink in (red, green, black)))


def _coloured(
    hue: NDArray[np.float32], saturation: NDArray[np.float32], value: NDArray[np.float32], ink: ColouredInk
) -> NDArray[np.float32]:
    off = np.abs((hue - np.float32(ink.hue_deg) + 180.0) % 360.0 - 180.0)
    full = np.clip((saturation - ink.saturation_from) / (ink.saturation_full - ink.saturation_from), 0.0, 1.0)
    # Hardly lit pixels have a hue only by chance.
    return np.where((off <= ink.tolerance_deg) & (value > 0.25), full, 0.0).astype(np.float32)


def _dark(saturation: NDArray[np.float32], value: NDArray[np.float32], ink: BlackInk) -> NDArray[np.float32]:
    full = np.clip((ink.value_to - value) / (ink.value_to - ink.value_full), 0.0, 1.0)
    coloured = (saturation > ink.saturation_to) & (value > 0.3)
    return np.where(coloured, 0.0, full).astype(np.float32)


@lru_cache(maxsize=16)
def _places(camera: FloorCamera, grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """Return what takes a cell (column, row) to its pixel, which cells are in the image, and each one's nearest seen.

    The nearest one is the number, counted row by row, of a cell in the same row, or in the nearest one that is seen.
    """
    rows, columns = grid.shape
    to_floor = np.array(
        [
            [0.0, -grid.deep, grid.near + grid.deep * (rows - 0.5)],
            [-grid.wide, 0.0, grid.half - grid.wide / 2.0],
            [0.0, 0.0, 1.0],
        ]
    )
    x, y = np.meshgrid(grid.x, grid.y, indexing="ij")
    pixels = camera.to_pixels(np.column_stack([x.ravel(), y.ravel()])).reshape(rows, columns, 2)
    limits = np.array([camera.width, camera.height]) - 1.0 - _EDGE_PX
    with np.errstate(invalid="ignore"):
        seen: NDArray[np.bool_] = np.all((pixels >= _EDGE_PX) & (pixels <= limits), axis=2)
    matrix: NDArray[np.float64] = camera.homography @ to_floor
    return matrix, seen, _nearest(seen)


def _nearest(seen: NDArray[np.bool_]) -> NDArray[np.int64]:
    rows, columns = seen.shape
    full = np.flatnonzero(seen.any(axis=1))
    if not full.size:
        return np.arange(rows * columns)
    row = full[np.abs(np.arange(rows)[:, None] - full).argmin(axis=1)]
    first = seen[row].argmax(axis=1)
    last = columns - 1 - seen[row, ::-1].argmax(axis=1)
    column = np.clip(np.arange(columns), first[:, None], last[:, None])
    numbers: NDArray[np.int64] = (row[:, None] * columns + column).ravel()
    return numbers


def _odd(size: float) -> int:
    return 2 * max(1, round(size / 2.0)) + 1
