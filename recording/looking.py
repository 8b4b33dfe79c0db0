"""How a recorded robot's camera looks: its geometry, and where what it saw is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.sign_range import sign_range
from arena_trees.recording.recording import Recording
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.percepts import Sighting, Sightings

__all__ = ["camera_parameters", "place_of"]


def camera_parameters(recording: Recording, robot: str) -> WolfParameters:
    """Return the parameters that say how a robot's camera sees signs: the recorded ones where they are good."""
    entry = _mapping(_mapping(recording.info.get("robots")).get(robot))
    recorded = _mapping(entry.get("parameters"))
    known = {key: value for key, value in recorded.items() if key.startswith(("camera_", "sign_"))}
    parameters = WolfParameters()
    with suppress(ConfigError):
        parameters = parameters.with_changes({key: known[key] for key in known if key in WolfParameters.model_fields})
    return parameters


def place_of(box: Sighting, image: Sightings, parameters: WolfParameters) -> tuple[float, float | None]:
    """Return where a sign is: its bearing (rad) and its distance (m).

    Both are of its bearer's axis and from base_link; where the box does not tell a distance, that is None
    and the bearing is the box's, from the camera.
    """
    camera = parameters.camera
    place = sign_range(box, image.image_width, image.image_height, camera, parameters.sign)
    if place is None:
        return camera.bearing(box.x, image.image_width), None
    return place.bearing, place.distance


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
