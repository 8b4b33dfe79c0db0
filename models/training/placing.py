"""Where the cards of a synthetic scene stand, hang or are carried, for the width that they shall have in the image."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.models.training.ranges import SceneRanges
from arena_trees.models.training.surroundings import surface_colour
from arena_trees.models.training.viewing import Card, ViewCamera
from arena_trees.world.body import TURTLEBOT4

__all__ = ["place_carried", "place_hanging", "place_standing"]

Array = NDArray[np.float64]


def place_standing(camera: ViewCamera, pixels: float, ranges: SceneRanges, rng: np.random.Generator) -> Card:
    """Return a card that stands on the floor."""
    size = rng.uniform(0.12, 0.28)
    ahead = camera.focal_px * size / pixels
    left = ahead * (rng.uniform(-0.1, 1.1) - 0.5) * camera.image_px / camera.focal_px
    centre = np.array([ahead, left, size / 2.0 + rng.choice([0.0, rng.uniform(0.0, 0.05)])])
    return Card.facing(centre, size, _towards_camera(centre) + _oblique(ranges, rng))


def place_hanging(camera: ViewCamera, pixels: float, ranges: SceneRanges, rng: np.random.Generator) -> Card:
    """Return a card anywhere in the view, turned any way."""
    size = 0.21
    place = rng.uniform(-0.1, 1.1, 2) * camera.image_px
    centre = camera.point_at(float(place[0]), float(place[1]), camera.focal_px * size / pixels)
    lean = math.radians(rng.uniform(-25.0, 25.0)) if rng.random() < 0.5 else 0.0
    roll = math.radians(rng.uniform(*ranges.roll_deg)) if rng.random() < 0.7 else 0.0
    return Card.facing(centre, size, _towards_camera(centre) + _oblique(ranges, rng), lean, roll)


def place_carried(
    camera: ViewCamera, pixels: float, rng: np.random.Generator
) -> tuple[list[Card], tuple[Array, Array] | None]:
    """Return the four faces of the box that a robot carries, and the outline and colour of its body."""
    size = 0.21 if rng.random() < 0.6 else rng.uniform(0.15, 0.28)
    height = rng.uniform(0.38, 0.45) if rng.random() < 0.7 else rng.uniform(0.2, 0.7)
    ahead = camera.focal_px * size / pixels + size / 2.0
    left = ahead * (rng.uniform(-0.1, 1.1) - 0.5) * camera.image_px / camera.focal_px
    centre = np.array([ahead, left, height])
    facing = _towards_camera(centre) + rng.uniform(-math.pi / 4.0, math.pi / 4.0)
    cards = []
    for quarter in range(4):
        yaw = facing + quarter * math.pi / 2.0
        out = np.array([math.cos(yaw), math.sin(yaw), 0.0])
        cards.append(Card.facing(centre + out * size / 2.0, size, yaw))
    top = max(0.1, height - size / 2.0 - rng.uniform(0.0, 0.12))
    ring = np.arange(24) * math.tau / 24.0
    rim = np.column_stack(
        [ahead + TURTLEBOT4.radius * np.cos(ring), left + TURTLEBOT4.radius * np.sin(ring), 0.0 * ring]
    )
    seen = camera.project(np.concatenate([rim, rim + np.array([0.0, 0.0, top])]))
    if seen is None or np.abs(seen).max() > 4000.0:
        return cards, None
    hull = np.asarray(cv2.convexHull(seen.astype(np.float32))[:, 0], np.float64)
    return cards, (hull, surface_colour(rng, 0.2) * rng.uniform(0.2, 0.8))


def _towards_camera(centre: Array) -> float:
    """Return the direction (rad) in the plane of the floor from a point to the camera."""
    return math.atan2(-centre[1], -centre[0])


def _oblique(ranges: SceneRanges, rng: np.random.Generator) -> float:
    """Return by how much (rad) a face is turned away, to either side; a third look straight at the camera."""
    if rng.random() < 0.33:
        return math.radians(rng.uniform(-10.0, 10.0))
    low, high = ranges.oblique_deg
    return math.radians(rng.uniform(low, high)) * float(rng.choice([-1.0, 1.0]))
