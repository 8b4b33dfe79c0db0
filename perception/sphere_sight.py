"""Camera geometry: direction and distance of a ball of known size from the circle that it shows in the image."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.control.target_filter import Sighting
from arena_trees.robot.circles import Circle
from arena_trees.world.camera_pose import CameraPose

__all__ = ["SphereOptics", "sphere_sighting"]

_CENTRE_PX = 0.35
"""Standard deviation of a circle's centre, px."""
_RADIUS_PX = 0.25
"""Of its radius, where the detector does not say it, px."""
_TURN_S = 0.003
"""How well the instant of an exposure is known, s: it counts while the camera turns."""
_ANGLE = 0.002
"""Of the camera's direction at rest, rad."""


@dataclass(frozen=True, slots=True)
class SphereOptics:
    """What a camera must be known by, and the ball.

    Attributes:
        hfov: horizontal field of view, rad
        diameter: of the ball, m
        range_share: deviation of a distance that no image shows, such as of a biased radius, as its share
    """

    hfov: float
    diameter: float
    range_share: float = 0.01

    def focal_px(self, image_width: int) -> float:
        """Return the focal length, px."""
        return image_width / 2.0 / math.tan(self.hfov / 2.0)


def sphere_sighting(
    circle: Circle,
    image_width: int,
    image_height: int,
    optics: SphereOptics,
    camera: CameraPose,
    stamp: int,
    turn_rate: float = 0.0,
) -> Sighting | None:
    """Return where a ball is that shows as a circle; None where no ball shows so.

    The cone that touches a ball of radius R at a distance d has the half angle h with sin h = R / d. The image plane
    cuts it in an ellipse about M = (tan(a - h) + tan(a + h)) / 2, a being the angle between axis and ball's centre, so
    that 2 a = atan M + asin(M cos 2h / sqrt(1 + M^2)); the circle's radius is taken as the mean of the semi-axes.

    Args:
        circle: in the image
        image_width: px
        image_height: px
        optics: of the camera
        camera: where it was at the exposure
        stamp: of the exposure, ns
        turn_rate: of the camera then, rad/s
    """
    focal = optics.focal_px(image_width)
    column, row = (circle.x - image_width / 2.0) / focal, (circle.y - image_height / 2.0) / focal
    middle, radius = math.hypot(column, row), circle.radius / focal
    if radius <= 0.0:
        return None
    off, half = math.atan(middle), math.atan(radius)
    for _ in range(3):
        off = 0.5 * (math.atan(middle) + math.asin(middle * math.cos(2.0 * half) / math.hypot(1.0, middle)))
        half = _half_angle(off, half, radius)
    if not 0.0 < half < 1.4:
        return None
    distance = optics.diameter / 2.0 / math.sin(half)
    sideways, downwards = (column / middle, row / middle) if middle > 0.0 else (0.0, 0.0)
    ahead, left, up = math.cos(off), -math.sin(off) * sideways, -math.sin(off) * downwards
    level, rise = math.cos(camera.pitch), math.sin(camera.pitch)
    ahead, up = ahead * level - up * rise, ahead * rise + up * level
    across = math.hypot(ahead, left)
    angle_sigma = math.hypot(_CENTRE_PX / focal, _TURN_S * turn_rate, _ANGLE)
    share = math.hypot((circle.radius_sigma or _RADIUS_PX) / circle.radius, optics.range_share)
    return Sighting(
        stamp=stamp,
        x=camera.x,
        y=camera.y,
        azimuth=math.remainder(camera.yaw + math.atan2(left, ahead), math.tau),
        range=distance * across,
        azimuth_sigma=angle_sigma,
        range_sigma=distance * share,
        height=camera.z + distance * up,
        height_sigma=distance * math.hypot(angle_sigma, up * share),
    )


def _half_angle(off: float, half: float, radius: float) -> float:
    """Return a better half angle of the cone whose ellipse, so far off the axis, has that mean semi-axis."""
    along = math.sin(2.0 * half) / (math.cos(2.0 * off) + math.cos(2.0 * half))
    across = math.sin(half) / math.sqrt(max(1e-6, math.cos(off + half) * math.cos(off - half)))
    return math.atan(math.tan(half) * 2.0 * radius / (along + across))
