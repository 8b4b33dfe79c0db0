"""Games: what a trial needs of the game that is played in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from arena_trees.robot.messages import Message
from arena_trees.robot.record import TickRecord
from arena_trees.simulation.results import TrialResult

__all__ = ["TrialGame"]


class TrialGame(Protocol):
    """The game of one trial: its rules, what they say on the bus, and a judge who knows the truth.

    A trial makes it from its plan, its arena and its bus, and asks it in every tick: first the rules, when all
    robots have ticked, then the judge.
    """

    @property
    def outcome(self) -> str:
        """How the game ended, in a word; ``over`` while or where no word fits."""
        ...

    @property
    def reason(self) -> str:
        """What ended it."""
        ...

    @property
    def over(self) -> bool:
        """Whether the trial is over."""
        ...

    def begin(self, now: int) -> None:
        """Begin the game, before the first tick."""
        ...

    def step(self, now: int) -> Message | None:
        """Let the rules act after the robots' tick; return what they said, or None."""
        ...

    def observe(self, now: int, records: Mapping[str, TickRecord]) -> None:
        """Look at one tick, before the arena moves on."""
        ...

    def values(self) -> dict[str, float | int | bool | None]:
        """Return what the trial is judged by; its metrics are in :mod:`arena_trees.simulation.metrics`."""
        ...

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with what this game's picture needs besides."""
        ...
