"""PacMan's driving: home, to pellets, away from ghosts."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.pacman.navigate import NavigateTo, is_same
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.plan_request import PlanRequest
from arena_trees.behaviours.pacman.show import PacmanReporter
from arena_trees.games.pacman.blackboard import PLAN
from arena_trees.games.pacman.messages import Finished, PacmanGame
from arena_trees.games.pacman.planning.pellet_planner import Plan
from arena_trees.robot import keys
from arena_trees.robot.background import Background
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ports import NavigationStatus, Navigator

__all__ = ["FollowPlan", "ReturnHome"]


class ReturnHome(NavigateTo, PacmanReporter):
    """Drive home; there, stand and report AT_HOME. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``, for home
        * map_pose (Pose2D) [r]: to see whether it is there
        * ghost_discs, bumped (BumpedObstacles), scan (Scan) [r]: what the embedded navigator drives round
        * navigation (Navigation) [rw]: its goal, while it drives
        * command [w]
        * outbox [w]: ``pacman_status`` AT_HOME

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        navigator: returns the navigator; called when the tree is set up
        plans: returns the line to the planner; called when the tree is set up
    """

    plans: Background

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[PacmanParameters],
        navigator: Callable[[], Navigator],
        plans: Callable[[], Background],
    ) -> None:
        super().__init__(name, robot, navigator, (keys.INBOX,))
        self.live = live
        self._find_plans = plans
        self._request: PlanRequest | None = None

    def setup(self, **kwargs: object) -> None:
        """Take the navigator, and have the planner made.

        Raises:
            ConfigError: they cannot be made from the map
        """
        super().setup(**kwargs)
        self.plans = self._find_plans()

    def initialise(self) -> None:
        """Forget an earlier request to the planner."""
        super().initialise()
        self._request = None

    def update(self) -> Status:
        """Drive home, or stand there and report AT_HOME; RUNNING always."""
        received, pose = self.newest_game(), self.percepts.map_pose
        home = None if received is None else received.message.home
        if received is None or home is None or pose is None:
            self.drive(0.0, 0.0)
            self.feedback_message = "waiting for home"
        elif self._is_there(pose, home):
            self.drive(0.0, 0.0)
            if self._is_prepared(received.message):
                self.report(Finished.AT_HOME)
                self.feedback_message = "at home"
            else:
                self.feedback_message = "the planner takes the game in"
        else:
            self.go_to(home)
            self.feedback_message = "on the way home"
        return Status.RUNNING

    def _is_there(self, pose: Pose2D, home: Pose2D) -> bool:
        """Return whether home is near enough, or as near as the navigator comes."""
        if pose.distance_to(home.x, home.y) <= self.live.value.home_tolerance:
            return True
        path = self.navigation()
        return path is not None and is_same(path.goal, home) and path.status is NavigationStatus.SUCCEEDED

    def _is_prepared(self, game: PacmanGame) -> bool:
        """Let the planner do now what takes long, once, and return whether that is done."""
        if self._request is None:
            self._request = PlanRequest(self.plans.call("prepare", game), self.now, self.live.value.planning_delay)
        return self._request.is_ready(self.now)


class FollowPlan(NavigateTo):
    """Drive to the plan's goal by the navigator. RUNNING always.

    Blackboard Variables:
        * plan (Plan) [r]
        * map_pose (Pose2D), ghost_discs, bumped (BumpedObstacles), scan (Scan) [r]: what the embedded navigator
          drives by
        * navigation (Navigation) [rw]: its goal
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        navigator: returns the navigator; called when the tree is set up
    """

    def __init__(self, name: str, robot: str, navigator: Callable[[], Navigator]) -> None:
        super().__init__(name, robot, navigator, (PLAN,))

    def update(self) -> Status:
        """Send the plan's goal to the navigator and drive by it, or stand without a plan; RUNNING always."""
        plan: Plan | None = self.percepts.plan
        if plan is None:
            self.drive(0.0, 0.0)
        elif self.go_to(Pose2D(*plan.goal)):
            self.feedback_message = f"to ({plan.goal[0]:.1f}, {plan.goal[1]:.1f})"
        return Status.RUNNING
