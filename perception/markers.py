"""Finds ArUco markers in an image, and where those that face the robot are."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.image import Image, Rgb
from arena_trees.perception.lanes.floor_camera import CameraPlace, FloorCamera
from arena_trees.perception.marker_finder import marker_finder
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import wrap
from arena_trees.robot.lane import MarkerDetection, MarkerDetections
from arena_trees.world.markers import marker_dictionary

__all__ = ["MarkerDetector"]

_SMALLEST_SIDE, _LARGEST_SIDE = 720, 1280
"""Smaller images (px) are made larger first, up to four times, else small markers' corners are off by half a pixel and
a marker 3 m away by 0.2 m; larger images are made smaller, since the search takes as long as there are pixels."""

_MOST = 50
_LEAST_SIDE = 20.0
"""Markers whose shortest side is shorter (px, once the image was resized) are too small to tell where they are."""


class MarkerDetector:
    """Finds markers of the dictionary DICT_4X4_50 that stand upright; keeps nothing from image to image.

    Args:
        camera: where the camera is
        size: side of a marker's black square, m
        oblique_deg: a marker seen from farther off its normal does not face the robot

    Raises:
        ConfigError: a number cannot be used
    """

    def __init__(self, camera: CameraPlace | None = None, size: float = 0.18, oblique_deg: float = 50.0) -> None:
        if not 0.0 < size <= 1.0:
            raise ConfigError("must be above 0 and at most 1 m", key="size", value=size)
        if not 0.0 < oblique_deg < 90.0:
            raise ConfigError("must be above 0 and below 90", key="oblique_deg", value=oblique_deg)
        self._place = camera or CameraPlace()
        self._size = size
        self._oblique = math.radians(oblique_deg)
        self._find = marker_finder(marker_dictionary())
        half = size / 2.0
        self._corners = np.array([[-half, half, 0.0], [half, half, 0.0], [half, -half, 0.0], [-half, -half, 0.0]])

    def detect(self, image: Image) -> MarkerDetections:
        """Return the markers in an image that face the robot; of two with one number the nearer.

        Raises:
            ImageError: the image contradicts itself, or is of a kind or size that is not looked at
        """
        pixels = _resized(image.rgb())
        camera = FloorCamera(self._place, pixels.shape[1], pixels.shape[0])
        found: dict[int, MarkerDetection] = {}
        for number, corners in self._find(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8))[:_MOST]:
            marker = self._locate(camera, corners, number)
            if marker is None or not self._faces(marker):
                continue
            if marker.number not in found or marker.distance < found[marker.number].distance:
                found[marker.number] = marker
        markers = tuple(found[number] for number in sorted(found))
        return MarkerDetections(image.stamp, image.arrival, image.sequence, markers)

    def _locate(self, camera: FloorCamera, corners: NDArray[np.float64], number: int) -> MarkerDetection | None:
        """Return where a marker is, from its four corners (px): a plane's pose (IPPE for squares)."""
        sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
        if sides.min() < _LEAST_SIDE:
            return None
        solved, turn, shift = cv2.solvePnP(self._corners, corners, camera.matrix, None, flags=cv2.SOLVEPNP_IPPE_SQUARE)
        if not solved or not np.isfinite(shift).all():
            return None
        place = camera.axes.T @ np.asarray(shift, np.float64).ravel()
        normal = camera.axes.T @ np.asarray(cv2.Rodrigues(turn)[0], np.float64)[:, 2]
        x, y = float(place[0]) + camera.place.x, float(place[1])
        return MarkerDetection(number, x, y, math.atan2(float(normal[1]), float(normal[0])))

    def _faces(self, marker: MarkerDetection) -> bool:
        towards = math.atan2(-marker.y, self._place.x - marker.x)
        return marker.x > self._place.x and abs(wrap(marker.facing - towards)) <= self._oblique


def _resized(pixels: Rgb) -> Rgb:
    side = max(pixels.shape[:2])
    scale = min(4.0, max(1.0, _SMALLEST_SIDE / side)) * min(1.0, _LARGEST_SIDE / side)
    size = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
    way = cv2.INTER_CUBIC if scale > 1.0 else cv2.INTER_AREA
    return np.asarray(cv2.resize(np.ascontiguousarray(pixels), size, interpolation=way), np.uint8)
