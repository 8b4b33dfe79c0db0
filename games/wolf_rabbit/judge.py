"""The judge of wolf and rabbit: catches, breaches and the quality of the chase, by the truth."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial

from arena_trees.games.common_judge import CommonJudge
from arena_trees.games.figures import TIME, Chart, Curve, Mark
from arena_trees.games.game import GameContext
from arena_trees.games.metrics import Value
from arena_trees.games.observers import SignChaseObserver, StillnessObserver
from arena_trees.games.truth import Observation, Truth
from arena_trees.games.wolf_rabbit.messages import CatchClaim, GamePhase, GameState
from arena_trees.games.wolf_rabbit.rules import WolfRabbitRules
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.messaging.game_message import MessageError
from arena_trees.robot.percepts import Tracking
from arena_trees.world.signs import PlacedSign

__all__ = ["WolfRabbitJudge"]

_EVERY = from_seconds(0.1)
"""Between two points of the chart, ns."""


_SEEN_LATE = 0.03
"""Metres by which robots move until a catch is seen from outside."""


@dataclass(frozen=True, slots=True)
class _Catch:
    """A catch: when, from how far (m), and where, map frame."""

    time_s: float
    distance: float | None
    place: tuple[float, float]


class WolfRabbitJudge(CommonJudge):
    """Watches a trial from outside.

    The outcome is caught, survived, aborted, recovered, failed, or over while or where none of them fits.
    """

    def __init__(self, context: GameContext) -> None:
        super().__init__(context)
        self._rules = rules = context.rules_as(WolfRabbitRules)
        self._players = context.players
        self._wolves, self._rabbits = context.all_with_role("wolf"), context.all_with_role("rabbit")
        both = bool(self._wolves) and bool(self._rabbits)
        self._refereed = both and not context.isolated
        self._chase = SignChaseObserver() if both else None
        self._stillness: StillnessObserver | None = None
        self._verdicts = _Verdicts(self._wolves)
        self._catches: dict[str, _Catch] = {}
        self._caught_s: float | None = None
        self._false_claims = 0
        self._claim_s: float | None = None
        self._claim_distance: float | None = None
        self._rests = self._meals = 0
        self._recovered: bool | None = None if rules.recovery is None else False
        self._recovery_s: float | None = None
        self._distances: list[tuple[float, float]] = []

    def observe(self, seen: Observation) -> None:
        """Look at an instant."""
        self.count(seen)
        self._observe_robots(seen)
        self._verdicts.note_claims(seen)
        able = self._wolves if self._rabbits else ()
        claimers = [wolf for wolf in able if "CATCH" in self._cues(seen, wolf)]
        if claimers and self._claim_s is None:
            self._claim_s, self._claim_distance = to_seconds(seen.now), self._apart(seen.truth, claimers[0])
        if isinstance(seen.state, GameState):
            self._follow(seen, seen.state)
        elif not self._refereed:
            for wolf in claimers:
                self._judge_alone(seen, wolf)
        if self._stillness is not None:
            self._stillness.observe(seen.now, [sample.twist for sample in seen.truth.values()])
        self._note_distance(seen.now, seen.truth)
        self._check_end(seen)

    def values(self) -> dict[str, Value]:
        """Return what the trial is judged by."""
        values: dict[str, Value] = {}
        if self._chase is not None:
            values |= self._catch_values() | self._chase.values()
            if len(self._rabbits) > 1:
                values["catches"] = len(self._catches)
            values |= {"rest_events": self._rests, "meals": self._meals}
        if self._recovered is not None:
            values |= {"recovered": self._recovered, "time_to_recover_s": self._recovery_s}
        return {**values, **super().values()}

    def contradicted(self) -> frozenset[str]:
        """Return what depends on a catch that was from too far away."""
        apart = [catch.distance for catch in self._catches.values() if catch.distance is not None]
        if max(apart, default=0.0) <= self._rules.catch_distance + _SEEN_LATE:
            return frozenset()
        several = ("catches",) if len(self._rabbits) > 1 else ()
        return frozenset(("caught", "time_to_catch_s", "game_time_s", *several))

    def marks(self) -> Sequence[Mark]:
        """Return the catches."""
        return [Mark(catch.time_s, *catch.place, "caught") for catch in self._catches.values()]

    def charts(self) -> Sequence[Chart]:
        """Return how far the robots were from each other, or a lone one from its start."""
        title = "Distance between the robots, m" if len(self._players) > 1 else "Distance from the start, m"
        if len(self._wolves) > 1:
            title = "Distance of the nearest wolf to the rabbit, m"
        if len(self._rabbits) > 1:
            title = "Distance of the nearest wolf to a rabbit, m"
        curve = Curve("", tuple(now for now, _ in self._distances), tuple(far for _, far in self._distances))
        return (Chart(title, TIME, "", (curve,)),)

    def _catch_values(self) -> dict[str, Value]:
        return {
            "caught": self._caught_s is not None,
            "time_to_catch_s": self._caught_s,
            "game_time_s": self.context.duration_s if self._caught_s is None else self._caught_s,
            "catch_true_distance_m": self._mean_distance(),
            "catch_false_count": self._false_claims,
            "claimed": self._claim_s is not None,
            "time_to_claim_s": self._claim_s,
            "claim_true_distance_m": self._claim_distance,
            "stop_after_catch_s": None if self._stillness is None else self._stillness.delay_s,
        }

    @staticmethod
    def _cues(seen: Observation, robot: str | None) -> Sequence[str]:
        return seen.ticks[robot].cues if robot is not None and robot in seen.ticks else ()

    def _observe_robots(self, seen: Observation) -> None:
        for wolf in () if self._chase is None else self._wolves:
            if self._chase is not None and wolf in seen.ticks:
                record = seen.ticks[wolf]
                known = wolf in seen.truth and any(rabbit in seen.truth for rabbit in self._rabbits)
                column = partial(self._true_column, wolf, seen.truth, record.tracking) if known else None
                self._chase.observe(record, column)
        for rabbit in self._rabbits:
            cues = self._cues(seen, rabbit)
            self._rests += cues.count("REST")
            self._meals += cues.count("EAT")

    def _follow(self, seen: Observation, state: GameState) -> None:
        """Note what the referee has judged since the last observation."""
        catcher, refused = self._verdicts.news(state)
        self._false_claims += refused
        if len(self._rabbits) > 1:
            caught = self._verdicts.caught(state)
            for rabbit in [one for one in self._alive if one in caught]:
                self._note_catch(seen, self._nearest(seen.truth, rabbit, self._verdicts.accepted), rabbit)
        elif catcher is not None and self._alive:
            self._note_catch(seen, catcher, self._rabbits[0])
        if not self._alive and self._stillness is None:
            self._stillness = StillnessObserver(seen.now)

    def _judge_alone(self, seen: Observation, wolf: str) -> None:
        """Judge what an isolated wolf takes for a catch; nobody hears of it."""
        distance, rabbit = min(self._distances_of(seen.truth, wolf, self._rabbits), default=(math.inf, ""))
        if distance > self._rules.catch_distance:
            self._false_claims += 1
        elif rabbit in self._alive:
            # No time to stand still is measured: the rabbit has no means to know.
            self._note_catch(seen, wolf, rabbit)

    def _note_catch(self, seen: Observation, wolf: str | None, rabbit: str) -> None:
        poses = [sample.pose for name, sample in seen.truth.items() if name in (wolf, rabbit)]
        place = (0.0, 0.0)
        if poses:
            place = sum(p.x for p in poses) / len(poses), sum(p.y for p in poses) / len(poses)
        distance = None if wolf is None else self._distance(seen.truth, wolf, rabbit)
        time_s = to_seconds(seen.now if seen.end is None else seen.end.now)
        self._catches[rabbit] = _Catch(time_s, distance, place)
        if not self._alive:
            self._caught_s = self.ended_s = time_s
            self.outcome = "caught"
            self.reason = "caught" if distance is None else f"at {distance:.2f} m"

    @property
    def _alive(self) -> Sequence[str]:
        """Names of the rabbits that are not caught."""
        return [rabbit for rabbit in self._rabbits if rabbit not in self._catches]

    def _mean_distance(self) -> float | None:
        known = [catch.distance for catch in self._catches.values() if catch.distance is not None]
        return sum(known) / len(known) if known else None

    def _check_end(self, seen: Observation) -> None:
        if self._rules.recovery is not None:
            self._check_recovery(to_seconds(seen.now + seen.step), seen.truth)
        self.follow_end(seen, self._rules.after_catch_s if self._caught_s is not None else 0.0)
        if self.over and seen.end is None and self.outcome == "over" and self._rabbits:
            self.outcome = "survived"

    def _check_recovery(self, elapsed_s: float, truth: Truth) -> None:
        """See whether the robot is back inside, or has run out of time or into something."""
        rule = self._rules.recovery
        fence = None if rule is None else self._players[rule.robot].fence
        if rule is None or fence is None or rule.robot not in truth:
            return
        pose = truth[rule.robot].pose
        depth = fence.signed_distance(pose.x, pose.y)
        touched = self.contacts.first
        if touched is not None:
            other = next((name for name in touched[1] if name != rule.robot), rule.robot)
            self._end_recovery("failed", f"touched {other}")
        elif depth >= rule.inside:
            self._recovered, self._recovery_s = True, elapsed_s
            self._end_recovery("recovered", f"{depth:.2f} m inside")
        elif elapsed_s >= rule.within_s:
            self._end_recovery("failed", f"{depth:+.2f} m inside after {rule.within_s:g} s")

    def _end_recovery(self, outcome: str, reason: str) -> None:
        self.outcome, self.reason, self.over = outcome, reason, True

    @staticmethod
    def _distance(truth: Truth, wolf: str, rabbit: str) -> float | None:
        hunter, hunted = truth.get(wolf), truth.get(rabbit)
        return None if hunter is None or hunted is None else hunter.pose.distance_to(hunted.pose.x, hunted.pose.y)

    def _distances_of(self, truth: Truth, wolf: str, rabbits: Iterable[str]) -> Iterator[tuple[float, str]]:
        for rabbit in rabbits:
            distance = self._distance(truth, wolf, rabbit)
            if distance is not None:
                yield distance, rabbit

    def _apart(self, truth: Truth, wolf: str) -> float | None:
        """Return how far a wolf is from the nearest rabbit that is not caught; of all where they all are."""
        return min(self._distances_of(truth, wolf, self._alive or self._rabbits), default=(None, ""))[0]

    def _nearest(self, truth: Truth, rabbit: str, claimers: Collection[str]) -> str | None:
        """Return the wolf that is nearest to a rabbit, of those whose claims were accepted if known."""
        wolves = claimers or self._wolves
        found = [(far, wolf) for wolf in wolves for far, _ in self._distances_of(truth, wolf, (rabbit,))]
        return min(found)[1] if found else None

    def _true_column(self, wolf: str, truth: Truth, tracking: Tracking | None) -> float | None:
        """Return the column of a rabbit's sign in a wolf's image, free of noise and latency.

        Of several rabbits, it is of the one whose column is nearest to the one that is steered by.
        """
        camera = self._players[wolf].camera
        columns = []
        for rabbit in self._rabbits:
            sign = self._players[rabbit].sign
            if camera is not None and sign is not None and rabbit in truth:
                box = camera.project(truth[wolf].pose, PlacedSign(sign, truth[rabbit].pose))
                if box is not None:
                    columns.append(box.x)
        steered = 0.0 if tracking is None else tracking.predicted_px
        return min(columns, key=lambda column: abs(column - steered), default=None)

    def _note_distance(self, now: int, truth: Truth) -> None:
        if self._distances and now < from_seconds(self._distances[-1][0]) + _EVERY:
            return
        samples = list(truth.values())
        if len(self._players) == 1 and samples:
            start = self._players[samples[0].robot].start
            if start is not None:
                self._distances.append((to_seconds(now), samples[0].pose.distance_to(start.x, start.y)))
        apart = [far for wolf in self._wolves if (far := self._apart(truth, wolf)) is not None]
        if apart:
            self._distances.append((to_seconds(now), min(apart)))


_MOST_CLAIMS = 1000
"""Whose rounds are remembered; the referee tells of fewer."""


class _Verdicts:
    """What became of the wolves' claims: a claim of another round than the one that is played is no false catch.

    Verdicts of earlier rounds are repeated, and a wolf that has begun anew counts its claims from 1 again: so a catch
    shows in the game's phase, of several rabbits in who is caught, and whose it is in the verdicts.

    Attributes:
        accepted: wolves of whose claims one was accepted with the newest state
    """

    def __init__(self, wolves: Sequence[str]) -> None:
        self._wolves = wolves
        self._rounds: dict[tuple[str, int], int] = {}
        self._known: frozenset[tuple[str, int]] | None = None
        self._caught: int | None = None
        self._played = False
        self._rabbits: tuple[int, frozenset[str]] | None = None
        self.accepted: frozenset[str] = frozenset()

    def note_claims(self, seen: Observation) -> None:
        """Note to which round each claim belongs."""
        for message in seen.messages:
            if message.topic == CatchClaim.topic:
                try:
                    claim = CatchClaim.decode(message.payload)
                except MessageError:
                    continue
                # The newest is the last.
                self._rounds.pop((message.sender, claim.claim), None)
                self._rounds[message.sender, claim.claim] = claim.round
        while len(self._rounds) > _MOST_CLAIMS:
            del self._rounds[next(iter(self._rounds))]

    def news(self, state: GameState) -> tuple[str | None, int]:
        """Return whose claim was accepted since the last time, and how many were refused that were in play."""
        verdicts = {(wolf, claim): valid for wolf in self._wolves for claim, valid in state.verdicts_for(wolf).items()}
        # What there was at first is of before: who looks on from outside may see the last states of an earlier round.
        first = self._known is None
        before = frozenset(verdicts) if self._known is None else self._known
        self._known = frozenset(verdicts)
        played, self._played = self._played, state.phase is GamePhase.ACTIVE
        new = self._known - before
        self.accepted = frozenset(wolf for wolf, claim in new if verdicts[wolf, claim])
        refused = sum(not verdicts[claim] and self._rounds.get(claim, state.round) == state.round for claim in new)
        captured = state.phase is GamePhase.CAPTURED and state.round != self._caught
        if captured:
            self._caught = state.round
        catcher = self._catcher(verdicts, new) if captured and not first else None
        return catcher, refused if played or self._played else 0

    def caught(self, state: GameState) -> Set[str]:
        """Return which of several rabbits were caught in this round since the last time."""
        now = frozenset(state.caught)
        if self._rabbits is None:
            before = now
        else:
            before = self._rabbits[1] if self._rabbits[0] == state.round else frozenset()
        self._rabbits = state.round, now
        return now - before

    def _catcher(self, verdicts: Mapping[tuple[str, int], bool], new: frozenset[tuple[str, int]]) -> str | None:
        """Return the wolf whose claim was accepted: a new one, or else the last one that was made."""
        claims = [claim for claim in sorted(new) if verdicts[claim]]
        claims += [claim for claim in reversed(self._rounds) if verdicts.get(claim)]
        claims += [claim for claim in sorted(verdicts) if verdicts[claim]]
        return claims[0][0] if claims else None
