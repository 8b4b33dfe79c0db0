"""What PacMan knows in every tick: where it is, what the game shows, and whether it may play."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.control.map_pose_tracker import MapPoseTracker
from arena_trees.games.pacman.blackboard import GHOST_DISCS, MAP_POSE
from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["AvoidGhosts", "GamePhaseIs", "LocateInMap", "NoticeScore", "PoseLost"]


class LocateInMap(PerceptBehaviour):
    """Carry the pose on to now; belongs into the sensing branch, first. Returns SUCCESS always.

    Blackboard Variables:
        * pose (PoseEstimate) [r], odometry (Odometry) [r]
        * map_pose (Pose2D) [w]: None while nobody knows
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.POSE, keys.ODOMETRY), (MAP_POSE,))
        self._carried = MapPoseTracker()

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._carried.reset()
        self.outputs.map_pose = None

    def update(self) -> Status:
        """Write the pose predicted for now, map frame; SUCCESS always."""
        self._carried.update(self.now, self.percepts.pose, self.percepts.odometry)
        pose = self.outputs.map_pose = self._carried.pose()
        self.feedback_message = "nowhere yet" if pose is None else "on the map"
        return Status.SUCCESS


class AvoidGhosts(PerceptBehaviour):
    """Let the embedded navigator drive round the ghosts while the game runs. Returns SUCCESS always.

    So the costmap of the PacMan report does; frightened ghosts are none.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * ghost_discs [w]: a disc around each ghost; none while the game does not run

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters]) -> None:
        super().__init__(name, robot, (keys.INBOX,), (GHOST_DISCS,))
        self.live = live

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self.outputs.ghost_discs = ()

    def update(self) -> Status:
        """Write discs for the ghosts that are to be avoided; SUCCESS always."""
        newest: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        radius = self.live.value.ghost_obstacle_radius
        ghosts = newest.message.ghosts if newest is not None and newest.message.phase is PacmanPhase.RUNNING else ()
        self.outputs.ghost_discs = tuple((ghost.x, ghost.y, radius) for ghost in ghosts if not ghost.frightened)
        return Status.SUCCESS


class NoticeScore(ActionBehaviour):
    """Show what happens in the game: a pellet collected, a reset, a frightened ghost met. Returns SUCCESS always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * map_pose (Pose2D) [r]
        * cues [w]: PELLET, POWER_PELLET, RESET, GHOST
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX, MAP_POSE))
        self._met: frozenset[str] = frozenset()
        self._before: Received[PacmanGame] | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._before = None
        self._met = frozenset()

    def update(self) -> Status:
        """Compare the newest state with the one before and show what happened; SUCCESS always."""
        received: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        last, self._before = self._before, received
        if received is None or last is None or received is last:
            return Status.SUCCESS
        game, before = received.message, last.message
        met_before, self._met = self._met, self._frightened_about(game)
        if self._met - met_before:
            self.show("GHOST")
        if game.score > before.score:
            left = {pellet.id for pellet in game.pellets}
            power = any(pellet.power for pellet in before.pellets if pellet.id not in left)
            self.show("POWER_PELLET" if power else "PELLET")
            self.feedback_message = f"{game.score} collected"
        elif game.phase is PacmanPhase.MENU and before.phase is not PacmanPhase.MENU:
            self.show("RESET")
        return Status.SUCCESS

    def _frightened_about(self, game: PacmanGame) -> frozenset[str]:
        """Return the names of the frightened ghosts that would have caught the robot otherwise."""
        pose: Pose2D | None = self.percepts.map_pose
        if pose is None or game.phase is not PacmanPhase.RUNNING:
            return frozenset()
        near = (one for one in game.ghosts if one.frightened and pose.distance_to(one.x, one.y) <= game.death_radius)
        return frozenset(ghost.name for ghost in near)


class PoseLost(PerceptBehaviour):
    """SUCCESS while the robot does not know where it is. FAILURE otherwise.

    Blackboard Variables:
        * pose (PoseEstimate) [r]: its age
        * map_pose (Pose2D) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters]) -> None:
        super().__init__(name, robot, (keys.POSE, MAP_POSE))
        self.live = live

    def update(self) -> Status:
        """Return SUCCESS if the pose is missing or stale, FAILURE otherwise."""
        pose: PoseEstimate | None = self.percepts.pose
        lost = self.percepts.map_pose is None or not self.fresh(pose, self.live.value.pose_timeout)
        self.feedback_message = "no pose" if lost else ""
        return Status.SUCCESS if lost else Status.FAILURE


class GamePhaseIs(PerceptBehaviour):
    """SUCCESS while the game is in a phase. FAILURE otherwise, before a state is received and when it is too old.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        phase: that is asked for
    """

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters], phase: PacmanPhase) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self.live = live
        self.phase = phase

    def update(self) -> Status:
        """Return SUCCESS if the newest state of the game is fresh and in the phase, FAILURE otherwise."""
        received: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        if received is None or not self.fresh(received, self.live.value.game_timeout):
            return Status.FAILURE
        return Status.SUCCESS if received.message.phase is self.phase else Status.FAILURE
