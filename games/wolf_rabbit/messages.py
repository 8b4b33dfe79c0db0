"""What referee and wolves say to each other, and wolves among themselves."""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import Field

from arena_trees.robot.messaging.game_message import Count, CountKey, GameMessage, Name, Number
from arena_trees.robot.messaging.inbox import Inbox

__all__ = ["ISOLATED", "CatchClaim", "GamePhase", "GameState", "Place", "Sighting", "game_of"]


class GamePhase(enum.Enum):
    """Phase of a round, as the referee tells it."""

    WAITING = "WAITING"
    """No round has begun."""
    ACTIVE = "ACTIVE"
    CAPTURED = "CAPTURED"
    SURVIVED = "SURVIVED"
    ABORTED = "ABORTED"


Verdicts = Annotated[dict[CountKey, bool], Field(max_length=10_000)]

Place = tuple[Number, Number]
"""x and y, map frame, m."""


class GameState(GameMessage, topic="game"):
    """What the rules say; the referee repeats it.

    Attributes:
        phase: phase of the round
        round: number of the round; 0 where none was announced
        rabbit_alive: False once the rabbit is caught; where there are several, once all of them are
        inside_wolf_territory: a rabbit that is alive is inside a wolf's fence
        rabbit_escaped: every rabbit that is alive left the arena for good
        verdicts: the referee's answers to catch claims, claim number to accepted; of the only wolf
        verdicts_of: the same of each wolf by name, where there are several; not in the payload where there are not
        caught: where each rabbit that is caught was caught, by name, where there are several rabbits; not in the
            payload where nobody is in it
    """

    phase: GamePhase
    round: Count
    rabbit_alive: bool
    inside_wolf_territory: bool
    rabbit_escaped: bool
    verdicts: Verdicts
    verdicts_of: Annotated[dict[Name, Verdicts], Field(max_length=256)] = Field(default_factory=dict)
    caught: Annotated[dict[Name, Place], Field(max_length=256)] = Field(default_factory=dict)

    def encode(self) -> dict[str, Any]:
        """Return the payload."""
        return {key: value for key, value in super().encode().items() if value or key not in _ABSENT_WHERE_EMPTY}

    def verdicts_for(self, wolf: str) -> Mapping[int, bool]:
        """Return the referee's answers to a wolf's claims."""
        return self.verdicts_of.get(wolf, {}) if self.verdicts_of else self.verdicts

    def caught_near(self, place: Place, within: float) -> bool:
        """Return whether a rabbit was caught within a distance (m) of a place."""
        return any(math.dist(place, there) <= within for there in self.caught.values())

    def __str__(self) -> str:
        return f"round {self.round} {self.phase.value}"


_ABSENT_WHERE_EMPTY: Collection[str] = ("verdicts_of", "caught")


class CatchClaim(GameMessage, topic="catch_claim"):
    """The wolf claims a catch, and repeats it until the referee has answered.

    It does not name a rabbit: to a wolf one sign is like another. It counts for the nearest that can be caught.

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
    rabbit: Place | None

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
