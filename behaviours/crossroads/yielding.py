"""Scheduler yield: wait before the line for the scheduler, enter on its lease."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.crossroads.drive import RouteFollower
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import CrossingEntry, LeaseState, RouteProgress
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.messages import Stage
from arena_trees.games.crossroads.scheduling.states import state_texts
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live

__all__ = ["EnterCrossing", "YieldToScheduler"]


class EnterCrossing(RouteFollower):
    """Enter: from now on the robot is inside, and finishes. SUCCESS always; to be ticked where :class:`Granted` is.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * entered (CrossingEntry) [w]
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, live, writes=blackboard.ENTERED)

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Write the entry and follow the path; SUCCESS always."""
        needed = self.live.value.crossing_time(path, progress.along)
        self.outputs.entered = CrossingEntry(self.percepts.route.lap, self.now, needed)
        self.follow(path, progress)
        return Status.SUCCESS


class YieldToScheduler(ActionBehaviour):
    """Stand before the line until the scheduler lets the robot in. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``
        * lease (LeaseState) [r]
        * asked (int) [w]: when it begins to wait without having asked on the way, as the Crossroads report's robot does
        * command [w]: zero
        * cues [w]: YIELD, when it begins
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX, blackboard.LEASE), (blackboard.ASKED,))
        self.outputs.asked = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self.outputs.asked = None

    def initialise(self) -> None:
        """Show the cue, and request the crossing where that was not done on the way."""
        self.show("YIELD")
        lease: LeaseState | None = self.percepts.lease
        if lease is not None and lease.stage is Stage.LEFT:
            self.outputs.asked = self.now

    def update(self) -> Status:
        """Command zero and show the scheduler's newest state; RUNNING always."""
        self.drive(0.0, 0.0)
        received = state_texts(self.percepts.inbox)
        self.feedback_message = f"waits: {received}" if received else "nobody schedules"
        return Status.RUNNING
