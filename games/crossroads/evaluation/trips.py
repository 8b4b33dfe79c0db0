"""Trips: ways of robots from the end of an arm to the end of another, as all see them who measure a crossing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena_trees.games.crossroads.layout.plan import Movement
from arena_trees.games.crossroads.messages import Urgency

__all__ = ["Trip", "TripState", "Vehicle"]


@dataclass(slots=True)
class Trip:
    """One way of a robot from the end of an arm to the end of another; instants in ns, None before they come.

    Attributes:
        movement: through the crossing
        urgency: class
        due: when it arrived at the arena, where it may have to wait for a place
        appeared: when it began to drive
        asked: when it asked for the crossing
        first: since when it is first in its lane and near
        granted: when it got the lease with which it entered
        entered: when it could no more stop before the line
        left: when it had left the crossing
        gone: when it reached the end of its arm
    """

    movement: Movement
    urgency: Urgency
    due: int
    appeared: int
    asked: int | None = None
    first: int | None = None
    granted: int | None = None
    entered: int | None = None
    left: int | None = None
    gone: int | None = None


class TripState:
    """What follows from a robot's trip."""

    __slots__ = ()
    trip: Trip | None

    @property
    def inside(self) -> bool:
        """Whether it has entered and not left; a dead one leaves by being taken away."""
        return self.trip is not None and self.trip.entered is not None and self.trip.left is None

    @property
    def movement(self) -> Movement:
        """The movement that it makes; it must be on a trip."""
        assert self.trip is not None
        return self.trip.movement


class Vehicle(Protocol):
    """A robot as those see it who measure.

    Attributes:
        name: unique
        trip: that it is on, or None
        speed: m/s
        dead: whether it is
        moved: instant at which it moved last, ns
    """

    name: str
    trip: Trip | None
    speed: float
    dead: bool
    moved: int

    @property
    def inside(self) -> bool:
        """Whether it has entered and not left."""

    @property
    def movement(self) -> Movement:
        """The movement that it makes; it is on a trip."""

    @property
    def progress(self) -> float:
        """Along the movement, m."""

    def place(self) -> tuple[float, float]:
        """Return where its centre is, map frame, m."""
