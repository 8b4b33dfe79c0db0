"""What robots of a pursuit have on their blackboards under ``/<robot>/``: names of keys, and the values they hold.

The judge reads them in the tick records. Each key has one writer, in the sensing branch.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUARRY", "RECKONED", "Quarry"]

QUARRY = "quarry"
"""Quarry, or None before the ball was believed for the first time; written by the chaser."""
RECKONED = "reckoned"
"""Pose2D relative to where the robot started, by its odometry alone, or None before any; written by Reckon."""


@dataclass(frozen=True, slots=True)
class Quarry:
    """What the chaser believes of the evader now.

    Attributes:
        x: place of the ball, map frame as the chaser believes itself to be in it, m
        y: the same, m
        vx: its velocity, map frame, m/s; 0 where the chaser does not estimate it
        vy: the same, m/s
        sigma: standard deviation of the place along one axis, m; 0 where the chaser does not estimate it
        range: on the floor between the two robots' axes, m, as expected now
        range_sigma: its standard deviation, m; 0 where the chaser does not estimate it
        bearing: from the chaser's base_link, counter-clockwise, rad, as expected now
        stamp: exposure of the newest image in which it was seen, ns
        in_sight: whether the chaser believes that it sees the ball now; if not, the rest is where it is thought to be
    """

    x: float
    y: float
    vx: float
    vy: float
    sigma: float
    range: float
    range_sigma: float
    bearing: float
    stamp: int
    in_sight: bool

    def __str__(self) -> str:
        return f"{'seen' if self.in_sight else 'lost'} {self.range:.2f} m away, at ({self.x:.2f}, {self.y:.2f})"
