"""What a robot that crosses asks before it acts: is it astray, inside, out again, let in, at its line?"""

from __future__ import annotations

from py_trees.blackboard import Client
from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.crossroads.following import near_line
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import LeaseState, Route, RouteProgress
from arena_trees.games.crossroads.layout.round import rounds_of
from arena_trees.games.crossroads.messages import Stage
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["Astray", "AtLine", "BoxIsClear", "Granted", "HasLeft", "StageIs"]

_THERE = 0.04
"""The robot stands at its place of waiting within this, m."""


class Astray(PerceptBehaviour):
    """SUCCESS where the robot does not know that it is on its path, so that it stands. FAILURE otherwise.

    Blackboard Variables:
        * pose (PoseEstimate) [r]
        * progress (RouteProgress) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, (keys.POSE, blackboard.PROGRESS))
        self.live = live

    def update(self) -> Status:
        """Return FAILURE if the pose is fresh and the robot on its path, SUCCESS otherwise."""
        pose: PoseEstimate | None = self.percepts.pose
        progress: RouteProgress | None = self.percepts.progress
        placed = self.fresh(pose, self.live.value.pose_timeout)
        on_path = progress is not None and progress.on_path
        self.feedback_message = "" if placed and on_path else "off its path" if placed else "no pose"
        return Status.FAILURE if placed and on_path else Status.SUCCESS


class StageIs(PerceptBehaviour):
    """SUCCESS while the robot is in a stage of the protocol. FAILURE otherwise.

    Blackboard Variables:
        * lease (LeaseState) [r]
    """

    def __init__(self, name: str, robot: str, stage: Stage) -> None:
        super().__init__(name, robot, (blackboard.LEASE,))
        self.stage = stage

    def update(self) -> Status:
        """Return SUCCESS if the lease is in the stage, FAILURE otherwise."""
        lease: LeaseState | None = self.percepts.lease
        return Status.SUCCESS if lease is not None and lease.stage is self.stage else Status.FAILURE


class HasLeft(PerceptBehaviour):
    """SUCCESS while the crossing of this lap lies behind the robot. FAILURE otherwise.

    Blackboard Variables:
        * route (Route) [r]
        * left (int) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (blackboard.ROUTE, blackboard.LEFT))

    def update(self) -> Status:
        """Return SUCCESS if the crossing of the route's lap was left, FAILURE otherwise."""
        route: Route | None = self.percepts.route
        return Status.SUCCESS if route is not None and self.percepts.left == route.lap else Status.FAILURE


class Granted(PerceptBehaviour):
    """SUCCESS where the robot may enter, and cannot or need not stop before the line any more. FAILURE otherwise.

    It may with a lease that lasts longer than it takes to have left again.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], halted (int) [r]: whether it is at the line
        * lease (LeaseState) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, (blackboard.ROUTE, blackboard.PROGRESS, blackboard.HALTED, blackboard.LEASE))
        self.live = live
        self._rounds = rounds_of(live.value.plan)

    def update(self) -> Status:
        """Return SUCCESS if the robot is near the line and its lease lasts long enough, FAILURE otherwise."""
        progress: RouteProgress | None = self.percepts.progress
        if progress is None or not (near_line(progress, self.live.value) or _halted(self.percepts)):
            return Status.FAILURE
        route: Route | None = self.percepts.route
        lease: LeaseState | None = self.percepts.lease
        if route is None or lease is None:
            return Status.FAILURE
        needed = self.live.value.crossing_time(self._rounds[route.key], progress.along)
        return Status.SUCCESS if lease.may_enter(self.now, needed) else Status.FAILURE


class BoxIsClear(PerceptBehaviour):
    """SUCCESS where nobody is in the box without a lease. FAILURE otherwise.

    Blackboard Variables:
        * stranger (bool) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (blackboard.STRANGER,))

    def update(self) -> Status:
        """Return FAILURE if there is a stranger, SUCCESS otherwise."""
        self.feedback_message = "somebody without a lease" if self.percepts.stranger else ""
        return Status.FAILURE if self.percepts.stranger else Status.SUCCESS


class AtLine(PerceptBehaviour):
    """SUCCESS while a robot that has not left is at its place of waiting before the line. FAILURE otherwise.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r]
        * halted (int) [r]: whether it stands before its line by another rule
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (blackboard.ROUTE, blackboard.PROGRESS, blackboard.HALTED))

    def update(self) -> Status:
        """Return SUCCESS if the robot is at its place of waiting, FAILURE otherwise."""
        progress: RouteProgress | None = self.percepts.progress
        there = progress is not None and (progress.along >= -_THERE or _halted(self.percepts))
        return Status.SUCCESS if there else Status.FAILURE


def _halted(percepts: Client) -> bool:
    """Return whether the robot stands before its line, in this lap, by another rule than its place."""
    lap: int | None = percepts.halted
    return lap is not None and percepts.route is not None and percepts.route.lap == lap
