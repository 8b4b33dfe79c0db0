"""Optics of a camera: what is the same of a simulated one and of a real one, and what trees know of their robot's."""

from __future__ import annotations

import math

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.world.pinhole import Pinhole

__all__ = ["OAK_D", "CameraOptics"]


class CameraOptics(Parameters):
    """Size, field of view and mount; the defaults are the OAK-D's 250x250 preview on a TurtleBot 4."""

    width: int = parameter(250, "of the image", "px", ge=8, le=4096)
    height: int = parameter(250, "of the image", "px", ge=8, le=4096)
    hfov_deg: float = parameter(42.0, "horizontal field of view", "deg", gt=1, lt=170)
    mount_x: float = parameter(-0.06, "of the camera in base_link", "m", ge=-1, le=1)
    mount_z: float = parameter(0.244, "height above the floor", "m", gt=0, le=5)

    def pinhole(self) -> Pinhole:
        """Return the optics."""
        return Pinhole(self.width, self.height, math.radians(self.hfov_deg), self.mount_x, self.mount_z)


OAK_D = CameraOptics()
"""The camera of a TurtleBot 4."""
