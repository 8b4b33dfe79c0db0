"""Measures a crossing's traffic by the truth: conflicts, separation, throughput, delay, order, stalls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from arena_trees.games.crossing_plan import CrossingPlan
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.simulation.crossing_body import Body, Drive, Trip

__all__ = ["NEAREST", "CrossingJudge"]

NEAREST = 0.45
"""Robots' centres nearer than this are a conflict, m."""

_SLACK = from_seconds(0.5)


class CrossingJudge:
    """Looks at all robots in each tick.

    Args:
        plan: of the crossing
        drive: of the robots
        stall: a robot that stands for longer than this has stalled, ns
        round_trip: time in which a message and its answer arrive, s

    Attributes:
        conflicts: pairs of trips that were in each other's way inside, or nearer than 0.45 m
        min_separation: nearest that two centres came, m
        trips: that have ended
        stalls: trips that stood still for too long
        inversions: pairs of trips of which the later one entered first though both conflict and none is more urgent
        met: pairs of movements (names) that were inside at the same time
    """

    def __init__(self, plan: CrossingPlan, drive: Drive, stall: int, round_trip: float) -> None:
        self.min_separation = math.inf
        self.trips: list[Trip] = []
        self.delays: list[float] = []
        self.inversions = 0
        self.met: set[tuple[str, str]] = set()
        self._plan = plan
        self._drive = drive
        self._stall = stall
        self._round_trip = from_seconds(round_trip)
        self._conflicts: dict[tuple[int, int], tuple[Trip, Trip]] = {}
        self._stalled: dict[int, Trip] = {}
        self._entered: set[int] = set()
        self._now = 0

    @property
    def conflicts(self) -> int:
        """Number of pairs of trips that conflicted."""
        return len(self._conflicts)

    @property
    def stalls(self) -> int:
        """Number of trips that stalled."""
        return len(self._stalled)

    def look(self, now: int, bodies: Sequence[Body]) -> None:
        """Judge an instant (ns)."""
        self._now = now
        moving = [body for body in bodies if body.trip is not None]
        for body in moving:
            assert body.trip is not None
            if not body.dead and now - body.moved > self._stall:
                self._stalled[id(body.trip)] = body.trip
        inside = [body for body in moving if body.inside]
        if len(moving) > 1:
            self._look_at_distances(moving)
        for one, other in combinations(inside, 2):
            self._look_at_cells(one, other)
        for body in inside:
            if id(body.trip) not in self._entered:
                self._entered.add(id(body.trip))
                self._look_at_order(body, moving)

    def count(self, trip: Trip, distance: float) -> None:
        """Count a trip that has ended after a distance (m)."""
        assert trip.gone is not None
        self.trips.append(trip)
        free = distance / self._drive.speed
        self.delays.append(to_seconds(trip.gone - trip.appeared) - free)

    def summary(self) -> dict[str, Any]:
        """Return the measures; times in s, None where nothing was measured."""
        minutes = to_seconds(self._now) / 60.0
        latencies = [to_seconds(t.granted - t.first) for t in self.trips if t.granted and t.first]
        return {
            "crossings": len(self.trips),
            "conflicts": self.conflicts,
            "min_separation_m": self.min_separation,
            "throughput_per_min": len(self.trips) / minutes if minutes else None,
            "delay_s": _spread(self.delays),
            "grant_latency_s": _spread([max(0.0, value) for value in latencies]),
            "order_inversions": self.inversions,
            "stalls": self.stalls,
        }

    def _look_at_distances(self, moving: Sequence[Body]) -> None:
        places = np.array([body.place() for body in moving])
        apart = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        nearest = float(apart.min())
        self.min_separation = min(self.min_separation, nearest)
        if nearest < NEAREST:
            for first, second in zip(*np.nonzero(apart < NEAREST), strict=True):
                if first < second:
                    self._conflict(moving[first], moving[second])

    def _look_at_cells(self, one: Body, other: Body) -> None:
        assert one.trip is not None and other.trip is not None
        mine, its = one.trip.movement, other.trip.movement
        self.met.add((str(mine), str(its)))
        if mine.approach is its.approach:
            # One follows the other; their distance judges them.
            return
        # Outside the box they are in a lane, where one follows the other and their distance judges them.
        here = one.progress < min(mine.outside, self._plan.clear_from(mine.key, its.key))
        if here and other.progress < min(its.outside, self._plan.clear_from(its.key, mine.key)):
            self._conflict(one, other)

    def _conflict(self, one: Body, other: Body) -> None:
        assert one.trip is not None and other.trip is not None
        self._conflicts[id(one.trip), id(other.trip)] = (one.trip, other.trip)

    def _look_at_order(self, body: Body, moving: Sequence[Body]) -> None:
        """Count those past whom it went: first in their lanes, known to the scheduler, and earlier."""
        trip = body.trip
        assert trip is not None
        if trip.granted is None or trip.asked is None:
            return
        for other in moving:
            waiting = other.trip
            if waiting is None or other.dead or waiting.entered is not None or waiting.first is None:
                continue
            if waiting.asked is None or self._plan.together(waiting.movement.key, trip.movement.key):
                continue
            known = max(waiting.first, waiting.asked) + self._round_trip + _SLACK < trip.granted
            if known and waiting.asked + self._round_trip < trip.asked and waiting.urgency >= trip.urgency:
                self.inversions += 1


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    return {
        "mean": float(np.mean(values)),
        "p95": float(np.percentile(values, 95)),
        "max": float(np.max(values)),
    }
