"""What the chaser's tree keeps on the blackboard for itself: names of keys, and what stands there.

What the judge reads, too, is in :mod:`arena_trees.games.pursuit.blackboard`.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.control.target_filter import TargetEstimate
from arena_trees.robot.geometry import Pose2D, Twist2D

__all__ = ["PLACE", "ROOM", "TRACK", "BallTrack", "Place", "RoomView"]

PLACE = "place"
"""Place of the chaser now, or None before it is known; written by Locate."""
TRACK = "track"
"""BallTrack that the chaser believes in, or None; written by TrackBall."""
ROOM = "room"
"""RoomView, or None before the chaser knows where it is; written by WatchRoom."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the chaser is now, carried on from its newest pose.

    Attributes:
        pose: of base_link, map frame as the chaser knows it
        twist: of the base by its odometry
        turret: yaw and pitch of the turret now, rad, base_link; None where there is none
    """

    pose: Pose2D
    twist: Twist2D
    turret: tuple[float, float] | None = None

    def __str__(self) -> str:
        return str(self.pose)


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


@dataclass(frozen=True, slots=True)
class RoomView:
    """What the chaser makes of the room while it looks for the evader, and of its ways through it.

    Attributes:
        way: points to drive along, map frame, m; the last is the goal; empty where there is nowhere to go
        obstacles: discs (x, y, radius), map frame, m, that are in the way though no sensor shows them now
        look: direction in which to look from here, rad, map frame; None where nothing is to be seen from here
    """

    way: tuple[tuple[float, float], ...]
    look: float | None
    obstacles: tuple[tuple[float, float, float], ...] = ()

    def __str__(self) -> str:
        return "looks round" if not self.way else f"to ({self.way[-1][0]:.1f}, {self.way[-1][1]:.1f})"
