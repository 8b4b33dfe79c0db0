"""The referee of wolf and rabbit: a clocked state machine that judges catches and repeats the state of the game."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messages import Message
from arena_trees.robot.parameters import Parameters, parameter
from arena_trees.robot.percepts import GamePhase

__all__ = ["CLAIM_TOPIC", "GAME_TOPIC", "Judgement", "Outcome", "Referee", "RefereeParameters", "Witness"]

CLAIM_TOPIC = "catch_claim"
GAME_TOPIC = "game"

_REMEMBERED = 64
"""Verdicts kept. A claim number that far below the highest is a very late duplicate and stays unheard."""


class Outcome(enum.Enum):
    """How a round ended."""

    CAUGHT = "caught"
    SURVIVED = "survived"
    ABORTED = "aborted"


_OUTCOMES = {
    GamePhase.CAPTURED: Outcome.CAUGHT,
    GamePhase.SURVIVED: Outcome.SURVIVED,
    GamePhase.ABORTED: Outcome.ABORTED,
}


class RefereeParameters(Parameters):
    """Rules of the game."""

    catch_distance: float = parameter(
        0.60, "a claim is accepted up to this true distance between the robots' centres", "m", gt=0, le=5
    )
    round_duration: float = parameter(180.0, "the rabbit has survived after this time", "s", gt=0, le=86400)
    publish_period: float = parameter(0.1, "the state of the game is repeated this often", "s", ge=0.02, le=1)
    escape_time: float = parameter(
        5.0, "the rabbit has escaped for good after this time outside its fence without a break", "s", gt=0, le=3600
    )


class Witness(Protocol):
    """What the referee can know of the world: the arena's truth, or cameras over a real one."""

    def distance(self, wolf: str, rabbit: str) -> float:
        """Return the true distance between the two robots' centres, m."""
        ...

    def inside_wolf_territory(self, rabbit: str) -> bool:
        """Return whether the rabbit's centre is inside the wolf's fence."""
        ...

    def inside_own_fence(self, rabbit: str) -> bool:
        """Return whether the rabbit's centre is inside its own fence."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judged claim.

    Attributes:
        claim: number of the claim, counted by the wolf
        round: round in which it was judged
        now: instant of the judgement, ns
        distance: true distance between the centres at that instant, m
        accepted: whether it ended the round
        in_play: whether the claim belonged to the round that was being played; a late or stray claim is
            refused, but is no false catch
    """

    claim: int
    round: int
    now: int
    distance: float
    accepted: bool
    in_play: bool


class Referee:
    """Judges catch claims by true distance and tells everybody the state of the game.

    Each claim number is judged once, at its first arrival; duplicates and late copies change
    nothing, and the verdict is repeated with the state until the end. Nobody has to acknowledge.
    A wolf that restarts (a higher epoch) counts its claims from 1 again.

    Args:
        wolf: name of the robot whose claims count
        rabbit: name of the robot that is caught
        witness: the truth
        parameters: the rules
    """

    def __init__(self, wolf: str, rabbit: str, witness: Witness, parameters: RefereeParameters | None = None) -> None:
        self.wolf = wolf
        self.rabbit = rabbit
        self.parameters = parameters or RefereeParameters()
        self.phase = GamePhase.WAITING
        self.round = 0
        self.reason = ""
        self.judgements: list[Judgement] = []
        self.refused = 0
        self.ended_at: int | None = None
        self._witness = witness
        self._verdicts: dict[int, bool] = {}
        self._epoch = -1
        self._started_at = 0
        self._outside_since: int | None = None
        self._escaped = False
        self._inside = True
        self._published_at: int | None = None
        self._dirty = True

    @property
    def outcome(self) -> Outcome | None:
        """How the newest round ended, or None while none has ended."""
        return _OUTCOMES.get(self.phase)

    def start_round(self, now: int) -> None:
        """Begin the next round.

        Raises:
            ArenaTreesError: a round is being played
        """
        if self.phase is GamePhase.ACTIVE:
            raise ArenaTreesError(f"round {self.round} is still being played")
        self.round += 1
        self.phase = GamePhase.ACTIVE
        self.reason = ""
        self.ended_at = None
        self._started_at = now
        self._outside_since = None
        self._escaped = False
        self._dirty = True

    def abort(self, now: int, reason: str) -> None:
        """End the round without a winner; nothing happens where none is being played."""
        self._end(GamePhase.ABORTED, now, reason)

    def step(self, now: int, messages: Sequence[Message]) -> dict[str, Any] | None:
        """Advance to an instant.

        Args:
            now: the referee's clock, ns
            messages: what arrived since the last step, oldest arrival first

        Returns:
            payload for the topic ``game`` where it is due or something happened, else None
        """
        if now - self._started_at >= from_seconds(self.parameters.round_duration):
            self._end(GamePhase.SURVIVED, now, "time is up")
        self._look(now)
        for message in messages:
            if message.topic == CLAIM_TOPIC and message.sender == self.wolf:
                self._hear(now, message)
        period = from_seconds(self.parameters.publish_period)
        if not self._dirty and self._published_at is not None and 0 <= now - self._published_at < period:
            return None
        self._dirty = False
        self._published_at = now
        return self.payload()

    def payload(self) -> dict[str, Any]:
        """Return the state of the game as it is sent."""
        return {
            "phase": self.phase.value,
            "round": self.round,
            "rabbit_alive": self.phase is not GamePhase.CAPTURED,
            "inside_wolf_territory": self._inside,
            "rabbit_escaped": self._escaped,
            "verdicts": {str(claim): accepted for claim, accepted in self._verdicts.items()},
        }

    def _look(self, now: int) -> None:
        """Compare where the rabbit is with the fences."""
        inside = self._witness.inside_wolf_territory(self.rabbit)
        if inside is not self._inside:
            self._inside = inside
            self._dirty = True
        if self._witness.inside_own_fence(self.rabbit):
            self._outside_since = None
            return
        if self._outside_since is None:
            self._outside_since = now
        gone = now - self._outside_since >= from_seconds(self.parameters.escape_time)
        if gone and not self._escaped:
            self._escaped = True
            self._dirty = True

    def _hear(self, now: int, message: Message) -> None:
        """Judge a claim that is new; drop whatever is none."""
        if message.epoch < self._epoch:
            return
        claim, about = _claim(message.payload)
        if claim is None or about is None:
            self.refused += 1
            return
        if message.epoch > self._epoch:
            self._epoch = message.epoch
            self._verdicts.clear()
        if claim in self._verdicts or claim <= max(self._verdicts, default=0) - _REMEMBERED:
            return
        self._judge(now, claim, about)

    def _judge(self, now: int, claim: int, about: int) -> None:
        distance = self._witness.distance(self.wolf, self.rabbit)
        in_play = self.phase is GamePhase.ACTIVE and about == self.round
        # A distance that is NaN compares false, and so is no catch.
        accepted = in_play and 0.0 <= distance <= self.parameters.catch_distance
        self._verdicts[claim] = accepted
        for old in sorted(self._verdicts)[:-_REMEMBERED]:
            del self._verdicts[old]
        self.judgements.append(Judgement(claim, self.round, now, distance, accepted, in_play))
        self._dirty = True
        if accepted:
            self._end(GamePhase.CAPTURED, now, f"claim {claim} at {distance:.2f} m")

    def _end(self, phase: GamePhase, now: int, reason: str) -> None:
        if self.phase is not GamePhase.ACTIVE:
            return
        self.phase = phase
        self.reason = reason
        self.ended_at = now
        self._dirty = True


def _claim(payload: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the claim's number and round, each None where it is no such number."""
    claim, about = payload.get("claim"), payload.get("round")
    # JSON's true is an int to Python.
    good_claim = type(claim) is int and 1 <= claim < 1 << 31
    good_round = type(about) is int and 0 <= about < 1 << 31
    return (claim if good_claim else None), (about if good_round else None)
