"""What robots that follow walls have on their blackboards under ``/<robot>/``: names of keys, and the values they hold.

The judge reads them in the tick records. Each key has one writer, in the sensing branch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["LEADER", "NEAREST_RAY", "RAYS", "WALL", "LeaderSighting", "NearWall", "NearestRay"]

RAYS = "rays"
"""WallRays of the newest scan, or None before scans can be trusted; written by SenseRays."""
NEAREST_RAY = "nearest_ray"
"""NearestRay of the newest scan, or None before scans can be trusted; written by SenseRays."""
LEADER = "leader"
"""LeaderSighting, or None while no other robot is seen; written by SenseLeader or SenseLeaderRay."""
WALL = "wall"
"""NearWall as it is now, or None before scans can be trusted; written by FitWall."""


@dataclass(frozen=True, slots=True)
class NearestRay:
    """The nearest return of a scan.

    Attributes:
        distance: m; None where the scan has no return
    """

    distance: float | None

    def __str__(self) -> str:
        return "none" if self.distance is None else f"{self.distance:.2f} m"


@dataclass(frozen=True, slots=True)
class NearWall:
    """The wall as it was fitted, carried on by odometry to this tick.

    Attributes:
        distance: of its nearest point, m; None where there is no wall
        bearing: of that point, rad; 0 where there is no wall
        course: bearing of the point ahead on the way that keeps the ideal distance, rad; None where there is no wall
    """

    distance: float | None
    bearing: float
    course: float | None

    def __str__(self) -> str:
        if self.distance is None or self.course is None:
            return "no wall"
        bearing, course = math.degrees(self.bearing), math.degrees(self.course)
        return f"{self.distance:.2f} m, {bearing:+.0f} deg, course {course:+.0f} deg"


@dataclass(frozen=True, slots=True)
class LeaderSighting:
    """The robot ahead as it is believed to be now, in base_link.

    Attributes:
        x: of its centre, m
        y: of its centre, m
        gap: from the own centre to its hull, m
        bearing: of its centre, rad; of its nearest return where it is seen by single rays
        speed: its own, m/s; 0 where it is not estimated
        stamp: of the newest scan in which it was seen, ns
        followed: whether it is near enough to be followed
    """

    x: float
    y: float
    gap: float
    bearing: float
    speed: float
    stamp: int
    followed: bool

    def __str__(self) -> str:
        return f"{'followed' if self.followed else 'seen'} {self.gap:.2f} m, {math.degrees(self.bearing):+.0f} deg"
