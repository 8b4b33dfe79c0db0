"""Scheduler yield: stop before the line, wait for the scheduler, enter on its lease."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.crossroads.drive import WayFollower
from arena_trees.behaviours.crossroads.mind import CrosserMind
from arena_trees.games.crossroads.messages import Stage
from arena_trees.games.crossroads.scheduling.states import state_texts
from arena_trees.robot import keys

__all__ = ["AtLine", "EnterCrossing", "Granted", "YieldToScheduler"]

_THERE = 0.04
"""The robot stands at its place of waiting within this, m."""


class Granted(PerceptBehaviour):
    """SUCCESS where the robot may enter, and cannot or need not stop before the line any more. FAILURE otherwise.

    It may with a lease that lasts longer than it takes to have left again.
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot)
        self.mind = mind

    def update(self) -> Status:
        """Look at the line, then at the lease."""
        mind = self.mind
        if mind.client is None or mind.round is None or not mind.at_line():
            return Status.FAILURE
        may = mind.client.may_enter(self.now, mind.crossing_time())
        return Status.SUCCESS if may else Status.FAILURE


class EnterCrossing(WayFollower):
    """Enter: from now on the robot is inside, and finishes. SUCCESS always; to be ticked where :class:`Granted` is."""

    def update(self) -> Status:
        """Note it, and drive."""
        client = self.mind.client
        if client is None:
            return Status.FAILURE
        client.enter(self.now, self.mind.crossing_time())
        self.follow()
        return Status.SUCCESS


class AtLine(PerceptBehaviour):
    """SUCCESS while the robot is at its place of waiting before the line. FAILURE otherwise."""

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot)
        self.mind = mind

    def update(self) -> Status:
        """Look at the place."""
        mind = self.mind
        there = mind.round is not None and not mind.left and (mind.halted or mind.progress >= -_THERE)
        return Status.SUCCESS if there else Status.FAILURE


class YieldToScheduler(ActionBehaviour):
    """Stand before the line until the scheduler lets the robot in. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``
        * command [w]: zero
        * cues [w]: YIELD, when it begins
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self.mind = mind

    def initialise(self) -> None:
        """Show it; ask, where that was not done on the way: the Crossroads report's robot asks when it stands at its line."""
        self.show("YIELD")
        if self.mind.stage is Stage.LEFT:
            self.mind.ask(self.now)

    def update(self) -> Status:
        """Wait."""
        self.drive(0.0, 0.0)
        received = state_texts(self.percepts.inbox)
        self.feedback_message = f"waits: {received}" if received else "nobody schedules"
        return Status.RUNNING
