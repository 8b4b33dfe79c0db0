"""A camera that looks at the floor: from pixels to places on it and back.

Places are in base_link on the floor (m; x forward, y left). Columns and rows count from the centre of the first pixel,
rows downwards, as OpenCV counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["CameraPlace", "FloorCamera"]


class CameraPlace(Parameters):
    """Where a camera is and how wide it sees; the defaults are a TurtleBot 4's preview camera."""

    hfov_deg: float = parameter(42.0, "horizontal field of view", "deg", gt=1, lt=170)
    x: float = parameter(-0.06, "of the camera in base_link", "m", ge=-1, le=1)
    z: float = parameter(0.244, "height above the floor", "m", gt=0, le=5)
    pitch_deg: float = parameter(0.0, "by how much it looks down", "deg", ge=-30, le=80)


@dataclass(frozen=True)
class FloorCamera:
    """A camera without distortion, and the size (px) of its images.

    Attributes:
        place: where it is
        width: of an image, px
        height: of an image, px
    """

    place: CameraPlace
    width: int
    height: int

    @property
    def focal_length(self) -> float:
        """Focal length, px."""
        return self.width / 2.0 / math.tan(math.radians(self.place.hfov_deg) / 2.0)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The intrinsic matrix, shape (3, 3)."""
        focal = self.focal_length
        middle = ((self.width - 1) / 2.0, (self.height - 1) / 2.0)
        return np.array([[focal, 0.0, middle[0]], [0.0, focal, middle[1]], [0.0, 0.0, 1.0]])

    @cached_property
    def axes(self) -> NDArray[np.float64]:
        """The camera's right, down and forward axes in base_link as rows, shape (3, 3)."""
        pitch = math.radians(self.place.pitch_deg)
        cosine, sine = math.cos(pitch), math.sin(pitch)
        return np.array([[0.0, -1.0, 0.0], [-sine, 0.0, -cosine], [cosine, 0.0, -sine]])

    @cached_property
    def homography(self) -> NDArray[np.float64]:
        """Takes a place on the floor (x, y, 1) to its pixel, homogeneous, shape (3, 3)."""
        # A point of the floor relative to the camera is (x - mount, y, -height).
        relative = np.array([[1.0, 0.0, -self.place.x], [0.0, 1.0, 0.0], [0.0, 0.0, -self.place.z]])
        found: NDArray[np.float64] = self.matrix @ self.axes @ relative
        return found

    def to_pixels(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return columns and rows of places on the floor, shape (n, 2); NaN for those that are behind the camera."""
        return _map(self.homography, places)

    def to_floor(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the places on the floor that pixels (column, row) show, shape (n, 2); NaN at and above the horizon."""
        return _map(np.asarray(np.linalg.inv(self.homography), np.float64), pixels)

    def nearest(self) -> float:
        """Return how far (m) ahead of base_link the floor comes into the image."""
        bottom = np.array([[(self.width - 1) / 2.0, self.height - 1.0]])
        return float(self.to_floor(bottom)[0, 0])


def _map(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points mapped by a homography; NaN where that would be behind the camera."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    scale = np.where(mapped[:, 2] > 1e-9, mapped[:, 2], np.nan)
    result: NDArray[np.float64] = mapped[:, :2] / scale[:, None]
    return result
