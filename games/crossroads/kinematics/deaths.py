"""What goes wrong on a crossing, when it is due: robots and schedulers die, and come to an end of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from arena_trees.games.crossroads.evaluation.trips import Vehicle
from arena_trees.games.crossroads.parameters import Death
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Deaths", "KillableRobot", "tell_clear"]


def tell_clear(scheduler: CrossingScheduler, now: int, names: list[str]) -> None:
    """Tell a scheduler (ns) who was seen to be away, and take those names off the list.

    One that may still enter on a lease stays there: somebody has to look again.
    """
    for name in list(names):
        with suppress(ArenaTreesError):
            scheduler.seen_clear(now, name)
            names.remove(name)


class KillableRobot(Protocol):
    """A crossing on which somebody can die.

    Attributes:
        bodies: the robots
    """

    @property
    def bodies(self) -> Sequence[Vehicle]:
        """The robots."""

    def kill(self, name: str) -> None:
        """Let a robot's computer die."""

    def remove(self, name: str) -> None:
        """Carry a dead robot away, and tell the scheduler that it was seen to be away."""

    def stop_scheduler(self) -> None:
        """Let the scheduler die."""

    def start_scheduler(self) -> None:
        """Start a scheduler that knows nothing."""


class Deaths:
    """Lets those die, and come to an end of that, whom a scenario names.

    Args:
        deaths: of the scenario
        box: half the side of the square that lanes share, m
        crossing: where
    """

    def __init__(self, deaths: Iterable[Death], box: float, crossing: KillableRobot) -> None:
        self._box = box
        self._crossing = crossing
        self._pending = list(deaths)
        self._ends: list[tuple[int, str | None]] = []

    def step(self, now: int) -> None:
        """Let begin and end what is due (ns)."""
        for end in [end for end in self._ends if now >= end[0]]:
            self._ends.remove(end)
            if end[1] is None:
                self._crossing.start_scheduler()
            else:
                self._crossing.remove(end[1])
        for death in list(self._pending):
            if now >= from_seconds(death.at_s) and self._begin(now, death):
                self._pending.remove(death)

    def _begin(self, now: int, death: Death) -> bool:
        """Let somebody die; return whether there was somebody."""
        name = None
        if death.dies == "scheduler":
            self._crossing.stop_scheduler()
        else:
            name = next((body.name for body in self._crossing.bodies if self._is_meant(death, body)), None)
            if name is None:
                return False
            self._crossing.kill(name)
        if death.for_s is not None:
            self._ends.append((now + from_seconds(death.for_s), name))
        return True

    def _is_meant(self, death: Death, body: Vehicle) -> bool:
        if body.dead or body.trip is None:
            return False
        if death.robot is not None:
            return body.name == death.robot
        x, y = body.place()
        return body.inside and max(abs(x - body.movement.centre), abs(y)) < self._box
