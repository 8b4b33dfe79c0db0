"""Judges by the truth whether a crossing's robots enter in order, and how long later ones hold up earlier ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena_trees.games.crossroads.evaluation.trips import Trip, Vehicle
from arena_trees.games.crossroads.layout.plan import CrossingPlan
from arena_trees.games.crossroads.layout.words import LaneKey
from arena_trees.games.crossroads.messages import Urgency
from arena_trees.games.crossroads.scheduling.forecast import follows_from
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.timing import TICK

__all__ = ["OrderJudge"]

_SLACK = from_seconds(0.5)


@dataclass(slots=True)
class _Wait:
    """One that waits, first in its lane and known to the scheduler.

    Attributes:
        body: the robot
        trip: that it is on
        passed: trips (ids) that overtook it
        since: instant of the first grant past it, ns
        open: instants at which nobody was in its way but those, or others later than it, ns
    """

    body: Vehicle
    trip: Trip
    passed: set[int] = field(default_factory=set)
    since: int | None = None
    open: list[int] = field(default_factory=list)

    @property
    def held_up(self) -> float:
        """How long it waited for later ones alone, until it was granted, s."""
        if self.since is None:
            return 0.0
        end = len(self.open) if self.trip.granted is None else bisect_left(self.open, self.trip.granted)
        return to_seconds(TICK) * max(0, end - bisect_left(self.open, self.since))


class OrderJudge:
    """Looks at those who wait in each tick.

    One trip is **before** another where it asked earlier and is as urgent, or is more urgent; who is first in a lane is
    as urgent as the most urgent one behind it. A trip **overtakes** one that is before it where it is granted and goes
    in while that one waits in its way, first in its lane and known to the scheduler. From that grant on until its own,
    the one that was overtaken is **held up** at each instant at which it waits for later ones alone: nobody inside who
    did not overtake it, and nobody waiting who is before it, is in its way. An **inversion** is a trip that was held up
    for longer than the protocol allows.

    Args:
        plan: of the crossing
        round_trip: time in which a message and its answer arrive, ns
        allowed: longest time that the protocol lets later ones hold up an earlier one, s

    Attributes:
        overtakings: pairs of trips of which the later one overtook the earlier one
        inversions: trips that were held up for longer than allowed, and have entered
    """

    def __init__(self, plan: CrossingPlan, round_trip: int, allowed: float) -> None:
        self.overtakings = 0
        self.inversions = 0
        self._longest = 0.0
        self._plan = plan
        self._round_trip = round_trip
        self._allowed = allowed
        self._waits: dict[str, _Wait] = {}

    @property
    def longest(self) -> float:
        """Longest time that one was held up, s."""
        return max([self._longest, *(wait.held_up for wait in self._waits.values())])

    def observe(self, now: int, moving: Sequence[Vehicle], entered: Sequence[Vehicle]) -> None:
        """Judge an instant.

        Args:
            now: ns
            moving: the robots on a trip
            entered: those of them who have entered since the last look
        """
        urgencies = _urgencies(moving, entered)
        inside = [body for body in moving if body.inside]
        for body in entered:
            self._end(self._waits.pop(body.name, None))
            self._overtake(body, urgencies)
        for body in moving:
            if self._is_ready(now, body):
                self._note(body)
        self._waits = {name: wait for name, wait in self._waits.items() if wait.body.trip is wait.trip}
        for wait in self._waits.values():
            if not wait.body.dead and not self._waits_its_turn(wait, inside, urgencies):
                wait.open.append(now)

    def _is_ready(self, now: int, body: Vehicle) -> bool:
        """Return whether it waits, first in its lane, and the scheduler has had the time to know and answer."""
        trip = body.trip
        if trip is None or body.dead or trip.entered is not None or trip.first is None or trip.asked is None:
            return False
        return now > max(trip.first, trip.asked) + self._round_trip + _SLACK

    def _note(self, body: Vehicle) -> None:
        assert body.trip is not None
        wait = self._waits.get(body.name)
        if wait is None or wait.trip is not body.trip:
            self._waits[body.name] = _Wait(body, body.trip)

    def _waits_its_turn(self, wait: _Wait, inside: Sequence[Vehicle], urgencies: dict[LaneKey, Urgency]) -> bool:
        """Return whether somebody is in its way who is not later than it."""
        key = wait.trip.movement.key
        for other in inside:
            its = other.movement.key
            if other.dead:
                # That it is held up is the death's doing.
                blocked = other.progress < self._plan.clear_from(its, key)
            else:
                blocked = id(other.trip) not in wait.passed and other.progress < follows_from(self._plan, its, key)
            if blocked:
                return True
        return any(
            not self._plan.together(other.trip.movement.key, key) and self._is_before(other.trip, wait.trip, urgencies)
            for other in self._waits.values()
            if other is not wait and not other.body.dead
        )

    def _is_before(self, one: Trip, other: Trip, urgencies: dict[LaneKey, Urgency]) -> bool:
        mine, its = urgencies[one.movement.lane], urgencies[other.movement.lane]
        if mine is not its or one.asked is None or other.asked is None:
            return mine > its
        return one.asked + self._round_trip < other.asked

    def _overtake(self, body: Vehicle, urgencies: dict[LaneKey, Urgency]) -> None:
        """Note past whom one went in."""
        trip = body.trip
        assert trip is not None
        if trip.granted is None:
            return
        for wait in self._waits.values():
            its = wait.trip
            assert its.first is not None and its.asked is not None
            known = max(its.first, its.asked) + self._round_trip + _SLACK < trip.granted
            in_way = not wait.body.dead and not self._plan.together(its.movement.key, trip.movement.key)
            if known and in_way and self._is_before(its, trip, urgencies):
                self.overtakings += 1
                wait.passed.add(id(trip))
                wait.since = trip.granted if wait.since is None else min(wait.since, trip.granted)

    def _end(self, wait: _Wait | None) -> None:
        if wait is not None:
            self._longest = max(self._longest, wait.held_up)
            self.inversions += wait.held_up > self._allowed + to_seconds(self._round_trip + _SLACK)


def _urgencies(moving: Sequence[Vehicle], entered: Sequence[Vehicle]) -> dict[LaneKey, Urgency]:
    """Return the most urgent class in each lane, of those who wait and of those who have just entered."""
    urgencies: dict[LaneKey, Urgency] = {}
    for body in moving:
        trip = body.trip
        if trip is not None and (trip.entered is None or body in entered):
            lane = trip.movement.lane
            urgencies[lane] = max(trip.urgency, urgencies.get(lane, trip.urgency))
    return urgencies
