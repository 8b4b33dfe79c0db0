"""The game controller's ``pacman`` messages, folded into the ``pacman`` percept."""

from __future__ import annotations

from arena_trees.games.pacman.messages import PacmanGame, PacmanMessageError
from arena_trees.perception.checks import RefusedReadingError
from arena_trees.robot.messages import Message

__all__ = ["PacmanFold"]


class PacmanFold:
    """Keeps the newest state of a game of PacMan.

    A message that is older than the newest by its sender's (epoch, sequence) is ignored: it came late
    or twice.

    Attributes:
        game: the newest state; None before the first
    """

    def __init__(self) -> None:
        self.game: PacmanGame | None = None
        self._newest = (-1, -1)

    def fold(self, message: Message, now: int) -> None:
        """Take a ``pacman`` message in.

        Args:
            message: from the game controller
            now: ns; a sender's clock is another's, so the percept is stamped with its arrival

        Raises:
            RefusedReadingError: the payload is malformed
        """
        newest = (message.epoch, message.sequence)
        if newest <= self._newest:
            return
        sequence = 1 if self.game is None else self.game.sequence + 1
        try:
            self.game = PacmanGame.from_payload(message.payload, now, now, sequence)
        except PacmanMessageError as error:
            raise RefusedReadingError("malformed") from error
        self._newest = newest
