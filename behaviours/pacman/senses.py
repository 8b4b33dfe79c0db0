"""What PacMan knows in every tick: where it is, what the game shows, and whether it may play."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.pacman.mind import PacmanMind
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["Localised", "Locate", "NoticeScore", "PhaseIs"]


class Locate(PerceptBehaviour):
    """Carry the pose on to now; belongs into the sensing branch, first. Returns SUCCESS always.

    Its setup reads the map.

    Blackboard Variables:
        * pose (PoseEstimate) [r], odometry (Odometry) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind) -> None:
        super().__init__(name, robot, (keys.POSE, keys.ODOMETRY))
        self.mind = mind

    def setup(self, **kwargs: object) -> None:
        """Read the map."""
        self.mind.load()

    def update(self) -> Status:
        """Carry on."""
        pose = self.mind.locate(self.now, self.percepts.pose, self.percepts.odometry)
        self.feedback_message = "nowhere yet" if pose is None else "on the map"
        return Status.SUCCESS


class NoticeScore(ActionBehaviour):
    """Show what the game tells as it happens: a pellet collected, a reset. Returns SUCCESS always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * cues [w]: PELLET, POWER_PELLET, RESET
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self._before: Received[PacmanGame] | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._before = None

    def update(self) -> Status:
        """Compare with the state before."""
        heard: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        last, self._before = self._before, heard
        if heard is None or last is None or heard is last:
            return Status.SUCCESS
        game, before = heard.message, last.message
        if game.score > before.score:
            left = {pellet.id for pellet in game.pellets}
            power = any(pellet.power for pellet in before.pellets if pellet.id not in left)
            self.show("POWER_PELLET" if power else "PELLET")
            self.feedback_message = f"{game.score} collected"
        elif game.phase is PacmanPhase.MENU and before.phase is not PacmanPhase.MENU:
            self.show("RESET")
        return Status.SUCCESS


class Localised(PerceptBehaviour):
    """FAILURE while the robot knows where it is. SUCCESS otherwise, so that it waits.

    Blackboard Variables:
        * pose (PoseEstimate) [r]
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind) -> None:
        super().__init__(name, robot, (keys.POSE,))
        self.mind = mind

    def update(self) -> Status:
        """Look at the pose's age."""
        pose: PoseEstimate | None = self.percepts.pose
        known = self.fresh(pose, self.mind.live.value.pose_timeout) and self.mind.where.pose() is not None
        self.feedback_message = "" if known else "no pose"
        return Status.FAILURE if known else Status.SUCCESS


class PhaseIs(PerceptBehaviour):
    """SUCCESS while the game is in a phase. FAILURE otherwise, before a game is heard of and when it has fallen silent.

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
        """Look at the game."""
        heard: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        if heard is None or not self.fresh(heard, self.live.value.game_timeout):
            return Status.FAILURE
        return Status.SUCCESS if heard.message.phase is self.phase else Status.FAILURE
