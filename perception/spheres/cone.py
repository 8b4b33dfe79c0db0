"""The cone in which a camera sees a sphere, and the circle that stands for it in an image."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.circles import Circle
from arena_trees.world.pinhole import Pinhole

__all__ = ["Cone", "rays"]

_ROUNDS = 8
_WIDEST = math.radians(89.0)


@dataclass(frozen=True, slots=True)
class Cone:
    """The cone that touches a sphere, its tip in the camera's centre.

    The image plane cuts it in an ellipse, whose centre lies farther out than the picture of the sphere's centre and
    whose longer axis points to the image's middle: a circle would place and measure the sphere wrongly off the axis. A
    :class:`~arena_trees.robot.circles.Circle` stands for the ellipse by its centre and the mean of its semi-axes.

    Attributes:
        right: of the unit vector to the sphere's centre, in the camera's frame
        down: of the same
        ahead: of the same
        half: half the cone's opening angle, rad; its sine is the sphere's radius over its distance
    """

    right: float
    down: float
    ahead: float
    half: float

    @property
    def azimuth(self) -> float:
        """Angle of the sphere's centre to the left of the camera's axis, rad, about the camera's vertical."""
        return math.atan2(-self.right, self.ahead)

    @property
    def elevation(self) -> float:
        """Angle of the sphere's centre above the camera's horizontal plane, rad."""
        return math.atan2(-self.down, math.hypot(self.right, self.ahead))

    def distance(self, diameter: float) -> float:
        """Return the distance from the camera to the centre of a sphere of that diameter (m), m."""
        return diameter / 2.0 / math.sin(self.half)

    @classmethod
    def of_sphere(cls, right: float, down: float, ahead: float, diameter: float) -> Cone | None:
        """Return the cone of a sphere whose centre is there in the camera's frame (m); None where the camera is in it.

        Args:
            right: m
            down: m
            ahead: m
            diameter: of the sphere, m
        """
        distance = math.sqrt(right * right + down * down + ahead * ahead)
        if distance <= diameter / 2.0:
            return None
        return cls(right / distance, down / distance, ahead / distance, math.asin(diameter / 2.0 / distance))

    @classmethod
    def of_circle(cls, circle: Circle, pinhole: Pinhole) -> Cone | None:
        """Return the cone that a circle stands for; None where no sphere before the camera shows so.

        With the ellipse's ends at M - A and M + A on the line through the image's middle, its other semi-axis is given
        by 2 B^2 = sqrt((1 + (M - A)^2)(1 + (M + A)^2)) - (1 + M^2 - A^2), all in focal lengths; A is found from
        (A + B) / 2 by Newton's rule, and the axis lies halfway between the angles of the two ends.
        """
        focal = pinhole.focal_length
        x, y = (circle.x - pinhole.width / 2.0) / focal, (circle.y - pinhole.height / 2.0) / focal
        radius, middle = circle.radius / focal, math.hypot(x, y)
        if not radius > 0.0:
            return None
        slope = math.sqrt(1.0 + middle * middle)
        along = 2.0 * radius * slope / (1.0 + slope)
        for _ in range(_ROUNDS):
            step = 1e-6 * along
            error = along + _across(middle, along) - 2.0 * radius
            rise = (along + step + _across(middle, along + step) - 2.0 * radius - error) / step
            along -= error / rise
            if abs(error) < 1e-12 * radius:
                break
        inner, outer = math.atan(middle - along), math.atan(middle + along)
        half, off = (outer - inner) / 2.0, (outer + inner) / 2.0
        if not (along > 0.0 and 0.0 < half < _WIDEST):
            return None
        lateral = math.sin(off) / middle if middle > 0.0 else 0.0
        return cls(lateral * x, lateral * y, math.cos(off), half)

    def circle(self, pinhole: Pinhole, quality: float = 1.0, radius_sigma: float = 0.0) -> Circle | None:
        """Return the circle that stands for the cone; None where a part of the sphere is not before the camera.

        Args:
            pinhole: optics of the camera
            quality: of the circle
            radius_sigma: of the circle, px
        """
        lateral = math.hypot(self.right, self.down)
        off = math.atan2(lateral, self.ahead)
        if off + self.half >= _WIDEST:
            return None
        inner, outer = math.tan(off - self.half), math.tan(off + self.half)
        middle, along = (outer + inner) / 2.0, (outer - inner) / 2.0
        share = middle / lateral if lateral > 0.0 else 0.0
        focal = pinhole.focal_length
        return Circle(
            x=pinhole.width / 2.0 + focal * share * self.right,
            y=pinhole.height / 2.0 + focal * share * self.down,
            radius=focal * (along + _across(middle, along)) / 2.0,
            quality=quality,
            radius_sigma=radius_sigma,
        )


def _across(middle: float, along: float) -> float:
    """Return the semi-axis across the line to the image's middle, in focal lengths."""
    inner, outer = middle - along, middle + along
    # The difference of two large numbers, written without it.
    turn = outer - inner
    product = math.sqrt((1.0 + inner * inner) * (1.0 + outer * outer))
    level = 1.0 + inner * outer
    if level > 0.0:
        return math.sqrt(turn * turn / (product + level) / 2.0)
    return math.sqrt((product - level) / 2.0)


def rays(points: NDArray[np.float64], pinhole: Pinhole) -> NDArray[np.float64]:
    """Return unit vectors (right, down, ahead) to points of the image (column, row; px), shape (..., 3)."""
    focal = pinhole.focal_length
    directions = np.empty((*points.shape[:-1], 3))
    directions[..., 0] = (points[..., 0] - pinhole.width / 2.0) / focal
    directions[..., 1] = (points[..., 1] - pinhole.height / 2.0) / focal
    directions[..., 2] = 1.0
    directions /= np.sqrt(np.einsum("...i,...i->...", directions, directions))[..., None]
    return directions
