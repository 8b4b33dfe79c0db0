"""Optics and timing that every simulated camera has."""

from __future__ import annotations

import math

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.world.pinhole import Pinhole

__all__ = ["Optics"]


class Optics(Parameters):
    """Optics and timing; the defaults are the OAK-D's 250x250 preview on a TurtleBot4."""

    rate_hz: float = parameter(30.0, "frames a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.15, "from the exposure, which is the stamp, to the arrival", "s", ge=0, le=5)
    frame_dropout: float = parameter(0.0, "share of frames that are lost whole", ge=0, le=1)
    width: int = parameter(250, "of the image", "px", ge=8, le=4096)
    height: int = parameter(250, "of the image", "px", ge=8, le=4096)
    hfov_deg: float = parameter(42.0, "horizontal field of view", "deg", gt=1, lt=170)
    mount_x: float = parameter(-0.06, "of the camera in base_link", "m", ge=-1, le=1)
    mount_z: float = parameter(0.244, "height above the floor", "m", gt=0, le=5)

    def pinhole(self) -> Pinhole:
        """Return the optics."""
        return Pinhole(self.width, self.height, math.radians(self.hfov_deg), self.mount_x, self.mount_z)
