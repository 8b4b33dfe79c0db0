"""Driving by a navigator, which several leaves share: one goal at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.bumps import BUMPED
from arena_trees.games.pacman.blackboard import GHOST_DISCS, MAP_POSE, NAVIGATION, Navigation
from arena_trees.robot import keys
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ports import NavigationStatus, Navigator

__all__ = ["NavigateTo"]

_SAME_GOAL = 0.02
"""m; a goal that moved by less is the same."""
_AGAIN = SECOND
"""ns after which a goal that has ended is sent again."""


class NavigateTo(ActionBehaviour):
    """A leaf that drives to goals by the navigator; a subclass specifies them.

    Whose goal the navigator has is on the blackboard: a leaf that ends cancels its own goal alone, since the leaf that
    runs after it may have sent another before.

    Blackboard Variables:
        * map_pose (Pose2D), ghost_discs, bumped (BumpedObstacles), scan (Scan) [r]: what the embedded navigator
          drives by
        * navigation (Navigation) [rw]
        * command [w]: the navigator's velocity; zero where it has none

    Args:
        name: of the behaviour
        robot: name of the robot
        navigator: returns the navigator; called when the tree is set up
        reads: further keys that are read
        writes: further keys that are written
    """

    navigator: Navigator
    # A strategy drives round ghosts, or keeps away from them and drives round what it has bumped into.
    optional_reads = (GHOST_DISCS, BUMPED)

    def __init__(
        self,
        name: str,
        robot: str,
        navigator: Callable[[], Navigator],
        reads: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(name, robot, (MAP_POSE, GHOST_DISCS, BUMPED, keys.SCAN, *reads), (NAVIGATION, *writes))
        self._find_navigator = navigator

    def setup(self, **kwargs: object) -> None:
        """Take the navigator.

        Raises:
            ConfigError: it cannot be made from the map
        """
        self.navigator = self._find_navigator()
        self.outputs.navigation = None

    def terminate(self, new_status: Status) -> None:
        """Give the goal up, unless the navigator drives for another leaf by now."""
        if self.navigation() is not None:
            self.outputs.navigation = None
            self.navigator.cancel()

    def navigation(self) -> Navigation | None:
        """Return how this leaf's goal stands; None where it has none."""
        known: Navigation | None = self.outputs.navigation
        if known is None or known.leaf != self.name:
            return None
        status = self.navigator.status()
        if status is not known.status:
            known = self.outputs.navigation = replace(known, status=status)
        return known

    def go_to(self, goal: Pose2D) -> bool:
        """Drive to a goal and return whether it is a new one.

        One that has ended, well or badly, is sent again after a second.
        """
        now, known = self.now, self.navigation()
        is_new = known is None or not is_same(known.goal, goal)
        if known is None or is_new:
            self._send(goal, now)
        elif known.status is not NavigationStatus.ACTIVE and not 0 <= now - known.sent_at < _AGAIN:
            self._send(known.goal, now)
        twist = self.navigator.velocity()
        self.drive(0.0, 0.0) if twist is None else self.drive(twist.linear, twist.angular)
        return is_new

    def _send(self, goal: Pose2D, now: int) -> None:
        self.outputs.navigation = Navigation(str(self.name), goal, now)
        self.navigator.send_goal(goal)


def is_same(goal: Pose2D, other: Pose2D) -> bool:
    """Return whether two goals are the same one; their yaw is free."""
    return abs(goal.x - other.x) + abs(goal.y - other.y) < _SAME_GOAL
