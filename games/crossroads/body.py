"""A robot on a crossing's lanes as a point that moves along its path: speed and acceleration, stopping in time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from arena_trees.games.crossroads.client import CrossingClient
from arena_trees.games.crossroads.messages import Stage, Urgency
from arena_trees.perception.crossing_fold import CrossingFold
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.message_bus import BusPort
from arena_trees.robot.timing import TICK
from arena_trees.world.crossing.plan import Movement

__all__ = ["Body", "Drive", "OnTrip", "Trip"]

_DT = to_seconds(TICK)
_RESERVE = 0.5
"""Added to the time that a crossing is expected to take, s."""


@dataclass(frozen=True, slots=True)
class Drive:
    """Limits of the base: m/s and m/s2."""

    speed: float
    acceleration: float

    def next_speed(self, speed: float, room: float) -> float:
        """Return the speed (m/s) of the next tick, from which the robot can still stop within the room (m).

        The largest v with v dt + v^2 / (2 a) <= room, not above the limits.
        """
        step = self.acceleration * _DT
        stopping = math.sqrt(step * step + 2.0 * self.acceleration * max(room, 0.0)) - step
        return max(0.0, min(speed + step, self.speed, stopping))

    def time_for(self, distance: float, speed: float) -> float:
        """Return how long (s) a distance (m) takes from a speed (m/s), with nobody ahead."""
        return distance / self.speed + (self.speed - speed) ** 2 / (2.0 * self.acceleration * self.speed)


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


class OnTrip:
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


@dataclass(slots=True)
class Body(OnTrip):
    """A robot: its place on its trip, and its side of the protocol.

    Attributes:
        name: unique
        client: its side of the protocol
        port: its line to the others
        ear: what it has heard of schedulers
        trip: that it is on, or None while it waits for one
        progress: along the movement, m
        speed: m/s
        dead: whether its computer is: it brakes, and says and hears nothing
        moved: instant at which it moved last, ns
    """

    name: str
    client: CrossingClient
    port: BusPort
    ear: CrossingFold = field(default_factory=CrossingFold)
    trip: Trip | None = None
    progress: float = 0.0
    speed: float = 0.0
    dead: bool = False
    moved: int = 0
    trips: list[Trip] = field(default_factory=list)

    def place(self) -> tuple[float, float]:
        """Return where its centre is, map frame, m."""
        assert self.trip is not None
        pose = self.trip.movement.path.pose(self.progress)
        return pose.x, pose.y

    def drive(self, now: int, drive: Drive, room: float) -> None:
        """Move for one tick (now: ns), with so much room (m) ahead; stop before the line without a lease."""
        trip = self.trip
        assert trip is not None
        if self.dead:
            self.speed = max(0.0, self.speed - drive.acceleration * _DT)
        else:
            speed = drive.next_speed(self.speed, room)
            if trip.entered is None:
                speed = self._at_the_line(now, drive, speed)
            self.speed = speed
        self.progress += self.speed * _DT
        if self.speed > 0.0:
            self.moved = now

    def _at_the_line(self, now: int, drive: Drive, speed: float) -> float:
        """Enter where this is the last chance to stop before the line and the lease is good, else keep before it."""
        assert self.trip is not None
        stopping = drive.next_speed(self.speed, -self.progress)
        if speed <= stopping:
            return speed
        needed = drive.time_for(self.trip.movement.length - self.progress, self.speed) + _RESERVE
        if not self.client.may_enter(now, needed):
            return stopping
        self.client.enter(now, needed)
        self.trip.entered = now
        self.trip.granted = self.client.granted_at
        return speed

    def talk(self, now: int, first: bool) -> None:
        """Hear and say what is due."""
        if self.dead:
            return
        states = self.ear.hear(self.port.receive(), now)
        said = self.client.step(now, states, self.progress, first, self.speed < 1e-3)
        if said is not None:
            self.port.send(*said)

    def leave(self, now: int) -> None:
        """Note that the crossing lies behind it."""
        assert self.trip is not None
        self.trip.left = now
        if self.client.stage is Stage.PASSING:
            self.client.leave()
