"""Measures a crossing's traffic by the truth: conflicts, separation, throughput, delay, order, stalls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from arena_trees.games.crossroads.evaluation.clearing import Clearings
from arena_trees.games.crossroads.evaluation.order import OrderJudge
from arena_trees.games.crossroads.evaluation.trips import Trip, Vehicle
from arena_trees.games.crossroads.layout.plan import CrossingPlan
from arena_trees.games.crossroads.messages import Urgency
from arena_trees.games.figures import TIME, Chart, Curve
from arena_trees.games.metrics import Value
from arena_trees.robot.clock import from_seconds, to_seconds

__all__ = ["NEAREST", "Traffic"]

NEAREST = 0.45
"""Robots' centres nearer than this are a conflict, m."""


class Traffic:
    """Looks at all robots in each tick.

    Args:
        plan: of the crossing
        speed: of the robots, m/s
        stall: a robot that stands for longer than this has stalled, ns
        round_trip: time in which a message and its answer arrive, s
        courtesy: longest time that the protocol lets later ones hold up an earlier one, s
        stands: a robot slower than this stands, m/s

    Attributes:
        conflicts: pairs of trips that were in each other's way inside, or nearer than 0.45 m
        min_separation: nearest that two centres came, m
        trips: that have ended
        stalls: trips that stood still for too long
        order: who entered past whom
        met: pairs of movements (names) that were inside at the same time
    """

    def __init__(
        self, plan: CrossingPlan, speed: float, stall: int, round_trip: float, courtesy: float, stands: float
    ) -> None:
        self.min_separation = math.inf
        self.trips: list[Trip] = []
        self.delays: list[float] = []
        self.order = OrderJudge(plan, from_seconds(round_trip), courtesy)
        self.met: set[tuple[str, str]] = set()
        self._plan = plan
        self._speed = speed
        self._clearings = Clearings(stands)
        self._stall = stall
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

    def observe(self, now: int, bodies: Sequence[Vehicle]) -> None:
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
        entered = [body for body in inside if id(body.trip) not in self._entered]
        self._entered.update(id(body.trip) for body in entered)
        self.order.observe(now, moving, entered)
        self._clearings.observe(now, bodies)

    def clear(self, now: int, bodies: Sequence[Vehicle]) -> None:
        """Note that a dead robot has been carried away (ns)."""
        self._clearings.begin(now, bodies)

    def count(self, trip: Trip, distance: float) -> None:
        """Count a trip that has ended after a distance (m)."""
        assert trip.gone is not None
        self.trips.append(trip)
        free = distance / self._speed
        self.delays.append(to_seconds(trip.gone - trip.appeared) - free)

    @property
    def reason(self) -> str:
        """What ended a trial, in words."""
        return f"time is up, {len(self.trips)} crossings, {self.conflicts} conflicts"

    def charts(self, now: int) -> tuple[Chart, Chart]:
        """Return how many have crossed by when, in a trial that ends now (ns), and how long they were held up."""
        ends = [to_seconds(trip.gone) for trip in self.trips if trip.gone is not None]
        times = (0.0, *ends, to_seconds(now))
        counts = (*range(len(ends) + 1), len(ends))
        return (
            Chart("Robots that have crossed", TIME, "", (Curve("", times, counts),), style="step", all_trials=True),
            Chart(
                "Share of crossings with at most this delay",
                "delay, s",
                "",
                (Curve("", tuple(self.delays)),),
                style="share",
                all_trials=True,
            ),
        )

    def values(self, now: int) -> dict[str, Value]:
        """Return what a trial that ends now (ns) is judged by; None where nothing was measured."""
        minutes = to_seconds(self._now) / 60.0
        latencies = [_latency(trip) for trip in self.trips if trip.granted and trip.first]
        delays = _spread(self.delays)
        return {
            "crossings": len(self.trips),
            "throughput_per_min": len(self.trips) / minutes if minutes else None,
            "conflicts": self.conflicts,
            "min_separation_m": self.min_separation if math.isfinite(self.min_separation) else None,
            **{f"delay_{name}_s": value for name, value in delays.items()},
            "grant_latency_s": _spread(latencies)["mean"],
            "grant_latency_max_s": max(latencies, default=None),
            "overtakings": self.order.overtakings,
            "order_inversions": self.order.inversions,
            "held_up_max_s": self.order.longest,
            "stalls": self.stalls,
            **self._clearings.values(now),
        }

    def emergency_wait_max(self) -> float | None:
        """Return the longest wait (s) of class EMERGENCY from being first to the grant; None without one."""
        urgent = (trip for trip in self.trips if trip.urgency is Urgency.EMERGENCY and trip.granted and trip.first)
        return max(map(_latency, urgent), default=None)

    def _look_at_distances(self, moving: Sequence[Vehicle]) -> None:
        places = np.array([body.place() for body in moving])
        apart = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        nearest = float(apart.min())
        self.min_separation = min(self.min_separation, nearest)
        if nearest < NEAREST:
            for first, second in zip(*np.nonzero(apart < NEAREST), strict=True):
                if first < second:
                    self._conflict(moving[first], moving[second])

    def _look_at_cells(self, one: Vehicle, other: Vehicle) -> None:
        assert one.trip is not None and other.trip is not None
        mine, its = one.trip.movement, other.trip.movement
        self.met.add((str(mine), str(its)))
        if mine.lane == its.lane:
            # One follows the other; their distance judges them.
            return
        # Outside the box they are in a lane, where one follows the other and their distance judges them.
        here = one.progress < min(mine.outside, self._plan.clear_from(mine.key, its.key))
        if here and other.progress < min(its.outside, self._plan.clear_from(its.key, mine.key)):
            self._conflict(one, other)

    def _conflict(self, one: Vehicle, other: Vehicle) -> None:
        assert one.trip is not None and other.trip is not None
        self._conflicts[id(one.trip), id(other.trip)] = (one.trip, other.trip)


def _latency(trip: Trip) -> float:
    """Return the time (s) from being first in the lane, and near, to the grant."""
    assert trip.granted is not None and trip.first is not None
    return max(0.0, to_seconds(trip.granted - trip.first))


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    if not values:
        return dict.fromkeys(("mean", "p95", "max"))
    return {
        "mean": float(np.mean(values)),
        "p95": float(np.percentile(values, 95)),
        "max": float(np.max(values)),
    }
