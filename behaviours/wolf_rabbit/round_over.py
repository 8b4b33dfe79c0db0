"""The end of a round, as the referee tells it."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.games.wolf_rabbit.messages import GamePhase, game_of
from arena_trees.robot import keys

__all__ = ["RoundOver"]


class RoundOver(PerceptBehaviour):
    """SUCCESS once the round is over: no rabbit alive, or the phase is not ACTIVE. FAILURE otherwise.

    For a rabbit among several it is over once it is caught itself.

    Blackboard Variables:
        * inbox (Inbox) [r]: the referee's messages
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX,))

    def update(self) -> Status:
        """Return SUCCESS if the round is over, FAILURE otherwise."""
        game = game_of(self.percepts.inbox)
        caught = self.robot in game.caught
        if game.rabbit_alive and game.phase is GamePhase.ACTIVE and not caught:
            self.feedback_message = ""
            return Status.FAILURE
        self.feedback_message = "caught" if caught else game.phase.value
        return Status.SUCCESS
