"""Camera geometry: bearing and range of a sign of known size from its box in the image."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.percepts import Sighting

__all__ = ["Camera", "RangeEstimate", "Sign", "sign_range"]

_EDGE = 2.0
"""A box edge within this many pixels of the image's edge may be cut off there."""

_EDGE_SIGMA = 1.5
"""Standard deviation assumed for a box edge, px."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera without tilt on a robot.

    Attributes:
        hfov: horizontal field of view, rad
        x: of the optical centre in base_link, m
        z: of the optical centre above the floor, m
    """

    hfov: float
    x: float
    z: float

    def focal_px(self, image_width: int) -> float:
        """Return the focal length in pixels, which is also pixels per radian at the image's centre."""
        return image_width / 2.0 / math.tan(self.hfov / 2.0)

    def bearing(self, px: float, image_width: int) -> float:
        """Return the bearing (rad, left positive) of a column."""
        return math.atan((image_width / 2.0 - px) / self.focal_px(image_width))


@dataclass(frozen=True, slots=True)
class Sign:
    """A square sign on each side of a box about a robot's vertical axis.

    Attributes:
        size: edge length, m
        z: of the sign's centre above the floor, m
    """

    size: float
    z: float


@dataclass(frozen=True, slots=True)
class RangeEstimate:
    """Where the axis of the robot that carries a sign is, in the observer's base_link.

    Attributes:
        distance: between the two robots' axes, m
        bearing: of the other's axis, rad, left positive
        sigma: standard deviation of the distance, m
    """

    distance: float
    bearing: float
    sigma: float


def sign_range(box: Sighting, image_width: int, image_height: int, camera: Camera, sign: Sign) -> RangeEstimate | None:
    """Return where the axis of the robot that carries the sign is, or None where the box does not tell.

    A whole box gives depth = f S / height: the height does not shrink when the sign is seen from
    the side, as the width does. A box cut off above gives depth = f (z_lower - z_camera) / rise of
    its lower edge over the image's centre. A box cut off below gives none.

    The axis lies behind that depth, the further the more the face is turned; the middle of the
    interval from face on to over a corner is taken, and its half-width enters the deviation.
    """
    focal = camera.focal_px(image_width)
    top, bottom = box.y - box.height / 2.0, box.y + box.height / 2.0
    if bottom > image_height - _EDGE:
        return None
    whole = top > _EDGE
    if whole:
        span, size = box.height, sign.size
        edges = math.sqrt(2.0)
    else:
        span, size = image_height / 2.0 - bottom, sign.z - sign.size / 2.0 - camera.z
        edges = 1.0
    if span < 4.0 or size <= 0.0:
        return None
    depth = focal * size / span
    middle, half_width = _axis_behind(sign, camera, whole)
    x = depth + middle + camera.x
    y = (depth + middle) * math.tan(camera.bearing(box.x, image_width))
    sigma = math.hypot(depth * edges * _EDGE_SIGMA / span, half_width / math.sqrt(3.0))
    return RangeEstimate(math.hypot(x, y), math.atan2(y, x), sigma)


def _axis_behind(sign: Sign, camera: Camera, whole: bool) -> tuple[float, float]:
    """Return the middle and half-width (m) of how far the sign's axis lies behind the measured depth.

    A face turned by a has its near and far vertical edges (S/2)(cos a +- sin a) before the axis. Seen
    from below, the far edge is the lower one in the image, so it ends a box cut off above; a whole box
    spans from it to the near edge, which adds up to (S/2)(cos a + k sin a) with k = 2 |dz| / S to first
    order in S over depth, and k = 1 where the camera's height is within the sign's.
    """
    half = sign.size / 2.0
    if not whole:
        return half / 2.0, half / 2.0
    k = max(1.0, 2.0 * abs(sign.z - camera.z) / sign.size)
    corner = half * (1.0 + k) / math.sqrt(2.0)
    return (corner + half) / 2.0, (corner - half) / 2.0
