"""How a recorded robot's camera looks: its geometry, and where what it saw is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena_trees.control.sign_range import CAMERA, SIGN, Camera, Sign, sign_range
from arena_trees.games.registry import load_games
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.robot.circles import Circles
from arena_trees.robot.detections import Detection, Detections
from arena_trees.sensors.detections.sensor import SENSOR as DETECTIONS
from arena_trees.world.camera_pose import CameraMount

__all__ = ["CameraModel", "SightedObject", "camera_model_of", "images_of", "sights_in"]

_BOUNDS = {
    "camera_hfov_deg": (1.0, 179.0),
    "camera_x": (-1.0, 1.0),
    "camera_z": (0.01, 2.0),
    "sign_size": (0.01, 2.0),
    "sign_z": (0.01, 3.0),
}
"""Parameters of a role whose robots have a camera, in deg and m, and between which values they are believed."""

_REACH = "sight_reach"
"""Parameter of a role, m: how far its camera shows what it looks for."""

_OPTICS = {"hfov_deg": (1.0, 179.0), "mount_x": (-1.0, 1.0), "mount_z": (0.01, 5.0)}
"""The same for the recorded optics of a robot that looks for spheres."""


@dataclass(frozen=True, slots=True)
class SightedObject:
    """A thing in an image.

    Attributes:
        label: what it is
        confidence: 0 to 1
        bearing: rad; from base_link, or from the camera where the distance is not known
        distance: from base_link, m; None where it is not known
    """

    label: str
    confidence: float
    bearing: float
    distance: float | None


@dataclass(frozen=True, slots=True)
class CameraModel:
    """How a robot's camera sees.

    Attributes:
        camera: of the robot
        sign: that it looks for
        reach: how far the camera shows what it looks for, m; None where the recording does not say
    """

    camera: Camera = CAMERA
    sign: Sign = SIGN
    reach: float | None = None


def camera_model_of(recording: Recording, robot: RobotRecording) -> CameraModel:
    """Return how a robot's camera sees: as is recorded of it where that is good, else as usual."""
    entry = _mapping(_mapping(recording.info.get("robots")).get(robot.name))
    recorded = _mapping(entry.get("parameters"))
    reach = recorded[_REACH] if _is_within(recorded.get(_REACH), 0.1, 100.0) else None
    if robot.more.get("circles"):
        return CameraModel(_sphere_camera(robot, _mapping(entry.get("camera"))), reach=reach)
    given = {key: recorded[key] for key in _BOUNDS if key in recorded}
    if not all(_is_within(value, *_BOUNDS[key]) for key, value in given.items()):
        return CameraModel(reach=reach)
    hfov = math.radians(given["camera_hfov_deg"]) if "camera_hfov_deg" in given else CAMERA.hfov
    camera = Camera(hfov, given.get("camera_x", CAMERA.x), given.get("camera_z", CAMERA.z))
    return CameraModel(camera, Sign(given.get("sign_size", SIGN.size), given.get("sign_z", SIGN.z)), reach)


def images_of(robot: RobotRecording) -> Sequence[Detections] | Sequence[Circles]:
    """Return the images that a robot plays by: none where its role is known and looks for neither spheres nor signs."""
    circles: Sequence[Any] = robot.more.get("circles", ())
    if circles:
        return circles
    roles = {role.name: role for game in load_games().values() for role in game.roles}
    role = roles.get(robot.role or "")
    found: Sequence[Any] = robot.more.get("detections", ())
    return found if role is None or "detections" in role.sensors else ()


def sights_in(image: Detections | Circles, look: CameraModel) -> list[SightedObject]:
    """Return what an image shows, and where that is; boxes that make no sense show nothing."""
    if isinstance(image, Detections):
        signs: Detections = DETECTIONS.checked(image)
        return [SightedObject(box.label, box.confidence, *_place_of(box, signs, look)) for box in signs.boxes]
    width = image.image_width
    return [SightedObject("ball", one.quality, look.camera.bearing(one.x, width), None) for one in image.circles]


def _sphere_camera(robot: RobotRecording, given: Mapping[str, Any]) -> Camera:
    """Return the camera of a robot that looks for spheres; on a turret it sits on the axis."""
    usual = {"hfov_deg": math.degrees(CAMERA.hfov), "mount_x": CAMERA.x, "mount_z": CAMERA.z}
    known = {key: given[key] if _is_within(given.get(key), *_OPTICS[key]) else value for key, value in usual.items()}
    mount = CameraMount.on(robot.body, known["mount_x"], known["mount_z"])
    return Camera(math.radians(known["hfov_deg"]), mount.x, mount.z)


def _place_of(box: Detection, image: Detections, look: CameraModel) -> tuple[float, float | None]:
    """Return where a sign is: its bearing (rad) and its distance (m).

    Both are of its bearer's axis and from base_link; where the box does not give a distance, that is None
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
