"""What PacMan's leaves share: its map, where it is on it, its planner and its navigator."""

from __future__ import annotations

from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.control.map_pose_tracker import MapPoseTracker
from arena_trees.control.navigation.costmap import Costmap, Disc
from arena_trees.control.navigation.embedded_navigator import EmbeddedNavigator
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.control.navigation.map_files import find_map
from arena_trees.control.navigation.occupancy_map import load_map
from arena_trees.control.navigation.path_follower import PathFollower
from arena_trees.games.pacman.messages import PacmanGame
from arena_trees.games.pacman.planning.arena_planner import ArenaPlanner
from arena_trees.games.pacman.planning.pellet_planner import PelletPlanner, Plan
from arena_trees.games.pacman.planning.source_planner import SourcePlanner
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, PoseEstimate
from arena_trees.robot.ports import NavigationStatus, Navigator
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["PacmanMind"]

_NAVIGATION_CELL = 0.1
"""m."""
_AGAIN = SECOND
"""ns after which a goal that has ended is sent again."""


class PacmanMind:
    """Made empty; the map is read when the tree is set up.

    Attributes:
        where: the robot's pose on the map
        plan: what is to be done now, or None
        navigator: drives to goals
        planner: decides where to
        driver: leaf that the navigator drives for now, or None

    Args:
        live: parameters
        streams: random numbers of the robot
        navigator: drives to goals; the embedded one where not given
    """

    navigator: Navigator
    planner: PelletPlanner

    def __init__(
        self, live: Live[PacmanParameters], streams: RandomStreams, navigator: Navigator | None = None
    ) -> None:
        self.live = live
        self.where = MapPoseTracker()
        self.plan: Plan | None = None
        self.driver: object | None = None
        self._goal: Pose2D | None = None
        self._sent_at = 0
        self._streams = streams
        self._given = navigator
        self._loaded = False
        self._now = 0
        self._ghosts: tuple[Disc, ...] = ()

    def load(self) -> None:
        """Read the map, once, and begin anew.

        Raises:
            ConfigError: there is no such map, or it cannot be used
        """
        self.where.reset()
        self.plan = None
        self.driver = None
        self._goal = None
        self._now = 0
        self._ghosts = ()
        if self._loaded:
            self.planner.reset()
            self.navigator.cancel()
            return
        parameters = self.live.value
        area = load_map(find_map(parameters.map))
        if self._given is None:
            space = FreeSpace(area, parameters.wall_clearance, _NAVIGATION_CELL)
            self.navigator = EmbeddedNavigator(
                Costmap(space, parameters.wall_inflation, parameters.wall_weight),
                PathFollower(parameters.follower),
                self.where.pose,
                lambda: self._now,
                lambda: self._ghosts,
                period_s=parameters.source_route_period,
            )
        else:
            self.navigator = self._given
        if parameters.strategy == "source":
            self.planner = SourcePlanner(parameters.source)
        else:
            space = FreeSpace(area, parameters.plan_clearance, parameters.plan_cell)
            self.planner = ArenaPlanner(space, parameters.planner, self._streams.generator("forecast"))
        self._loaded = True

    def locate(self, now: int, estimate: PoseEstimate | None, odometry: Odometry | None) -> Pose2D | None:
        """Return where the robot is now (ns), map frame."""
        self._now = now
        self.where.update(now, estimate, odometry)
        return self.where.pose()

    def send(self, driver: object, goal: Pose2D) -> None:
        """Let the navigator drive to a goal for a leaf, and no longer for another."""
        self.driver = driver
        self._goal = goal
        self._sent_at = self._now
        self.navigator.send_goal(goal)

    def velocity(self) -> Twist2D | None:
        """Return the navigator's velocity; a goal that has ended, well or badly, is sent again after a second."""
        ended = self.navigator.status() is not NavigationStatus.ACTIVE
        if ended and self._goal is not None and not 0 <= self._now - self._sent_at < _AGAIN:
            self._sent_at = self._now
            self.navigator.send_goal(self._goal)
        return self.navigator.velocity()

    def release(self, driver: object) -> None:
        """Give a leaf's goal up, unless the navigator drives for another by now."""
        if self.driver is driver:
            self.driver = None
            self._goal = None
            self.navigator.cancel()

    def mind_ghosts(self, game: PacmanGame | None) -> None:
        """Let the embedded navigator drive round the ghosts, as the document's costmap does; None: drive anywhere."""
        radius = self.live.value.ghost_obstacle_radius
        ghosts = () if game is None else game.ghosts
        self._ghosts = tuple((ghost.x, ghost.y, radius) for ghost in ghosts if not ghost.frightened)
