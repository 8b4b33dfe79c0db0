"""How a recorded robot's camera looks: its geometry, and where what it saw is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.control.sign_range import CAMERA, SIGN, Camera, Sign, sign_range
from arena_trees.recording.recording import Recording
from arena_trees.robot.percepts import Detection, Detections

__all__ = ["Look", "look_of", "place_of"]

_BOUNDS = {
    "camera_hfov_deg": (1.0, 179.0),
    "camera_x": (-1.0, 1.0),
    "camera_z": (0.01, 2.0),
    "sign_size": (0.01, 2.0),
    "sign_z": (0.01, 3.0),
}
"""Parameters of a role whose robots have a camera, in deg and m, and between which values they are believed."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a robot sees signs.

    Attributes:
        camera: of the robot
        sign: that it looks for
    """

    camera: Camera = CAMERA
    sign: Sign = SIGN


def look_of(recording: Recording, robot: str) -> Look:
    """Return how a robot's camera sees signs: by its recorded parameters where they are good, else as usual."""
    entry = _mapping(_mapping(recording.info.get("robots")).get(robot))
    recorded = _mapping(entry.get("parameters"))
    said = {key: recorded[key] for key in _BOUNDS if key in recorded}
    if not all(_is_within(value, *_BOUNDS[key]) for key, value in said.items()):
        return Look()
    hfov = math.radians(said["camera_hfov_deg"]) if "camera_hfov_deg" in said else CAMERA.hfov
    camera = Camera(hfov, said.get("camera_x", CAMERA.x), said.get("camera_z", CAMERA.z))
    return Look(camera, Sign(said.get("sign_size", SIGN.size), said.get("sign_z", SIGN.z)))


def place_of(box: Detection, image: Detections, look: Look) -> tuple[float, float | None]:
    """Return where a sign is: its bearing (rad) and its distance (m).

    Both are of its bearer's axis and from base_link; where the box does not tell a distance, that is None
    and the bearing is the box's, from the camera.
    """
    place = sign_range(box, image.image_width, image.image_height, look.camera, look.sign)
    if place is None:
        return look.camera.bearing(box.x, image.image_width), None
    return place.bearing, place.distance


def _is_within(value: Any, low: float, high: float) -> bool:
    return type(value) in (int, float) and low <= value <= high


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
