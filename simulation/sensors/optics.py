"""Optics and timing that every simulated camera has."""

from __future__ import annotations

from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.world.camera_optics import CameraOptics

__all__ = ["Optics"]


class Optics(CameraOptics):
    """Optics and timing; the defaults are the OAK-D's 250x250 preview on a TurtleBot4."""

    rate_hz: float = parameter(30.0, "frames a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.15, "from the exposure, which is the stamp, to the arrival", "s", ge=0, le=5)
    exposure_s: float = parameter(
        0.0, "of a picture, by which turning smears it; of a rendered camera the image has its own", "s", ge=0, le=0.1
    )
    jitter_s: float = parameter(0.0, "longest time added to the latency, uniform", "s", ge=0, le=5)
    frame_dropout: float = parameter(0.0, "share of frames that are lost whole", ge=0, le=1)
