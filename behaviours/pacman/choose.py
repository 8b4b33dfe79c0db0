"""PacMan's choice of the next pellet, and of what to do about ghosts."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pacman.blackboard import MAP_POSE, PLAN
from arena_trees.games.pacman.messages import PacmanGame
from arena_trees.games.pacman.planning.pellet_planner import Intent, PelletPlanner, Plan
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Received

__all__ = ["ChoosePellet", "PlanIs"]

_GAP_S = 0.5
"""s without a tick after which the game was not played meanwhile."""


class ChoosePellet(PerceptBehaviour):
    """Plan anew when it is time, or when a pellet has gone. SUCCESS with a plan, FAILURE without one.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * map_pose (Pose2D) [r]
        * plan (Plan) [w]: None where game or pose is unknown

    Args:
        name: of the behaviour
        robot: name of the robot
        planner: returns the planner; called when the tree is set up
        period: returns the time between two plans, s
    """

    planner: PelletPlanner

    def __init__(
        self, name: str, robot: str, planner: Callable[[], PelletPlanner], period: Callable[[], float]
    ) -> None:
        super().__init__(name, robot, (keys.INBOX, MAP_POSE), (PLAN,))
        self.period = period
        self._find_planner = planner
        self._reset()

    def _reset(self) -> None:
        self._planned_at: int | None = None
        self._ticked_at: int | None = None
        self._pellets: int = 0
        self._seen: Received[PacmanGame] | None = None

    def setup(self, **kwargs: object) -> None:
        """Take the planner, and forget an earlier run.

        Raises:
            ConfigError: the planner cannot be made from the map
        """
        self.planner = self._find_planner()
        self.planner.reset()
        self.outputs.plan = None
        self._reset()

    def update(self) -> Status:
        """Plan, if it is time."""
        heard: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        pose: Pose2D | None = self.percepts.map_pose
        if heard is None or pose is None:
            self.outputs.plan = None
            self.feedback_message = "no game" if heard is None else "no pose"
            return Status.FAILURE
        game = heard.message
        self._notice_gap()
        if heard is not self._seen:
            self._seen = heard
            self.planner.watch(game)
        if self._is_due(game):
            self._planned_at = self.now
            self._pellets = len(game.pellets)
            plan = self.outputs.plan = self.planner.decide(pose, game, heard.arrival)
            self.feedback_message = _phrase(plan)
        return Status.SUCCESS

    def _notice_gap(self) -> None:
        """Forget the ghosts' trails after a gap: the game was not played meanwhile."""
        now, before = self.now, self._ticked_at
        self._ticked_at = now
        if before is None or not 0 <= now - before <= from_seconds(_GAP_S):
            self._planned_at = None
            self.planner.reset()

    def _is_due(self, game: PacmanGame) -> bool:
        if self._planned_at is None or len(game.pellets) != self._pellets:
            return True
        return not 0 <= self.now - self._planned_at < from_seconds(self.period())


class PlanIs(PerceptBehaviour):
    """SUCCESS while the plan has an intent. FAILURE otherwise.

    Blackboard Variables:
        * plan (Plan) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        intent: that is asked for
    """

    def __init__(self, name: str, robot: str, intent: Intent) -> None:
        super().__init__(name, robot, (PLAN,))
        self.intent = intent

    def update(self) -> Status:
        """Look at the plan."""
        plan: Plan | None = self.percepts.plan
        return Status.SUCCESS if plan is not None and plan.intent is self.intent else Status.FAILURE


def _phrase(plan: Plan) -> str:
    target = "" if plan.pellet is None else f" pellet {plan.pellet}"
    return f"{plan.intent.value.lower()}{target}"
