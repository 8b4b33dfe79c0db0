"""Scheduler yield: stop before the line, wait for the scheduler, enter on its lease."""

from __future__ import annotations

from py_trees.common import Access, Status

from arena_trees.behaviours.base import Mover, Reader
from arena_trees.behaviours.crossroads.drive import RouteFollower
from arena_trees.behaviours.crossroads.following import near_line
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.blackboard import (
    ASKED,
    ENTERED,
    HALTED,
    LEASE,
    PROGRESS,
    ROUTE,
    Entry,
    LeaseState,
    Route,
    RouteProgress,
)
from arena_trees.games.crossroads.hearing import state_texts
from arena_trees.games.crossroads.messages import Stage
from arena_trees.robot import keys
from arena_trees.robot.parameters import Live
from arena_trees.world.crossing.round import Round, rounds_of

__all__ = ["AtLine", "EnterCrossing", "Granted", "YieldToScheduler"]

_THERE = 0.04
"""The robot stands at its place of waiting within this, m."""


class Granted(Reader):
    """SUCCESS where the robot may enter, and cannot or need not stop before the line any more. FAILURE otherwise.

    It may with a lease that lasts longer than it takes to have left again.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], halted (int) [r]: whether it is at the line
        * lease (LeaseState) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, (ROUTE, PROGRESS, HALTED, LEASE))
        self.live = live
        self._rounds = rounds_of(live.value.plan)

    def update(self) -> Status:
        """Look at the line, then at the lease."""
        route: Route | None = self.percepts.route
        progress: RouteProgress | None = self.percepts.progress
        lease: LeaseState | None = self.percepts.lease
        if route is None or progress is None or lease is None:
            return Status.FAILURE
        p = self.live.value
        if self.percepts.halted != route.lap and not near_line(progress, p):
            return Status.FAILURE
        needed = p.crossing_time(self._rounds[route.approach, route.turn], progress.along)
        return Status.SUCCESS if lease.may_enter(self.now, needed) else Status.FAILURE


class EnterCrossing(RouteFollower):
    """Enter: from now on the robot is inside, and finishes. SUCCESS always; to be ticked where :class:`Granted` is.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * entered (Entry) [w]
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, live, writes=ENTERED)

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Note it, and drive."""
        needed = self.live.value.crossing_time(path, progress.along)
        self.outputs.entered = Entry(self.percepts.route.lap, self.now, needed)
        self.follow(path, progress)
        return Status.SUCCESS


class AtLine(Reader):
    """SUCCESS while a robot that has not left is at its place of waiting before the line. FAILURE otherwise.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r]
        * halted (int) [r]: whether it stands before its line by another rule
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (ROUTE, PROGRESS, HALTED))

    def update(self) -> Status:
        """Look at the place."""
        route: Route | None = self.percepts.route
        progress: RouteProgress | None = self.percepts.progress
        if route is None or progress is None:
            return Status.FAILURE
        there = self.percepts.halted == route.lap or progress.along >= -_THERE
        return Status.SUCCESS if there else Status.FAILURE


class YieldToScheduler(Mover):
    """Stand before the line until the scheduler lets the robot in. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``
        * lease (LeaseState) [r]
        * asked (int) [w]: when it begins to wait without having asked on the way, as document 003's robot does
        * command [w]: zero
        * cues [w]: YIELD, when it begins
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX, LEASE))
        self.outputs.register_key(ASKED, Access.WRITE)
        self.outputs.asked = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self.outputs.asked = None

    def initialise(self) -> None:
        """Show it; ask, where that was not done on the way."""
        self.show("YIELD")
        lease: LeaseState | None = self.percepts.lease
        if lease is not None and lease.stage is Stage.LEFT:
            self.outputs.asked = self.now

    def update(self) -> Status:
        """Wait."""
        self.drive(0.0, 0.0)
        told = state_texts(self.percepts.inbox)
        self.feedback_message = f"waits: {told}" if told else "nobody schedules"
        return Status.RUNNING
