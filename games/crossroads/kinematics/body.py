"""A robot on a crossing's lanes as a point that moves along its path: speed and acceleration, stopping in time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from arena_trees.games.crossroads.evaluation.trips import Trip, TripState
from arena_trees.games.crossroads.messages import MESSAGES, Crossing, Stage
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.states import states_in
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.message_bus import BusPort
from arena_trees.robot.timing import TICK

__all__ = ["Drive", "KinematicBody"]

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
class KinematicBody(TripState):
    """A robot: its place on its trip, and its side of the protocol.

    Attributes:
        name: unique
        client: its side of the protocol
        port: its line to the others
        mailbox: the messages of schedulers that it has received
        trip: that it is on, or None while it waits for one
        progress: along the movement, m
        speed: m/s
        dead: whether its computer is: it brakes, and sends and receives nothing
        moved: instant at which it moved last, ns
    """

    name: str
    client: CrossingClient
    port: BusPort
    mailbox: Mailbox = field(default_factory=lambda: Mailbox((Crossing,), MESSAGES))
    trip: Trip | None = None
    progress: float = 0.0
    speed: float = 0.0
    dead: bool = False
    moved: int = 0
    trips: list[Trip] = field(default_factory=list)

    @property
    def activity(self) -> str:
        """What it does, in words; empty while it waits for a trip."""
        if self.trip is None:
            return ""
        return f"{'dead' if self.dead else self.client.stage.value.lower()}, {self.trip.movement}"

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

    def reset(self, client: CrossingClient) -> None:
        """Begin a new life without a trip, with its side of the protocol; earlier messages are not received."""
        self.trip, self.dead, self.speed = None, False, 0.0
        self.client = client
        self.mailbox = Mailbox((Crossing,), MESSAGES)
        self.port.receive()

    def talk(self, now: int, first: bool) -> None:
        """Hear and say what is due."""
        if self.dead:
            return
        messages = self.port.receive()
        # A state that has been read counts no more.
        states: list[Crossing] = []
        if messages:
            states = [received.message for received in states_in(self.mailbox.take(messages, now))]
        claim = self.client.step(now, states, self.progress, first, self.speed < 1e-3)
        if claim is not None:
            self.port.send(claim.topic, claim.encode())

    def leave(self, now: int) -> None:
        """Note that the crossing lies behind it."""
        assert self.trip is not None
        self.trip.left = now
        if self.client.stage is Stage.PASSING:
            self.client.leave()
