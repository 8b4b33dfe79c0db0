"""From a circle in an image to a bearing and a range in a fixed frame, with their deviations."""

from __future__ import annotations

import math

from arena_trees.control.target_filter import Sighting
from arena_trees.perception.spheres.cone import Cone
from arena_trees.robot.circles import Circle
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.pinhole import Pinhole

__all__ = ["sphere_sighting"]

_CENTRE_PX = 0.35
"""Standard deviation of a circle's centre, px."""
_RADIUS_PX = 0.25
"""Of its radius, where the detector does not say it, px."""
_TURN_S = 0.003
"""How well the instant of an exposure is known, s: it counts while the camera turns."""
_ANGLE = 0.002
"""Of the camera's direction at rest, rad."""


def sphere_sighting(
    circle: Circle,
    pinhole: Pinhole,
    diameter: float,
    camera: CameraPose,
    stamp: int,
    turn_rate: float = 0.0,
    range_share: float = 0.01,
) -> Sighting | None:
    """Return where a ball is that shows as a circle; None where no ball shows so.

    Args:
        circle: in the image
        pinhole: optics of the camera
        diameter: of the ball, m
        camera: where it was at the exposure
        stamp: of the exposure, ns
        turn_rate: of the camera then, rad/s
        range_share: deviation of a distance that no image shows, such as of a biased radius, as its share
    """
    cone = Cone.of_circle(circle, pinhole)
    if cone is None:
        return None
    distance = cone.distance(diameter)
    level, rise = math.cos(camera.pitch), math.sin(camera.pitch)
    ahead, up = cone.ahead * level + cone.down * rise, cone.ahead * rise - cone.down * level
    across = math.hypot(ahead, cone.right)
    angle_sigma = math.hypot(_CENTRE_PX / pinhole.focal_length, _TURN_S * turn_rate, _ANGLE)
    share = math.hypot((circle.radius_sigma or _RADIUS_PX) / circle.radius, range_share)
    return Sighting(
        stamp=stamp,
        x=camera.x,
        y=camera.y,
        azimuth=math.remainder(camera.yaw + math.atan2(-cone.right, ahead), math.tau),
        range=distance * across,
        azimuth_sigma=angle_sigma,
        range_sigma=distance * share,
        height=camera.z + distance * up,
        height_sigma=distance * math.hypot(angle_sigma, up * share),
    )
