"""PacMan's driving: home, to pellets, away from ghosts."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.pacman.mind import PacmanMind
from arena_trees.behaviours.pacman.show import PacmanReporter
from arena_trees.games.pacman.messages import Finished, PacmanGame
from arena_trees.games.pacman.planning.pellet_planner import Intent, Plan
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.ports import NavigationStatus

__all__ = ["ChoosePellet", "FollowPlan", "PlanIs", "ReturnHome"]

_SAME_GOAL = 0.02
"""m; a goal that moved by less is the same."""


class ReturnHome(PacmanReporter):
    """Drive home; there, stand and say AT_HOME. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``, for home
        * command [w]
        * outbox [w]: ``pacman_status`` AT_HOME

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind) -> None:
        super().__init__(name, robot)
        self.mind = mind
        self._goal: Pose2D | None = None
        self._prepared = False

    def initialise(self) -> None:
        """Take the goal anew."""
        super().initialise()
        self._goal = None
        self._prepared = False
        self.mind.mind_ghosts(None)

    def terminate(self, new_status: Status) -> None:
        """Give the goal up."""
        self.mind.release(self)

    def update(self) -> Status:
        """Drive, or report."""
        heard, pose = self.heard(), self.mind.where.pose()
        home = None if heard is None else heard.message.home
        if heard is None or home is None or pose is None:
            self.drive(0.0, 0.0)
            self.feedback_message = "waiting for home"
        elif self._is_there(pose, home):
            self.drive(0.0, 0.0)
            self._prepare(heard.message)
            self.report(Finished.AT_HOME)
            self.feedback_message = "at home"
        else:
            if self._goal != home:
                self._goal = home
                self.mind.send(self, home)
            _forward(self, self.mind.velocity())
            self.feedback_message = "on the way home"
        return Status.RUNNING

    def _is_there(self, pose: Pose2D, home: Pose2D) -> bool:
        """Return whether home is near enough, or as near as the navigator comes."""
        if pose.distance_to(home.x, home.y) <= self.mind.live.value.home_tolerance:
            return True
        return self._goal == home and self.mind.navigator.status() is NavigationStatus.SUCCEEDED

    def _prepare(self, game: PacmanGame) -> None:
        """Let the planner do now what takes long, once."""
        if not self._prepared:
            self.mind.planner.prepare(game)
            self._prepared = True


class ChoosePellet(PerceptBehaviour):
    """Plan anew when it is time, or when a pellet has gone. SUCCESS with a plan, FAILURE without one.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves; the plan is left there
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self.mind = mind
        self._reset()

    def _reset(self) -> None:
        self._planned_at: int | None = None
        self._ticked_at: int | None = None
        self._pellets: int = 0
        self._seen: Received[PacmanGame] | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Plan, if it is time."""
        heard: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        pose = self.mind.where.pose()
        if heard is None or pose is None:
            self.mind.plan = None
            return Status.FAILURE
        game = heard.message
        self._begin_anew()
        if heard is not self._seen:
            self._seen = heard
            self.mind.planner.watch(game)
        source = self.mind.live.value.strategy == "source"
        self.mind.mind_ghosts(game if source else None)
        if self._due(game):
            self._planned_at = self.now
            self._pellets = len(game.pellets)
            self.mind.plan = self.mind.planner.decide(pose, game, heard.arrival)
            self.feedback_message = _phrase(self.mind.plan)
        return Status.SUCCESS

    def _begin_anew(self) -> None:
        """Forget the ghosts' trails after a gap: the game was not played meanwhile."""
        now, before = self.now, self._ticked_at
        self._ticked_at = now
        if before is None or not 0 <= now - before <= from_seconds(0.5):
            self._planned_at = None
            self.mind.plan = None
            self.mind.planner.reset()

    def _due(self, game: PacmanGame) -> bool:
        if self._planned_at is None or len(game.pellets) != self._pellets:
            return True
        parameters = self.mind.live.value
        period = parameters.source_period if parameters.strategy == "source" else parameters.plan_period
        return not 0 <= self.now - self._planned_at < from_seconds(period)


class PlanIs(PerceptBehaviour):
    """SUCCESS while the plan has an intent. FAILURE otherwise.

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
        intent: that is asked for
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind, intent: Intent) -> None:
        super().__init__(name, robot)
        self.mind = mind
        self.intent = intent

    def update(self) -> Status:
        """Look at the plan."""
        plan = self.mind.plan
        return Status.SUCCESS if plan is not None and plan.intent is self.intent else Status.FAILURE


class FollowPlan(ActionBehaviour):
    """Drive to the plan's goal by the navigator. RUNNING always.

    Blackboard Variables:
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind) -> None:
        super().__init__(name, robot)
        self.mind = mind
        self._plan: Plan | None = None
        self._goal: tuple[float, float] | None = None

    def initialise(self) -> None:
        """Take the goal anew."""
        self._plan = self._goal = None

    def terminate(self, new_status: Status) -> None:
        """Give the goal up."""
        self.mind.release(self)

    def update(self) -> Status:
        """Send a new goal on, and drive."""
        plan = self.mind.plan
        if plan is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        if plan is not self._plan:
            self._plan = plan
            self._send(plan)
        _forward(self, self.mind.velocity())
        return Status.RUNNING

    def _send(self, plan: Plan) -> None:
        known = self._goal
        if known is not None and abs(known[0] - plan.goal[0]) + abs(known[1] - plan.goal[1]) < _SAME_GOAL:
            return
        self._goal = plan.goal
        self.mind.send(self, Pose2D(*plan.goal))
        self.feedback_message = f"to ({plan.goal[0]:.1f}, {plan.goal[1]:.1f})"


def _forward(leaf: ActionBehaviour, twist: Twist2D | None) -> None:
    """Command the navigator's velocity; stand where it has none."""
    leaf.drive(0.0, 0.0) if twist is None else leaf.drive(twist.linear, twist.angular)


def _phrase(plan: Plan) -> str:
    target = "" if plan.pellet is None else f" pellet {plan.pellet}"
    return f"{plan.intent.value.lower()}{target}"
