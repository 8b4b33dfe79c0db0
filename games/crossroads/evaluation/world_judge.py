"""Judges a crossing on which robots are points: their world shows it where they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena_trees.games.crossroads.evaluation.traffic import Traffic
from arena_trees.games.crossroads.evaluation.trips import Vehicle
from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.figures import Chart
from arena_trees.games.game import Judge
from arena_trees.games.metrics import Value
from arena_trees.games.truth import Observation
from arena_trees.robot.clock import to_seconds
from arena_trees.world.palette import INK, MUTED, robot_colour
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Shape

__all__ = ["WorldJudge"]

_WAYS_NAME, _ROBOTS_NAME = "ways driven, the more the wider", "robots at the end"
_WAYS = robot_colour(1)
_WIDEST = 0.12
"""m: width of the way that was driven most."""


class WorldJudge(Judge):
    """Measures the traffic of points.

    Args:
        traffic: measures it
        emergencies: whether there are trips of class EMERGENCY
        floor: of the crossing, to be drawn

    Attributes:
        traffic: measures it
    """

    def __init__(self, traffic: Traffic, emergencies: bool, floor: CrossingFloor) -> None:
        self.traffic = traffic
        self._emergencies = emergencies
        self._floor = floor
        self._bodies: Sequence[Vehicle] = ()
        self._now = 0

    def observe_vehicles(self, now: int, bodies: Sequence[Vehicle]) -> None:
        """Judge an instant (ns)."""
        self._now = now
        self._bodies = bodies
        self.traffic.observe(now, bodies)
        self.reason = self.traffic.reason

    def observe(self, seen: Observation) -> None:
        """Points are not observed: their world calls :meth:`observe_vehicles`."""

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

    def shapes(self) -> Sequence[Shape]:
        """Return the crossing's lines, the ways that were driven, and the robots where they were last."""
        shapes: list[Shape] = [
            Polygon(stripe.corners, fill="#{:02x}{:02x}{:02x}".format(*stripe.colour), alpha=0.7, group="lines")
            for stripe in self._floor.stripes
        ]
        driven = Counter(trip.movement for trip in self.traffic.trips)
        for movement, count in driven.items():
            way = tuple((x, y) for x, y in movement.path.line().coords)
            width = _WIDEST * count / max(driven.values())
            shapes.append(Path(way, _WAYS, width=width, alpha=0.4, layer=Layer.THINGS, group="ways", name=_WAYS_NAME))
        radius = self._floor.crossing.robot_radius
        for x, y in (body.place() for body in self._bodies if body.trip is not None):
            shapes.append(Disc(x, y, radius, MUTED, INK, layer=Layer.ROBOTS, group="robots", name=_ROBOTS_NAME))
        return shapes
