"""Judges a crossing on which robots are points: their world shows it where they are."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.games.crossroads.evaluation.traffic import Traffic
from arena_trees.games.crossroads.evaluation.trips import Vehicle
from arena_trees.games.figures import Chart
from arena_trees.games.game import Judge
from arena_trees.games.metrics import Value
from arena_trees.games.truth import Observation
from arena_trees.robot.clock import to_seconds

__all__ = ["WorldJudge"]


class WorldJudge(Judge):
    """Measures the traffic of points.

    Args:
        traffic: measures it
        emergencies: whether there are trips of class EMERGENCY

    Attributes:
        traffic: measures it
    """

    def __init__(self, traffic: Traffic, emergencies: bool) -> None:
        self.traffic = traffic
        self._emergencies = emergencies
        self._now = 0

    def observe_vehicles(self, now: int, bodies: Sequence[Vehicle]) -> None:
        """Judge an instant (ns)."""
        self._now = now
        self.traffic.observe(now, bodies)
        self.reason = self.traffic.reason

    def observe(self, seen: Observation) -> None:
        """Points are not observed: their world calls :meth:`look`."""

    def values(self) -> dict[str, Value]:
        """Return what a trial is judged by."""
        traffic = self.traffic
        waits = [to_seconds(trip.appeared - trip.due) for trip in traffic.trips]
        values: dict[str, Value] = {
            **traffic.values(self._now),
            "door_wait_s": sum(waits) / len(waits) if waits else None,
        }
        if self._emergencies:
            values["emergency_wait_max_s"] = traffic.emergency_wait_max()
        return values

    def charts(self) -> Sequence[Chart]:
        """Return how many have crossed by when, and how long they were held up."""
        return self.traffic.charts(self._now)
