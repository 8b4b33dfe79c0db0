"""What a robot at a crossing has on its blackboard under ``/<robot>/``: names of keys, and the values they hold.

Each key has one writer. What a deciding behaviour writes, the sensing branch reads in the next tick: the robot's side
of the protocol is advanced there alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.control.lane_law import PathError
from arena_trees.games.crossroads.layout.words import Approach, Key, Stage, Turn
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.quick_init import quick_init

__all__ = [
    "ASKED", "ENTERED", "HALTED", "LEAD_PROGRESS", "LEASE", "LEFT", "NEXT_ROUTE", "PROGRESS", "ROUTE", "SCAN_POSE",
    "STRANGER",
    "CrossingEntry", "LeaseState", "Route", "RouteProgress",
]  # fmt: skip

ROUTE = "route"
"""Route that the robot drives, or None while it is on no lane; written by FindPlace."""
PROGRESS = "progress"
"""RouteProgress on that route, or None where there is no route; written by FindPlace in every tick."""
SCAN_POSE = "scan_pose"
"""Pose2D of base_link, map frame, when the newest scan was taken, or None; written by FindPlace."""
LEAD_PROGRESS = "lead_progress"
"""Place on the route (float, m) of the nearest thing on it, or None; written by WatchTraffic."""
LEASE = "lease"
"""LeaseState, or None while the robot takes no part; written by TalkToScheduler."""
NEXT_ROUTE = "next_route"
"""Newest Route that was begun where another one ended, or None; written by BeginRound."""
ENTERED = "entered"
"""Newest CrossingEntry into the crossing, or None; written by EnterCrossing."""
LEFT = "left"
"""Number of the newest lap (int) whose crossing was left, or None; written by Cross."""
ASKED = "asked"
"""Instant (int, ns) at which the robot last chose to ask at its line, or None; written by YieldToScheduler."""
HALTED = "halted"
"""Number of the lap (int) in which the robot stands before its line by another rule than its place, or None; written
by ApproachLine."""


STRANGER = "stranger"
"""Whether (bool) somebody is in the box who holds no lease; written by WatchBox."""


@dataclass(frozen=True, slots=True)
class Route:
    """One lap of a robot: along a lane, through the crossing, out on another arm and round.

    Attributes:
        lap: its number, from 1
        approach: from which side
        turn: which way
        begun: when, ns of the robot's clock
        start: progress at which the robot was then, m
        crossing: which one, counted from the west
    """

    lap: int
    approach: Approach
    turn: Turn
    begun: int
    start: float
    crossing: int = 0

    @property
    def key(self) -> Key:
        """Name of its movement."""
        return Key(self.approach, self.turn, self.crossing)

    def __str__(self) -> str:
        return str(self.key)


@quick_init
@dataclass(frozen=True, slots=True)
class RouteProgress:
    """How far a robot has come on its route.

    Attributes:
        along: m; 0 where robots wait before the line; the last one known while there is no pose
        speed: of the robot by its odometry, m/s
        pose: of the robot, map frame; None while it is not known
        error: how far it is off its path; None without a pose
        on_path: whether it is on its path, and not carried elsewhere
    """

    along: float
    speed: float
    pose: Pose2D | None = None
    error: PathError | None = None
    on_path: bool = False


@quick_init
@dataclass(frozen=True, slots=True)
class LeaseState:
    """A robot's side of the protocol.

    Attributes:
        stage: of the robot
        request: number of its newest request; 0 before the first
        granted_at: when a lease for this request was first received, ns; None before
        until: when the lease ends, ns; past or 0 without one
        held_until: no robot enters up to this instant (ns), after messages of a second scheduler; -1 for none
    """

    stage: Stage
    request: int = 0
    granted_at: int | None = None
    until: int = 0
    held_until: int = -1

    def left(self, now: int) -> float:
        """Return how long (s) the lease still lasts (now: ns); 0 without one."""
        return max(0.0, to_seconds(self.until - now))

    def may_enter(self, now: int, needed: float) -> bool:
        """Return whether the robot may enter (now: ns), with a lease that lasts longer than it needs to leave (s)."""
        waiting = self.stage in (Stage.ENTERING, Stage.WAITING)
        return waiting and now > self.held_until and self.left(now) > needed


@dataclass(frozen=True, slots=True)
class CrossingEntry:
    """A robot entered the crossing, or could no more stop before its line.

    Attributes:
        lap: number of its lap
        at: when, ns
        needed: how long it thought it would need to leave again, s
    """

    lap: int
    at: int
    needed: float
