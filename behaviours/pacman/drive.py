"""PacMan's driving: home, to pellets, away from ghosts."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.pacman.blackboard import PLAN
from arena_trees.behaviours.pacman.navigate import NavigateTo, is_same
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.show import PacmanReporter
from arena_trees.games.pacman.messages import Finished, PacmanGame
from arena_trees.games.pacman.planning.pellet_planner import PelletPlanner, Plan
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ports import NavigationStatus, Navigator

__all__ = ["FollowPlan", "ReturnHome"]


class ReturnHome(NavigateTo, PacmanReporter):
    """Drive home; there, stand and say AT_HOME. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``, for home
        * map_pose (Pose2D) [r]: to see whether it is there
        * ghost_discs [r]: what the embedded navigator drives round
        * navigation (Navigation) [rw]: its goal, while it drives
        * command [w]
        * outbox [w]: ``pacman_status`` AT_HOME

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        navigator: returns the navigator; called when the tree is set up
        planner: returns the planner; called when the tree is set up
    """

    planner: PelletPlanner

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[PacmanParameters],
        navigator: Callable[[], Navigator],
        planner: Callable[[], PelletPlanner],
    ) -> None:
        super().__init__(name, robot, navigator, (keys.INBOX,))
        self.live = live
        self._find_planner = planner
        self._prepared = False

    def setup(self, **kwargs: object) -> None:
        """Take navigator and planner.

        Raises:
            ConfigError: they cannot be made from the map
        """
        super().setup(**kwargs)
        self.planner = self._find_planner()

    def initialise(self) -> None:
        """Begin anew."""
        super().initialise()
        self._prepared = False

    def update(self) -> Status:
        """Drive, or report."""
        heard, pose = self.heard(), self.percepts.map_pose
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
            self.go_to(home)
            self.feedback_message = "on the way home"
        return Status.RUNNING

    def _is_there(self, pose: Pose2D, home: Pose2D) -> bool:
        """Return whether home is near enough, or as near as the navigator comes."""
        if pose.distance_to(home.x, home.y) <= self.live.value.home_tolerance:
            return True
        path = self.navigation()
        return path is not None and is_same(path.goal, home) and path.status is NavigationStatus.SUCCEEDED

    def _prepare(self, game: PacmanGame) -> None:
        """Let the planner do now what takes long, once."""
        if not self._prepared:
            self.planner.prepare(game)
            self._prepared = True


class FollowPlan(NavigateTo):
    """Drive to the plan's goal by the navigator. RUNNING always.

    Blackboard Variables:
        * plan (Plan) [r]
        * map_pose (Pose2D), ghost_discs [r]: what the embedded navigator drives by
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
        """Send a new goal on, and drive."""
        plan: Plan | None = self.percepts.plan
        if plan is None:
            self.drive(0.0, 0.0)
        elif self.go_to(Pose2D(*plan.goal)):
            self.feedback_message = f"to ({plan.goal[0]:.1f}, {plan.goal[1]:.1f})"
        return Status.RUNNING
