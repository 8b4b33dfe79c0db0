"""What robots of a pursuit have on their blackboards under ``/<robot>/``: names of keys, and the values they hold.

The judge reads quarry and reckoned in the tick records; the rest is the chaser's own. Each key has one writer, in the
sensing branch.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.control.target_filter import TargetEstimate

__all__ = ["PLACE", "QUARRY", "RECKONED", "TRACK", "BallTrack", "Quarry"]

QUARRY = "quarry"
"""Quarry, or None before the ball was believed for the first time; written by the chaser."""
RECKONED = "reckoned"
"""Pose2D relative to where the robot started, by its odometry alone, or None before any; written by DeadReckoning."""
PLACE = "place"
"""Place of the chaser now, or None before it is known; written by LocateChaser."""
TRACK = "track"
"""BallTrack that the chaser believes in, or None; written by TrackBall."""


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


@dataclass(frozen=True, slots=True)
class BallTrack:
    """The ball of the evader as the chaser's filter has it now.

    Attributes:
        target: place and velocity of its centre, map frame, as expected now
        height: of its centre above the floor, m
        seen: arrival of the newest image that showed it, ns
        shown: share of its edge that this image showed, 0 to 1
    """

    target: TargetEstimate
    height: float
    seen: int
    shown: float = 1.0

    def __str__(self) -> str:
        return f"at ({self.target.x:.2f}, {self.target.y:.2f}), within {self.target.sigma:.2f} m"
