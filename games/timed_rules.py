"""A base for rules of a game that is played from its begin until it is won, stopped, or time is up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from arena_trees.games.game import GameContext, Rules
from arena_trees.games.truth import End, Truth
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.repeat import Repeat

__all__ = ["TimedRules"]


class TimedRules(Rules):
    """Repeats the state of the game, and ends it when time is up; a subclass gives the state, and plays.

    Attributes:
        begun: when the game was begun, ns; None before that

    Args:
        context: what is played
        tell_s: the state is repeated this often, s
    """

    def __init__(self, context: GameContext, tell_s: float = 0.1) -> None:
        self.begun: int | None = None
        self._duration = from_seconds(context.duration_s)
        self._tell_s = tell_s
        self._repeat = Repeat()

    @property
    def playing(self) -> bool:
        """Whether the game has begun and not ended."""
        return self.begun is not None and self.end is None

    def begin(self, now: int) -> None:
        """Begin the game afresh (ns)."""
        self.begun = now
        self.end = None
        self.publish()

    def stop(self, now: int, reason: str) -> None:
        """End the game without a winner (ns)."""
        self.finish(now, "aborted", reason)

    def finish(self, now: int, outcome: str, reason: str) -> None:
        """End the game, where it is played.

        Args:
            now: ns
            outcome: one word, of the game's outcomes
            reason: what ended it, a phrase
        """
        if self.playing:
            self.end = End(outcome, reason, now)
            self.publish()

    def publish(self) -> None:
        """Publish the state in this step, since something has happened."""
        self._repeat.at_once()

    def step(self, now: int, truth: Truth, inbox: Inbox) -> Iterable[GameMessage]:
        """Play on, as long as there is time; return the state where it is to be published."""
        if self.begun is not None and now - self.begun >= self._duration:
            self.finish(now, "over", "time is up")
        if self.playing:
            self.play(now, truth, inbox)
        state = self.state
        return (state,) if state is not None and self._repeat.due(now, self._tell_s) else ()

    @abstractmethod
    def play(self, now: int, truth: Truth, inbox: Inbox) -> None:
        """Look at an instant (ns) of the game."""
