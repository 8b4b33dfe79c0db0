"""What PacMan's tree keeps on the blackboard: names of keys, and what stands there."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ports import NavigationStatus

__all__ = ["FIRST_GOAL", "GHOST_DISCS", "MAP_POSE", "NAVIGATION", "PLAN", "PLANNING", "Navigation", "Planning"]

MAP_POSE = "map_pose"
"""Pose2D of the robot in the map frame, carried on to this tick by odometry, or None; by ``LocateInMap``."""
PLAN = "plan"
"""Newest :class:`~arena_trees.games.pacman.planning.pellet_planner.Plan`, or None; by ``ChoosePellet``."""
PLANNING = "planning"
""":class:`Planning`; by ``ChoosePellet``."""
NAVIGATION = "navigation"
""":class:`Navigation`, or None while the navigator has no goal; by the leaf that drives."""
FIRST_GOAL = "first_goal"
"""Where the first way of a round will lead, (x, y) in the map frame, m, or None; by ``StartSpin``."""
GHOST_DISCS = "ghost_discs"
"""Discs (x, y, radius) in the map frame, m, that the embedded navigator drives round; by ``AvoidGhosts``."""


@dataclass(frozen=True, slots=True)
class Planning:
    """How the newest plan came about.

    Attributes:
        asked_at: when the plan that is awaited was asked for, ns; None while none is
        made_of: when the newest plan was asked for, ns; None without one
        aside: numbers of the pellets that are put aside, since the robot got nowhere near them
        gave_up: whether all that are left are put aside
    """

    asked_at: int | None = None
    made_of: int | None = None
    aside: tuple[int, ...] = ()
    gave_up: bool = False


@dataclass(frozen=True, slots=True)
class Navigation:
    """The goal that the navigator drives to.

    Attributes:
        leaf: name of the leaf whose goal it is
        goal: in the map frame
        sent_at: when it was sent last, ns
        status: as the navigator reports it
    """

    leaf: str
    goal: Pose2D
    sent_at: int
    status: NavigationStatus = NavigationStatus.ACTIVE
