"""Sees by the truth what robots that drive on a crossing do, and measures their traffic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena_trees.games.crossroads.evaluation.traffic import Traffic
from arena_trees.games.crossroads.evaluation.trips import Trip, TripState
from arena_trees.games.crossroads.layout.plan import plan_of
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.messages import Claim, Stage, Turn
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.metrics import Value
from arena_trees.games.truth import Truth, TruthSample
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D

__all__ = ["Driver", "RoadWatch"]

_SETTLED = 0.5
"""How far (m) into a round the lateral error begins to count: robots come from a turn, or were put there."""

_MOVING = 0.02
"""A robot slower than this (m/s) stands."""

_LATERAL, _TURNED = 0.10, math.radians(10.0)
"""A turn is made where the robot leaves the crossing within this of its lane, without a contact."""

_END = 0.2
"""A trip ends so far (m) before robots begin to turn round, where one may pause."""

_FACING = math.radians(60.0)
"""One that drives in a lane towards the crossing faces it within this."""

_TOO_FAR = 0.10
"""A stage that is reported this much (m) too early or too late is false."""


class Driver(Protocol):
    """What the parameters of robots that drive say of how they do."""

    @property
    def strategy(self) -> str:
        """How they steer."""

    @property
    def cruise_speed(self) -> float:
        """On a straight way, m/s."""

    @property
    def braking(self) -> float:
        """Deceleration with which stops are planned, m/s2."""

    @property
    def reaction(self) -> float:
        """Time until braking begins, s."""

    @property
    def request_distance(self) -> float:
        """From here they may be let in, m."""

    @property
    def source_right_speed(self) -> float:
        """The Crossroads report's speed in a right turn, m/s."""

    def speed_at(self, curvature: float) -> float:
        """Return the speed (m/s) on a way of a curvature (1/m)."""


@dataclass(slots=True)
class Seen(TripState):
    """A robot, as the judge wants it.

    Attributes:
        name: of the robot
        trip: that it is on
        progress: true one along the round, m
        speed: true one, m/s
        dead: whether its computer is
        moved: instant at which it moved last, ns
        round: of the trip
        claim: the newest of it
        granted: since when it holds the lease of its newest request, ns
        touched: whether it had a contact on this trip
    """

    name: str
    trip: Trip | None = None
    progress: float = 0.0
    speed: float = 0.0
    dead: bool = False
    moved: int = 0
    round: Round | None = None
    claim: Claim | None = None
    granted: int | None = None
    touched: bool = False
    trips: list[Trip] = field(default_factory=list)
    where: Pose2D = field(default_factory=Pose2D)

    def place(self) -> tuple[float, float]:
        """Return where its centre is, map frame, m."""
        return self.where.x, self.where.y


class RoadWatch:
    """Looks at all robots in each tick.

    A trip begins when a robot asks and ends where it begins to turn round, or half way to the next crossing.

    Args:
        rules: of the crossing
        robots: their names
        driver: how they drive
        late: longest time that a message takes, s

    Attributes:
        plan: of the crossing
        traffic: measures it
        turns: for each way, how often it was left, and how often well
        false_stages: stages reported where the truth was another
    """

    def __init__(self, rules: CrossroadsRules, robots: Iterable[str], driver: Driver, late: float) -> None:
        self.plan = plan_of(rules.plan)
        self._driver = driver
        self._robots = {name: Seen(name) for name in robots}
        self.traffic = Traffic(
            self.plan,
            driver.cruise_speed,
            self._stall_time(rules, late),
            2.0 * late,
            rules.times.courtesy,
            _MOVING,
        )
        self.turns: dict[Turn, list[int]] = {turn: [0, 0] for turn in Turn}
        self.false_stages = 0
        self._lateral_squares = 0.0
        self._lateral_ticks = 0
        self._lateral_most = 0.0
        self._stops: list[float] = []
        # Up to the line all ways from one side are alike.
        self._lanes = [Round(self.plan.from_lane(lane), self.plan.parameters) for lane in self.plan.lanes]

    def observe(self, now: int, truth: Truth, claims: Mapping[str, Sequence[Claim]]) -> None:
        """Look at one tick.

        Args:
            now: since the trial began, ns
            truth: of the robots; one that is not seen is where it was
            claims: robot name to what it claimed since the tick before, oldest first
        """
        for name, seen in self._robots.items():
            sample = truth.get(name)
            if sample is not None:
                self._move(now, seen, sample)
            for claim in claims.get(name, ()):
                self._receive(now, seen, claim)
            seen.touched = seen.touched or (sample is not None and bool(sample.contacts))
            if seen.trip is not None and seen.round is not None:
                self._go_on(now, seen, seen.trip, seen.round)
            if seen.trip is None or seen.trip.gone is not None:
                self._approach(seen)
        self.traffic.observe(now, self.robots)

    @property
    def robots(self) -> Sequence[Seen]:
        """The robots, as they were seen last."""
        return list(self._robots.values())

    def mark_dead(self, name: str) -> None:
        """Note that a robot's computer is dead."""
        self._robots[name].dead = True

    def forget(self, now: int, name: str) -> None:
        """Note that a dead robot has been carried away (ns): its trip is not counted."""
        seen = self._robots[name]
        seen.trip, seen.round, seen.claim, seen.granted, seen.dead = None, None, None, None, False
        self.traffic.clear(now, self.robots)

    def values(self, now: int) -> dict[str, Value]:
        """Return what a trial that ends now (ns) is judged by."""
        left, well = self.turns[Turn.LEFT]
        made = [sum(counts) for counts in zip(*self.turns.values(), strict=True)]
        rms = math.sqrt(self._lateral_squares / self._lateral_ticks) if self._lateral_ticks else None
        stops = self._stops
        return {
            **self.traffic.values(now),
            "left_turns": left,
            "left_turn_success_rate": well / left if left else None,
            "ways": made[0],
            "turn_success_rate": made[1] / made[0] if made[0] else None,
            "lane_rms_m": rms,
            "lane_error_max_m": self._lateral_most if self._lateral_ticks else None,
            "lane_ticks": self._lateral_ticks,
            "stop_error_m": sum(map(abs, stops)) / len(stops) if stops else None,
            "false_stages": self.false_stages,
        }

    def _stall_time(self, rules: CrossroadsRules, late: float) -> int:
        scheduler = CrossingScheduler("", 0, self.plan, rules.times)
        p = self._driver
        speed = p.source_right_speed if p.strategy == "source" else p.speed_at(self._tightest())
        clearing = scheduler.clearing_time(speed, p.braking, p.request_distance, late)
        return from_seconds(scheduler.wait_bound(len(self._robots), clearing))

    def _tightest(self) -> float:
        """Return the greatest curvature of a way through the crossing, that of right turns, 1/m."""
        return max(abs(piece.curvature) for path in self.plan.movements.values() for piece in path.path.pieces)

    def _move(self, now: int, seen: Seen, sample: TruthSample) -> None:
        seen.where, seen.speed = sample.pose, sample.twist.linear
        if abs(seen.speed) > _MOVING:
            seen.moved = now
        if seen.round is not None:
            seen.progress = seen.round.project(seen.progress, seen.where.x, seen.where.y)

    def _receive(self, now: int, seen: Seen, claim: Claim) -> None:
        before = seen.claim
        if before is not None and (claim.epoch, claim.sequence) <= (before.epoch, before.sequence):
            # It came late.
            return
        seen.claim = claim
        waiting = claim.stage in (Stage.ENTERING, Stage.WAITING)
        if waiting and (seen.trip is None or seen.trip.left is not None):
            self._begin(now, seen, claim)
        if before is None or before.request != claim.request or claim.lease <= 0.0:
            seen.granted = None
        if claim.lease > 0.0 and seen.granted is None:
            seen.granted = now
        trip = seen.trip
        if trip is None:
            return
        if claim.first and trip.first is None:
            trip.first = now
        if before is not None and before.stage is not claim.stage:
            self._check_stage(seen, trip, claim.stage)

    def _begin(self, now: int, seen: Seen, claim: Claim) -> None:
        movement = self.plan.movements.get(claim.key)
        if movement is None:
            return
        seen.trip = Trip(movement, claim.urgency, now, now, asked=now)
        seen.trips.append(seen.trip)
        seen.round = Round(movement, self.plan.parameters)
        seen.progress = seen.round.project(seen.round.begin, seen.where.x, seen.where.y)
        seen.touched = False
        seen.moved = now

    def _check_stage(self, seen: Seen, trip: Trip, stage: Stage) -> None:
        """Count a stage that is not the true one."""
        false = False
        if stage is Stage.PASSING:
            gap = self.plan.parameters.stop_gap
            false = not -self._braking() - _TOO_FAR <= seen.progress <= gap + _TOO_FAR
        elif stage is Stage.LEFT:
            false = not trip.movement.length - 0.02 <= seen.progress <= trip.movement.length + 2.0 * _TOO_FAR
        elif stage is Stage.WAITING:
            false = abs(seen.speed) > 2.5 * _MOVING
            if seen.progress > -_TOO_FAR:
                self._stops.append(seen.progress)
        self.false_stages += false

    def _go_on(self, now: int, seen: Seen, trip: Trip, path: Round) -> None:
        movement, p = trip.movement, self.plan.parameters
        passing = seen.claim is not None and seen.claim.stage is Stage.PASSING
        if trip.entered is None and (seen.progress > p.stop_gap or (passing and seen.progress > 0.0)):
            trip.entered = now
            trip.granted = seen.granted
            if not passing:
                # Over the line without having reported it.
                self.false_stages += 1
        error = path.pose(seen.progress).relative(seen.where)
        if trip.left is None and trip.entered is not None and seen.progress >= movement.length:
            trip.left = now
            well = abs(error.y) < _LATERAL and abs(error.yaw) < _TURNED and not seen.touched
            self.turns[movement.turn][0] += 1
            self.turns[movement.turn][1] += well
        if trip.left is not None and trip.gone is None and seen.progress >= path.turning - _END:
            trip.gone = now
            self.traffic.count(trip, self._free_time(path) * self._driver.cruise_speed)
        if path.begin + _SETTLED <= seen.progress <= path.turning:
            self._measure_lateral(seen, error.y)

    def _approach(self, seen: Seen) -> None:
        """Measure how one drives that asks at its line alone: what is before it is no trip yet."""
        for path in self._lanes:
            progress = path.project(path.begin + _SETTLED, seen.where.x, seen.where.y)
            error = path.pose(progress).relative(seen.where)
            in_lane = abs(error.y) < self.plan.parameters.lane_width / 2.0 and abs(error.yaw) < _FACING
            if in_lane and path.begin + _SETTLED <= progress <= 0.0:
                self._measure_lateral(seen, error.y)

    def _measure_lateral(self, seen: Seen, lateral: float) -> None:
        if abs(seen.speed) > _MOVING:
            self._lateral_squares += lateral * lateral
            self._lateral_ticks += 1
            self._lateral_most = max(self._lateral_most, abs(lateral))

    def _braking(self) -> float:
        p = self._driver
        return p.cruise_speed * (p.reaction + p.cruise_speed / (2.0 * p.braking))

    def _free_time(self, path: Round) -> float:
        """Return how long (s) a round takes with nobody else there, without turning round."""
        p, step = self._driver, 0.05
        count = math.ceil((path.turning - _END - path.begin) / step)
        bends = (path.curvature(path.begin + step * index) for index in range(count))
        return sum(step / p.speed_at(bend) for bend in bends)
