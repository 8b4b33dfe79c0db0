"""What referee and wolf say to each other."""

from __future__ import annotations

import enum
from typing import Annotated

from pydantic import Field

from arena_trees.robot.messaging.game_message import Count, CountKey, GameMessage
from arena_trees.robot.messaging.inbox import Inbox

__all__ = ["ISOLATED", "CatchClaim", "GamePhase", "GameState", "game_of"]


class GamePhase(enum.Enum):
    """Phase of a round, as the referee tells it."""

    WAITING = "WAITING"
    """No round has begun."""
    ACTIVE = "ACTIVE"
    CAPTURED = "CAPTURED"
    SURVIVED = "SURVIVED"
    ABORTED = "ABORTED"


class GameState(GameMessage, topic="game"):
    """What the rules say; the referee repeats it.

    Attributes:
        phase: phase of the round
        round: number of the round; 0 where none was announced
        rabbit_alive: False once the rabbit is caught
        inside_wolf_territory: the rabbit is inside the wolf's fence
        rabbit_escaped: the rabbit left the arena for good
        verdicts: the referee's answers to catch claims, claim number to accepted
    """

    phase: GamePhase
    round: Count
    rabbit_alive: bool
    inside_wolf_territory: bool
    rabbit_escaped: bool
    verdicts: Annotated[dict[CountKey, bool], Field(max_length=10_000)]

    def __str__(self) -> str:
        return f"round {self.round} {self.phase.value}"


class CatchClaim(GameMessage, topic="catch_claim"):
    """The wolf claims a catch, and repeats it until the referee has answered.

    Attributes:
        claim: number of the claim, counted by the wolf from 1
        round: number of the round that it belongs to
    """

    claim: Annotated[int, Field(ge=1, lt=1 << 31)]
    round: Annotated[int, Field(ge=0, lt=1 << 31)]


ISOLATED = GameState(
    phase=GamePhase.ACTIVE,
    round=0,
    rabbit_alive=True,
    inside_wolf_territory=True,
    rabbit_escaped=False,
    verdicts={},
)
"""The Wolf and Rabbit report's defaults for a robot that hears nothing: the rabbit is alive and inside, so
each robot relies on its own eyes and its own fence."""


def game_of(inbox: Inbox) -> GameState:
    """Return how the game stands, for all that was heard."""
    newest = inbox.newest(GameState)
    return ISOLATED if newest is None else newest.message
