"""The source system's distance: from the pixels of a circle's leftmost and rightmost points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.circles import Circle
from arena_trees.world.pinhole import Pinhole

__all__ = ["barrel_pixel", "camera_matrix", "source_distance"]


def camera_matrix(pinhole: Pinhole) -> NDArray[np.float64]:
    """Return the intrinsic matrix K of a camera, px, shape (3, 3)."""
    focal = pinhole.focal_length
    return np.array(((focal, 0.0, pinhole.width / 2.0), (0.0, focal, pinhole.height / 2.0), (0.0, 0.0, 1.0)))


def source_distance(circle: Circle, pinhole: Pinhole, diameter: float) -> float:
    """Return how far away a sphere is, m: z = D / |r~ - l~|, where r~ = K^-1 (c_x + r, c_y, 1) and l~ the other side.

    Args:
        circle: in the image
        pinhole: optics of the camera
        diameter: that the sphere is assumed to have, m
    """
    ends = np.array([(circle.x - circle.radius, circle.y, 1.0), (circle.x + circle.radius, circle.y, 1.0)])
    left, right = np.linalg.solve(camera_matrix(pinhole), ends.T).T
    return diameter / float(np.linalg.norm(right - left))


def barrel_pixel(pinhole: Pinhole, below: float) -> tuple[float, float]:
    """Return column and row (px) of the barrel's reference pixel: [0, 0, 1, 1] under P = K [I | (0, below, 0)].

    Args:
        pinhole: optics of the camera
        below: height of the camera above the barrel, m
    """
    matrix = np.hstack([np.eye(3), np.array([[0.0], [below], [0.0]])])
    column, row, scale = camera_matrix(pinhole) @ matrix @ np.array((0.0, 0.0, 1.0, 1.0))
    return float(column / scale), float(row / scale)
