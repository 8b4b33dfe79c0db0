"""What referee and wolves say to each other, and wolves among themselves."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from arena_trees.robot.messaging.game_message import Count, CountKey, GameMessage, Name, Number
from arena_trees.robot.messaging.inbox import Inbox

__all__ = ["ISOLATED", "CatchClaim", "GamePhase", "GameState", "Sighting", "game_of"]


class GamePhase(enum.Enum):
    """Phase of a round, as the referee tells it."""

    WAITING = "WAITING"
    """No round has begun."""
    ACTIVE = "ACTIVE"
    CAPTURED = "CAPTURED"
    SURVIVED = "SURVIVED"
    ABORTED = "ABORTED"


Verdicts = Annotated[dict[CountKey, bool], Field(max_length=10_000)]


class GameState(GameMessage, topic="game"):
    """What the rules say; the referee repeats it.

    Attributes:
        phase: phase of the round
        round: number of the round; 0 where none was announced
        rabbit_alive: False once the rabbit is caught
        inside_wolf_territory: the rabbit is inside a wolf's fence
        rabbit_escaped: the rabbit left the arena for good
        verdicts: the referee's answers to catch claims, claim number to accepted; of the only wolf
        verdicts_of: the same of each wolf by name, where there are several; not in the payload where there are not
    """

    phase: GamePhase
    round: Count
    rabbit_alive: bool
    inside_wolf_territory: bool
    rabbit_escaped: bool
    verdicts: Verdicts
    verdicts_of: Annotated[dict[Name, Verdicts], Field(max_length=256)] = Field(default_factory=dict)

    def encode(self) -> dict[str, Any]:
        """Return the payload."""
        return {key: value for key, value in super().encode().items() if value or key != "verdicts_of"}

    def verdicts_for(self, wolf: str) -> Mapping[int, bool]:
        """Return the referee's answers to a wolf's claims."""
        return self.verdicts_of.get(wolf, {}) if self.verdicts_of else self.verdicts

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


class Sighting(GameMessage, topic="sighting"):
    """A wolf of a pack tells the others where it is, and where it sees the rabbit, and repeats that.

    Attributes:
        x: of the wolf, map frame, m
        y: of the wolf, map frame, m
        rabbit: where the rabbit is, map frame, m; None where this wolf does not see it now
    """

    x: Number
    y: Number
    rabbit: tuple[Number, Number] | None

    def __str__(self) -> str:
        return "sees none" if self.rabbit is None else f"rabbit at ({self.rabbit[0]:.1f}, {self.rabbit[1]:.1f})"


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
    """Return the newest state of the game received, or the state before the first."""
    newest = inbox.newest(GameState)
    return ISOLATED if newest is None else newest.message
