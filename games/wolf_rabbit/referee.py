"""The referee of wolf and rabbit: a clocked state machine that judges catches and repeats the state of the game."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Mapping, Sequence

from arena_trees.games.game import Rules
from arena_trees.games.observers import encloses
from arena_trees.games.truth import End, Truth
from arena_trees.games.wolf_rabbit.messages import CatchClaim, GamePhase, GameState
from arena_trees.games.wolf_rabbit.rules import WolfRabbitRules
from arena_trees.games.wolf_rabbit.shelter import Shelter
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.messaging.order import counts_after
from arena_trees.robot.repeat import Repeat

__all__ = ["Referee", "RoundOutcome"]

Fence = Sequence[tuple[float, float]]

_REMEMBERED = 64
"""Verdicts kept. A claim number that far below the highest is a very late duplicate and stays unheard."""


class RoundOutcome(enum.Enum):
    """How a round ended."""

    CAUGHT = "caught"
    SURVIVED = "survived"
    ABORTED = "aborted"


_OUTCOMES = {
    GamePhase.CAPTURED: RoundOutcome.CAUGHT,
    GamePhase.SURVIVED: RoundOutcome.SURVIVED,
    GamePhase.ABORTED: RoundOutcome.ABORTED,
}


class _Hunted:
    """What the referee knows of a rabbit."""

    def __init__(self, rules: WolfRabbitRules) -> None:
        self.shelter = Shelter(rules)
        self.inside = True
        self.inside_own = True
        self.begin()

    def begin(self) -> None:
        """Forget a round."""
        self.shelter.begin()
        self.caught_at: tuple[float, float] | None = None
        self.escaped = False
        self._outside_since: int | None = None

    def check_escape(self, now: int, time: int) -> None:
        """See whether it has been outside its fence for so long (ns) without a break."""
        if self.inside_own:
            self._outside_since = None
            return
        if self._outside_since is None:
            self._outside_since = now
        self.escaped = self.escaped or now - self._outside_since >= time


class Referee(Rules):
    """Judges catch claims by true distance and tells everybody the state of the game.

    Each claim number is judged once, at its first arrival; duplicates and late copies change
    nothing, and the verdict is repeated with the state until the end. Nobody has to acknowledge.
    A wolf that restarts (a higher epoch) counts its claims from 1 again. So does one that has sent nothing for a while
    (:mod:`~arena_trees.robot.messaging.order`): a forged claim of the highest number shuts nobody out for longer.

    A robot that is not seen is at no distance from anybody, so that no claim is accepted; it counts as inside or
    outside as it was when it was seen last, and as inside before. Where the rules give the rabbit a safe home, no claim
    is accepted there for a while after it came.

    Where there are several rabbits, a claim counts for the nearest one that is alive and not safe, and the round ends
    when all of them are caught.

    Args:
        wolves: names of the robots whose claims count
        rabbits: names of the robots that are caught
        fences: of robots, by name (m, map frame); a robot without one is inside everywhere
        duration_s: the rabbit has survived after this time, s
        rules: further rules
    """

    def __init__(
        self,
        wolves: Sequence[str],
        rabbits: Sequence[str],
        fences: Mapping[str, Fence],
        duration_s: float,
        rules: WolfRabbitRules | None = None,
    ) -> None:
        self.wolves = tuple(wolves)
        self.rabbits = tuple(rabbits)
        self.parameters = rules or WolfRabbitRules()
        self.phase = GamePhase.WAITING
        self.round = 0
        self.end: End | None = None
        self._fences = fences
        self._duration = from_seconds(duration_s)
        self._verdicts: dict[str, dict[int, bool]] = {wolf: {} for wolf in self.wolves}
        self._epochs = dict.fromkeys(self.wolves, -1)
        self._received_at = dict.fromkeys(self.wolves, 0)
        self._started_at = 0
        self._hunted = {rabbit: _Hunted(self.parameters) for rabbit in self.rabbits}
        self._escaped = False
        self._inside = True
        self._repeat = Repeat()
        self._state: GameState | None = None

    @property
    def state(self) -> GameState:
        """How the game stands."""
        if self._state is None:
            alone = len(self.wolves) == 1
            self._state = GameState(
                phase=self.phase,
                round=self.round,
                rabbit_alive=self.phase is not GamePhase.CAPTURED,
                inside_wolf_territory=self._inside,
                rabbit_escaped=self._escaped,
                verdicts=dict(self._verdicts[self.wolves[0]]) if alone else {},
                verdicts_of={} if alone else {wolf: dict(verdicts) for wolf, verdicts in self._verdicts.items()},
                caught=self._caught_places(),
            )
        return self._state

    def begin(self, now: int) -> None:
        """Begin the next round (ns).

        Raises:
            ArenaTreesError: a round is being played
        """
        if self.phase is GamePhase.ACTIVE:
            raise ArenaTreesError(f"round {self.round} is still being played")
        self.round += 1
        self.phase = GamePhase.ACTIVE
        self.end = None
        self._started_at = now
        for hunted in self._hunted.values():
            hunted.begin()
        self._escaped = False
        self._changed()

    def stop(self, now: int, reason: str) -> None:
        """End the round without a winner (ns); nothing happens where none is being played."""
        self._end(GamePhase.ABORTED, now, reason)

    def step(self, now: int, truth: Truth, inbox: Inbox) -> Sequence[GameState]:
        """Advance to an instant (ns); return the state of the game where it is due or something happened."""
        if now - self._started_at >= self._duration:
            self._end(GamePhase.SURVIVED, now, "time is up")
        self._observe(now, truth)
        for received in inbox.of(CatchClaim):
            if received.sender in self._verdicts:
                self._receive(now, received, truth)
        return (self.state,) if self._repeat.due(now, self.parameters.publish_period) else ()

    def diagnostics(self, now: int) -> tuple[bool, str, Mapping[str, str]]:
        """Return whether all is well, a phrase, and values."""
        values = {
            "phase": self.phase.value,
            "round": str(self.round),
            "reason": "" if self.end is None else self.end.reason,
            "claims judged": str(sum(map(len, self._verdicts.values()))),
        }
        return True, f"round {self.round}: {self.phase.value}", values

    def _changed(self) -> None:
        self._state = None
        self._repeat.at_once()

    def _caught_places(self) -> dict[str, tuple[float, float]]:
        """Return where each rabbit was caught, map frame, m; none where there is only one rabbit."""
        if len(self.rabbits) == 1:
            return {}
        return {name: one.caught_at for name, one in self._hunted.items() if one.caught_at is not None}

    def _observe(self, now: int, truth: Truth) -> None:
        """Compare where the rabbits are with the fences."""
        left = {name: one for name, one in self._hunted.items() if one.caught_at is None} or self._hunted
        for name, one in left.items():
            sample = truth.get(name)
            if sample is not None:
                x, y = sample.pose.x, sample.pose.y
                one.shelter.observe(now, sample.pose)
                one.inside = any(self._encloses(wolf, x, y) for wolf in self.wolves)
                one.inside_own = self._encloses(name, x, y)
            one.check_escape(now, from_seconds(self.parameters.escape_time))
        inside, escaped = any(one.inside for one in left.values()), all(one.escaped for one in left.values())
        if (inside, escaped) != (self._inside, self._escaped):
            self._inside, self._escaped = inside, escaped
            self._changed()

    def _encloses(self, robot: str, x: float, y: float) -> bool:
        fence = self._fences.get(robot)
        return fence is None or encloses(fence, x, y)

    def _receive(self, now: int, received: Received[CatchClaim], truth: Truth) -> None:
        """Judge a claim that is new."""
        claim, wolf = received.message, received.sender
        verdicts, epoch = self._verdicts[wolf], self._epochs[wolf]
        # Where later claims are so many, it is a very late duplicate, or of a wolf that has begun anew.
        ancient = claim.claim <= max(verdicts, default=0) - _REMEMBERED
        if received.epoch != epoch or ancient:
            if not counts_after((received.epoch,), (epoch,), self._received_at[wolf], now):
                return
            self._epochs[wolf] = received.epoch
            verdicts.clear()
        self._received_at[wolf] = now
        if claim.claim not in verdicts:
            self._judge(now, wolf, claim, truth)

    def _judge(self, now: int, claimer: str, claim: CatchClaim, truth: Truth) -> None:
        verdicts = self._verdicts[claimer]
        in_play = self.phase is GamePhase.ACTIVE and claim.round == self.round
        distance, rabbit = min(self._catchable(now, claimer, truth), default=(math.inf, ""))
        accepted = in_play and distance <= self.parameters.catch_distance
        verdicts[claim.claim] = accepted
        for old in sorted(verdicts)[:-_REMEMBERED]:
            del verdicts[old]
        self._changed()
        if accepted:
            place = truth[rabbit].pose
            self._hunted[rabbit].caught_at = place.x, place.y
            if all(one.caught_at is not None for one in self._hunted.values()):
                by = f" of {claimer}" if len(self.wolves) > 1 else ""
                self._end(GamePhase.CAPTURED, now, f"claim {claim.claim}{by} at {distance:.2f} m")

    def _catchable(self, now: int, claimer: str, truth: Truth) -> Iterator[tuple[float, str]]:
        """Yield how far (m) each rabbit that can be caught is from a wolf, and its name."""
        wolf = truth.get(claimer)
        for name, one in self._hunted.items():
            rabbit = truth.get(name)
            if wolf is not None and rabbit is not None and one.caught_at is None and not one.shelter.safe(now):
                distance = wolf.pose.distance_to(rabbit.pose.x, rabbit.pose.y)
                # One that is NaN is no distance.
                if distance >= 0.0:
                    yield distance, name

    def _end(self, phase: GamePhase, now: int, reason: str) -> None:
        if self.phase is not GamePhase.ACTIVE:
            return
        self.phase = phase
        self.end = End(_OUTCOMES[phase].value, reason, now)
        self._changed()
