"""The embedded planner behind the Navigator port: a costmap, replanning, and path following."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from arena_trees.control.navigation.costmap import Costmap, Point
from arena_trees.control.navigation.path_follower import PathFollower
from arena_trees.control.steering import clear_heading, steer_clear
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO, Disc, Pose2D, Twist2D, wrap
from arena_trees.robot.ports import NavigationStatus
from arena_trees.robot.scan import Scan

__all__ = ["EmbeddedNavigator"]

_ASTRAY = 0.25
"""m; farther from its path, a robot plans anew."""
_REACH, _HALF_WIDTH = 0.40, 0.19
"""m; length and half width of the way ahead that the LiDAR must show free: the hull, and a margin."""
_GAIN = 3.0
"""1/s; yaw rate per bearing of a way round what stands ahead."""


class EmbeddedNavigator:
    """Drives to a goal in the map frame; implements :class:`~arena_trees.robot.ports.Navigator`.

    It plans when a goal comes, once a period after that, and when the robot has left its path. Where no way leads to
    the goal now, it stands and tries again, for as long as ``patience``; then the goal has failed. What the LiDAR shows
    on the next stretch of the path is driven round: a wall where localisation errs, and what the map does not know.

    Args:
        costmap: of the map
        follower: follows paths
        pose: returns where the robot is now, map frame, or None where nobody knows
        clock: returns now, ns
        obstacles: returns the discs that must not be entered now
        scan: returns the newest scan, points in base_link, or None
        period_s: between two plans, s
        patience_s: how long a goal without a way to it is kept, s
        tolerance: the goal is reached within, m
    """

    def __init__(
        self,
        costmap: Costmap,
        follower: PathFollower,
        pose: Callable[[], Pose2D | None],
        clock: Callable[[], int],
        obstacles: Callable[[], Sequence[Disc]] = tuple,
        scan: Callable[[], Scan | None] = lambda: None,
        period_s: float = 1.0,
        patience_s: float = 10.0,
        tolerance: float = 0.10,
    ) -> None:
        self._costmap = costmap
        self._follower = follower
        self._pose = pose
        self._clock = clock
        self._obstacles = obstacles
        self._scan = scan
        self._period = from_seconds(period_s)
        self._patience = from_seconds(patience_s)
        self._tolerance = tolerance
        self._goal: Point | None = None
        self._state = NavigationStatus.IDLE
        self._path: list[Point] = []
        self._planned_at = 0
        self._stuck_since: int | None = None

    @property
    def path(self) -> Sequence[Point]:
        """The path that is followed, map frame, m; empty without one."""
        return tuple(self._path)

    def send_goal(self, goal: Pose2D) -> None:
        """Begin to drive to the goal (its yaw is free); replaces the goal before."""
        self._goal = (goal.x, goal.y)
        self._state = NavigationStatus.ACTIVE
        self._path = []
        self._stuck_since = None

    def status(self) -> NavigationStatus:
        """Return the state of the newest goal."""
        return self._state

    def cancel(self) -> None:
        """Give up the goal, if any."""
        self._goal = None
        self._path = []
        self._state = NavigationStatus.IDLE

    def velocity(self) -> Twist2D | None:
        """Return the velocity towards the goal now; None without a goal that is driven to, or without a pose."""
        pose, goal = self._pose(), self._goal
        if goal is None or pose is None or self._state is not NavigationStatus.ACTIVE:
            return None
        if pose.distance_to(*goal) <= self._tolerance:
            self._end(NavigationStatus.SUCCEEDED)
            return ZERO
        now = self._clock()
        if not self._path or not 0 <= now - self._planned_at < self._period or self._astray(pose):
            self._plan(pose, goal, now)
        return self._clear(self._follower.follow(pose, self._path), pose) if self._path else ZERO

    def _clear(self, twist: Twist2D, pose: Pose2D) -> Twist2D:
        """Return a velocity, or instead of it one round what the LiDAR shows in the way."""
        scan = self._scan()
        if scan is None or twist.linear <= 0.0:
            return twist
        aim = self._follower.aim(pose, self._path)
        bearing, reach = pose.bearing_to(*aim), min(_REACH, pose.distance_to(*aim))
        if clear_heading(scan, bearing, reach, _HALF_WIDTH) == wrap(bearing):
            return twist
        limit = self._follower.parameters.max_angular
        return steer_clear(scan, bearing, twist.linear, limit, gain=_GAIN, reach=reach, half_width=_HALF_WIDTH)

    def _plan(self, pose: Pose2D, goal: Point, now: int) -> None:
        trying = self._stuck_since is not None and 0 <= now - self._planned_at < self._period
        if trying:
            return
        self._path = self._costmap.path((pose.x, pose.y), goal, self._obstacles())
        self._planned_at = now
        if self._path:
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = now
        elif now - self._stuck_since >= self._patience:
            self._end(NavigationStatus.FAILED)

    def _end(self, state: NavigationStatus) -> None:
        self._state = state
        self._goal = None
        self._path = []

    def _astray(self, pose: Pose2D) -> bool:
        nearest = min(self._path, key=lambda point: math.dist(point, (pose.x, pose.y)))
        # Points are no farther apart than a step of the grid.
        return math.dist(nearest, (pose.x, pose.y)) > _ASTRAY + 0.5 * self._costmap.space.spacing
