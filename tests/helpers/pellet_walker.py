"""A robot that walks to the nearest pellet, whatever the ghosts do: the least that a game of PacMan needs."""

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.messages import Finished, PacmanGame, PacmanPhase, PacmanStatus
from arena_trees.robot import keys
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.world.maps.occupancy_map import OccupancyMap

_ANSWERS = {
    PacmanPhase.MENU: Finished.READY,
    PacmanPhase.RETURNING_HOME: Finished.AT_HOME,
    PacmanPhase.STARTING: Finished.STARTED,
    PacmanPhase.DYING: Finished.DEATH_SHOWN,
}
_SHOWN = {PacmanPhase.STARTING: "START_THEATRICAL", PacmanPhase.DYING: "DEATH", PacmanPhase.COMPLETE: "WIN"}


class PelletWalker(ActionBehaviour):
    """Answers every phase at once, and walks along the grid while the game runs."""

    def __init__(self, robot: str, area: OccupancyMap) -> None:
        super().__init__("Walk", robot, (keys.POSE, keys.INBOX))
        self._space = FreeSpace(area, 0.22)
        self._answered: tuple[PacmanPhase, int] | None = None
        self._score = 0

    def update(self) -> Status:
        heard, pose = self.percepts.inbox.newest(PacmanGame), self.percepts.pose
        if heard is None or pose is None:
            return Status.RUNNING
        game = heard.message
        if self._answered != (game.phase, game.round):
            self._answer(game)
        for _ in range(game.score - self._score):
            self.show("PELLET")
        self._score = game.score
        if game.phase is PacmanPhase.RUNNING and game.pellets:
            self._walk(game, pose.pose)
        return Status.RUNNING

    def _answer(self, game: PacmanGame) -> None:
        self._answered = (game.phase, game.round)
        if game.phase in _ANSWERS:
            self.send(PacmanStatus(status=_ANSWERS[game.phase], round=game.round))
        if game.phase in _SHOWN:
            self.show(_SHOWN[game.phase])

    def _walk(self, game: PacmanGame, pose: Pose2D) -> None:
        lengths = self._space.distances_from(pose.x, pose.y)
        goal = min(game.pellets, key=lambda pellet: lengths[self._space.nearest(pellet.x, pellet.y)])
        path = self._space.path((pose.x, pose.y), (goal.x, goal.y))
        x, y = path[min(4, len(path) - 1)]
        turn = wrap(math.atan2(y - pose.y, x - pose.x) - pose.yaw)
        self.drive(0.25 if abs(turn) < 0.5 else 0.0, max(-1.0, min(1.0, 2.5 * turn)))
