"""Single rays to a wall beside a robot: ahead, to the side, between the two, and all of one side on average."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.scan import Scan

__all__ = ["RIGHT", "WallRays"]

RIGHT = -1.0
"""Side of a wall on the right; 1 is the left."""

_AHEAD = math.radians(60.0)
"""Bearing of the ray between ahead and the side: the source system takes the ray at two thirds of the way."""
_CONE = math.radians(30.0)


@dataclass(frozen=True, slots=True)
class WallRays:
    """Distances (m) along rays; infinite where a ray has no return.

    Attributes:
        front: straight ahead
        beside: straight to the side, where the wall is to be
        between: 60 degrees to the side
        mean: of all rays of the half plane on that side that have a return
        nearest: of the nearest return all round
        aside: bearing of the nearest return, towards the wall's side positive, rad
        ahead: of the nearest return within 30 degrees of straight ahead
        sector: of the nearest return from straight ahead to 60 degrees to the side
        stamp: of the scan, ns
    """

    front: float
    beside: float
    between: float
    mean: float
    nearest: float
    aside: float
    ahead: float
    sector: float
    stamp: int

    @classmethod
    def of(cls, scan: Scan, side: float = RIGHT, width: float = math.radians(4.0)) -> WallRays:
        """Return what a scan tells.

        Args:
            scan: points in base_link
            side: on which the wall is to be, 1 left and -1 right
            width: a ray is the return nearest to its bearing within so much, half of it to either side, rad
        """
        bearing, distance = scan.bearing * side, scan.distance
        half_plane = distance[(bearing >= 0.0) & (bearing <= math.pi)]
        return cls(
            front=_ray(bearing, distance, 0.0, width),
            beside=_ray(bearing, distance, math.pi / 2.0, width),
            between=_ray(bearing, distance, _AHEAD, width),
            mean=float(half_plane.mean()) if half_plane.size else math.inf,
            nearest=float(distance.min()) if distance.size else math.inf,
            aside=float(bearing[int(np.argmin(distance))]) if distance.size else 0.0,
            ahead=float(np.min(distance[np.abs(bearing) <= _CONE], initial=math.inf)),
            sector=float(np.min(distance[(bearing >= -width) & (bearing <= _AHEAD + width)], initial=math.inf)),
            stamp=scan.stamp,
        )

    def __str__(self) -> str:
        return f"front {self.front:.2f}, aside {self.beside:.2f}, between {self.between:.2f} m"


def _ray(bearing: NDArray[np.float64], distance: NDArray[np.float64], wanted: float, width: float) -> float:
    """Return the distance (m) of the return nearest to a bearing (rad), or inf where none is within half the width."""
    if not bearing.size:
        return math.inf
    off = np.abs(bearing - wanted)
    index = int(np.argmin(off))
    # A ray on the edge of its share is its own.
    return float(distance[index]) if off[index] <= width / 2.0 + 1e-6 else math.inf
