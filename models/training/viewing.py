"""The camera of a synthetic scene, and flat square cards in front of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["Card", "ViewCamera", "share_inside"]

Array = NDArray[np.float64]

_NEAREST = 0.05
"""Nothing with a corner nearer to the camera's plane than this (m) has a picture."""


@dataclass(frozen=True, slots=True)
class ViewCamera:
    """A pinhole camera above the origin of a floor; x ahead, y to the left, z up, in metres.

    Attributes:
        image_px: width and height of the image
        focal_px: focal length
        height: above the floor, m
        pitch: downwards positive, rad
        roll: to the right positive, rad
    """

    image_px: int
    focal_px: float
    height: float
    pitch: float
    roll: float

    @property
    def position(self) -> Array:
        """Where the camera is, shape (3,)."""
        return np.array([0.0, 0.0, self.height])

    def rotation(self) -> Array:
        """Return the matrix from the floor's axes to the camera's (ahead, left, up), shape (3, 3)."""
        cp, sp = math.cos(self.pitch), math.sin(self.pitch)
        cr, sr = math.cos(self.roll), math.sin(self.roll)
        tilt = np.array([[cp, 0.0, -sp], [0.0, 1.0, 0.0], [sp, 0.0, cp]])
        lean = np.array([[1.0, 0.0, 0.0], [0.0, cr, sr], [0.0, -sr, cr]])
        return np.asarray(lean @ tilt)

    def project(self, points: Array) -> Array | None:
        """Return where points appear.

        Args:
            points: shape (n, 3), m

        Returns:
            columns and rows (px, origin at the image's upper left corner), shape (n, 2), or None where
            any of the points is too near or behind
        """
        ahead, left, up = (self.rotation() @ (points - self.position).T)[:3]
        if ahead.min() < _NEAREST:
            return None
        middle = self.image_px / 2.0
        return np.stack([middle - self.focal_px * left / ahead, middle - self.focal_px * up / ahead], axis=1)

    def point_at(self, column: float, row: float, ahead: float) -> Array:
        """Return the point at a distance ``ahead`` (m) along the camera's axis that appears at a pixel."""
        middle = self.image_px / 2.0
        seen = np.array([1.0, (middle - column) / self.focal_px, (middle - row) / self.focal_px]) * ahead
        return np.asarray(self.rotation().T @ seen + self.position)


@dataclass(frozen=True, slots=True)
class Card:
    """A square card.

    Attributes:
        centre: shape (3,), m
        size: side, m
        normal: unit vector out of its printed face, shape (3,)
        up: unit vector towards its upper edge, shape (3,)
    """

    centre: Array
    size: float
    normal: Array
    up: Array

    @classmethod
    def facing(cls, centre: Array, size: float, yaw: float, lean: float = 0.0, roll: float = 0.0) -> Card:
        """Return a card whose printed face looks along a direction.

        Args:
            centre: shape (3,), m
            size: side, m
            yaw: direction of the normal in the plane of the floor, rad
            lean: of the normal above that plane, rad
            roll: about the normal, rad
        """
        normal = np.array([math.cos(yaw) * math.cos(lean), math.sin(yaw) * math.cos(lean), math.sin(lean)])
        level = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
        upright = np.cross(normal, level)
        up = math.cos(roll) * upright + math.sin(roll) * level
        return cls(centre, size, normal, up)

    def corners(self) -> Array:
        """Return its corners clockwise from the upper left, as its reader sees them; shape (4, 3)."""
        right = np.cross(self.up, self.normal) * self.size / 2.0
        up = self.up * self.size / 2.0
        return np.stack(
            [self.centre - right + up, self.centre + right + up, self.centre + right - up, self.centre - right - up]
        )

    def obliqueness(self, camera: ViewCamera) -> float:
        """Return the angle (rad) between its normal and the line to the camera; over a quarter turn: its back."""
        line = camera.position - self.centre
        return math.acos(max(-1.0, min(1.0, float(line @ self.normal) / float(np.linalg.norm(line)))))


def share_inside(corners: Array, image_px: int) -> float:
    """Return which share of a convex outline's area lies within a square image.

    Args:
        corners: columns and rows, shape (n, 2), px
        image_px: side of the image
    """
    outline = corners.astype(np.float32)
    whole = cv2.contourArea(outline)
    if whole <= 0.0:
        return 0.0
    end = float(image_px)
    frame = np.array([[0.0, 0.0], [end, 0.0], [end, end], [0.0, end]], np.float32)
    return float(cv2.intersectConvexConvex(outline, frame)[0]) / whole
