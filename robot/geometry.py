"""Planar geometry in the conventions of REP-103: metres, radians, x forward, y left, yaw counter-clockwise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.quick_init import quick_init

__all__ = ["ZERO", "Pose2D", "Twist2D", "wrap"]


def wrap(angle: float) -> float:
    """Return the angle (rad) wrapped to [-pi, pi]."""
    return math.remainder(angle, math.tau)


Disc = tuple[float, float, float]
"""x, y, radius, m."""


@quick_init
@dataclass(frozen=True, slots=True)
class Twist2D:
    """A planar velocity of a differential robot, in its base_link frame.

    Attributes:
        linear: forward speed, m/s
        angular: yaw rate, rad/s, counter-clockwise positive
    """

    linear: float = 0.0
    angular: float = 0.0

    @property
    def is_finite(self) -> bool:
        """Whether neither speed is NaN or infinite."""
        return math.isfinite(self.linear) and math.isfinite(self.angular)

    def __str__(self) -> str:
        return f"{self.linear:+.2f} m/s {self.angular:+.2f} rad/s"


ZERO = Twist2D()
"""Standing still."""


@quick_init
@dataclass(frozen=True, slots=True)
class Pose2D:
    """A planar pose: x and y in metres, yaw in radians."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    @property
    def is_finite(self) -> bool:
        """Whether no coordinate is NaN or infinite."""
        return math.isfinite(self.x) and math.isfinite(self.y) and math.isfinite(self.yaw)

    def bearing_to(self, x: float, y: float) -> float:
        """Return the bearing (rad, in [-pi, pi]) of a point of the same frame, seen from this pose."""
        return wrap(math.atan2(y - self.y, x - self.x) - self.yaw)

    def distance_to(self, x: float, y: float) -> float:
        """Return the distance (m) to a point of the same frame."""
        return math.hypot(x - self.x, y - self.y)

    def compose(self, other: Pose2D) -> Pose2D:
        """Return ``other``, given relative to this pose, in this pose's frame."""
        cosine, sine = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2D(
            self.x + cosine * other.x - sine * other.y,
            self.y + sine * other.x + cosine * other.y,
            wrap(self.yaw + other.yaw),
        )

    def relative(self, other: Pose2D) -> Pose2D:
        """Return ``other``, given in this pose's frame, relative to this pose."""
        cosine, sine = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = other.x - self.x, other.y - self.y
        return Pose2D(cosine * dx + sine * dy, -sine * dx + cosine * dy, wrap(other.yaw - self.yaw))

    def relative_disc(self, disc: Disc) -> Disc:
        """Return a disc, given in this pose's frame, relative to this pose."""
        place = self.relative(Pose2D(disc[0], disc[1]))
        return place.x, place.y, disc[2]

    def compose_disc(self, disc: Disc) -> Disc:
        """Return a disc, given relative to this pose, in this pose's frame."""
        place = self.compose(Pose2D(disc[0], disc[1]))
        return place.x, place.y, disc[2]

    def __str__(self) -> str:
        return f"({self.x:+.2f}, {self.y:+.2f}) {math.degrees(self.yaw):+.0f} deg"
