"""What goes wrong on a crossing, when it is due: robots and schedulers die, and come to an end of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena_trees.games.crossroads.clearing import Clearings
from arena_trees.games.crossroads.order import RoadUser
from arena_trees.games.crossroads.scenario import Crossroads, CrossroadsFault
from arena_trees.robot.clock import from_seconds

__all__ = ["CrossingFaults", "Mortal"]


class Mortal(Protocol):
    """A crossing on which somebody can die.

    Attributes:
        bodies: the robots
    """

    @property
    def bodies(self) -> Sequence[RoadUser]:
        """The robots."""

    def kill(self, name: str) -> None:
        """Let a robot's computer die."""

    def remove(self, name: str) -> None:
        """Carry a dead robot away, and tell the scheduler that it was seen to be away."""

    def stop_scheduler(self) -> None:
        """Let the scheduler die."""

    def start_scheduler(self) -> None:
        """Start a scheduler that knows nothing."""


class CrossingFaults:
    """Lets happen what a scenario says, and measures how traffic comes back.

    Args:
        scenario: the scenario
        crossing: where
        stands: a robot slower than this stands, m/s
    """

    def __init__(self, scenario: Crossroads, crossing: Mortal, stands: float) -> None:
        self._box = scenario.plan.lane_width
        self._crossing = crossing
        self._pending = list(scenario.faults)
        self._ends: list[tuple[int, str | None]] = []
        self._clearings = Clearings(stands)

    def step(self, now: int) -> None:
        """Let begin and end what is due (ns)."""
        for end in [end for end in self._ends if now >= end[0]]:
            self._ends.remove(end)
            self._end(now, end[1])
        for fault in list(self._pending):
            if now >= from_seconds(fault.at_s) and self._begin(now, fault):
                self._pending.remove(fault)

    def look(self, now: int) -> None:
        """Look at an instant (ns)."""
        self._clearings.look(now, self._crossing.bodies)

    def values(self, now: int) -> dict[str, float | int | bool | None]:
        """Return how fast traffic came back, the longest times of a trial that ends now (ns)."""
        return self._clearings.values(now)

    def _begin(self, now: int, fault: CrossroadsFault) -> bool:
        """Let somebody die; return whether there was somebody."""
        name = None
        if fault.dies == "scheduler":
            self._crossing.stop_scheduler()
        else:
            name = next((body.name for body in self._crossing.bodies if self._is_meant(fault, body)), None)
            if name is None:
                return False
            self._crossing.kill(name)
        if fault.for_s is not None:
            self._ends.append((now + from_seconds(fault.for_s), name))
        return True

    def _is_meant(self, fault: CrossroadsFault, body: RoadUser) -> bool:
        if body.dead or body.trip is None:
            return False
        if fault.robot is not None:
            return body.name == fault.robot
        x, y = body.place()
        return body.inside and max(abs(x), abs(y)) < self._box

    def _end(self, now: int, name: str | None) -> None:
        if name is None:
            self._crossing.start_scheduler()
            return
        self._crossing.remove(name)
        self._clearings.begin(now, self._crossing.bodies)
