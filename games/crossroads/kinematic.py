"""A crossing without sensors: robots as points on their lanes, their messages, and a scheduler."""

from __future__ import annotations

from collections import deque
from typing import Literal

from arena_trees.games.crossroads.body import Body, Drive, Trip
from arena_trees.games.crossroads.clearing import tell_clear
from arena_trees.games.crossroads.client import CrossingClient
from arena_trees.games.crossroads.judge import CrossingJudge
from arena_trees.games.crossroads.messages import CROSSING_TOPIC, Approach, Urgency
from arena_trees.games.crossroads.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduler import CrossingScheduler
from arena_trees.games.crossroads.source import SourceScheduler
from arena_trees.perception.crossing_fold import CrossingFold
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.message_bus import BusParameters, MessageBus
from arena_trees.robot.parameters import Parameters, parameter
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK
from arena_trees.world.crossing.plan import CrossingParameters, CrossingPlan

__all__ = ["SCHEDULER", "CrossingWorld", "CrossingWorldParameters"]

SCHEDULER = "scheduler"
"""Name of the scheduler on the bus."""


class CrossingWorldParameters(Parameters):
    """A crossing, its robots and its traffic."""

    robots: int = parameter(8, "robots; each drives again when it has reached the end of its arm", ge=1, le=200)
    arrivals_per_min: float = parameter(
        12.0, "robots that arrive, a Poisson process; 0: each robot drives again at once", "1/min", ge=0, le=1000
    )
    protocol: Literal["arena", "source"] = parameter("arena", "arena, or source: document 003's scheduler")
    speed: float = parameter(0.306, "of the robots", "m/s", gt=0, le=2)
    acceleration: float = parameter(0.9, "of the robots", "m/s2", gt=0, le=20)
    request_distance: float = parameter(0.3, "first in its lane, a robot is let in from here", "m", gt=0, le=5)
    priority_share: float = parameter(0.0, "of trips that are of class PRIORITY", ge=0, le=1)
    emergency_share: float = parameter(0.0, "of trips that are of class EMERGENCY", ge=0, le=1)
    roster: bool = parameter(True, "whether the scheduler knows the names of all robots, for its restarts")
    plan: CrossingParameters = parameter(CrossingParameters(), "the crossing")
    times: ProtocolParameters = parameter(ProtocolParameters(), "the protocol's times")
    bus: BusParameters = parameter(BusParameters(), "what happens to messages")


class CrossingWorld:
    """Robots arrive, queue, cross and come again.

    A robot follows those ahead of it in its lane, in the crossing and in the lane behind it as its LiDAR would let it:
    it can always stop ``follow_gap`` behind them. It knows its place. What it may do at the line is its
    :class:`~arena_trees.games.crossroads.client.CrossingClient`'s to say.

    Args:
        parameters: of the world
        seed: of arrivals, movements, classes and messages

    Attributes:
        now: ns
        bodies: the robots
        scheduler: of the crossing; None while it is down
        judge: measures what happens
    """

    def __init__(self, parameters: CrossingWorldParameters | None = None, seed: int = 0) -> None:
        self.parameters = p = parameters or CrossingWorldParameters()
        self.plan = CrossingPlan(p.plan)
        self.now = 0
        streams = RandomStreams(seed)
        bus = MessageBus(lambda: self.now, streams, p.bus)
        self._port = bus.port(SCHEDULER)
        self._epoch = 0
        self.scheduler: CrossingScheduler | SourceScheduler | None = None
        names = [f"robot_{number}" for number in range(1, p.robots + 1)]
        self.bodies = [Body(name, CrossingClient(name, 1, p.times), bus.port(name)) for name in names]
        self.drive = Drive(p.speed, p.acceleration)
        round_trip = 2.0 * (p.bus.delay_s + p.bus.jitter_s)
        self.judge = CrossingJudge(self.plan, self.drive, self._stall_time(), round_trip, p.times.courtesy)
        self._arrivals = streams.generator("arrivals")
        self._choices = streams.generator("movements")
        self._next = 0
        self._door: deque[Trip] = deque()
        self._lanes: dict[Approach, list[Body]] = {approach: [] for approach in self.plan.approaches}
        self._exits: dict[Approach, list[Body]] = {approach: [] for approach in self.plan.approaches}
        self._to_clear: list[str] = []
        self.start_scheduler()

    @property
    def begin(self) -> float:
        """Progress at which robots appear, m."""
        return self.plan.parameters.hold_distance - self.plan.parameters.size

    def start_scheduler(self) -> None:
        """Start a scheduler that knows nothing, in place of the one that may run."""
        self._epoch += 1
        self._port.receive()
        if self.parameters.protocol == "source":
            self.scheduler = SourceScheduler(SCHEDULER, self._epoch, self.plan, self.parameters.times)
            return
        roster = [body.name for body in self.bodies] if self.parameters.roster else ()
        self.scheduler = CrossingScheduler(SCHEDULER, self._epoch, self.plan, self.parameters.times, roster)

    def stop_scheduler(self) -> None:
        """Let the scheduler die."""
        self.scheduler = None

    def kill(self, name: str) -> None:
        """Let a robot die: it brakes and says nothing more."""
        self._body(name).dead = True

    def remove(self, name: str) -> None:
        """Carry a dead robot away, and tell the scheduler that it was seen to be away; it drives again in a new life.

        Raises:
            ArenaTreesError: it is not dead
        """
        body = self._body(name)
        if not body.dead:
            raise ArenaTreesError(f"{name} is not dead")
        for lane in (*self._lanes.values(), *self._exits.values()):
            if body in lane:
                lane.remove(body)
        body.trip, body.dead, body.speed = None, False, 0.0
        body.client = CrossingClient(name, body.client.epoch + 1, self.parameters.times)
        body.ear = CrossingFold()
        body.port.receive()
        self._to_clear.append(name)

    def step(self) -> None:
        """Advance by one tick."""
        self.now += TICK
        self._schedule()
        self._arrive()
        for body in self.bodies:
            body.talk(self.now, self._is_first(body))
        rooms = [(body, self._room(body)) for body in self.bodies if body.trip is not None]
        for body, room in rooms:
            body.drive(self.now, self.drive, room)
        for body, _ in rooms:
            self._go_on(body)
        self.judge.look(self.now, self.bodies)

    def run(self, seconds: float) -> None:
        """Advance by a time (s)."""
        end = self.now + from_seconds(seconds)
        while self.now < end:
            self.step()

    def _body(self, name: str) -> Body:
        return next(body for body in self.bodies if body.name == name)

    def _stall_time(self) -> int:
        """Return how long (ns) nobody stands who is served as the scheduler promises, all ahead of it included."""
        p = self.parameters
        scheduler = CrossingScheduler(SCHEDULER, 0, self.plan, p.times)
        clearing = scheduler.clearing_time(p.speed, p.acceleration, p.request_distance, p.bus.delay_s + p.bus.jitter_s)
        return from_seconds(scheduler.wait_bound(p.robots, clearing))

    def _schedule(self) -> None:
        if self.scheduler is None:
            return
        said = self.scheduler.step(self.now, self._port.receive())
        if said is not None:
            self._port.send(CROSSING_TOPIC, said)
        if isinstance(self.scheduler, CrossingScheduler):
            tell_clear(self.scheduler, self.now, self._to_clear)

    def _arrive(self) -> None:
        """Let robots that wait for a trip begin one where there is room."""
        idle = deque(body for body in self.bodies if body.trip is None)
        if self.parameters.arrivals_per_min > 0.0:
            while self._next <= self.now:
                self._door.append(self._draw())
                self._next += round(self._arrivals.exponential(60.0 / self.parameters.arrivals_per_min) * SECOND)
        else:
            while len(self._door) < len(idle):
                self._door.append(self._draw())
        if not idle:
            return
        full = {approach for approach, lane in self._lanes.items() if lane and not self._has_room(lane[-1])}
        for trip in list(self._door):
            if idle and trip.movement.approach not in full:
                full.add(trip.movement.approach)
                self._door.remove(trip)
                self._begin(idle.popleft(), trip)

    def _draw(self) -> Trip:
        keys = list(self.plan.movements)
        which, share = self._choices.random(2).tolist()
        p = self.parameters
        urgency = Urgency.NORMAL
        if share < p.emergency_share:
            urgency = Urgency.EMERGENCY
        elif share < p.emergency_share + p.priority_share:
            urgency = Urgency.PRIORITY
        return Trip(self.plan.movements[keys[int(which * len(keys))]], urgency, self.now, self.now)

    def _has_room(self, last: Body) -> bool:
        return last.progress >= self.begin + self.plan.parameters.follow_gap + 0.1

    def _begin(self, body: Body, trip: Trip) -> None:
        trip.appeared = self.now
        body.trip = trip
        body.trips.append(trip)
        body.progress, body.speed, body.moved = self.begin, self.parameters.speed, self.now
        self._lanes[trip.movement.approach].append(body)
        if self.parameters.protocol == "arena":
            self._ask(body, trip)

    def _ask(self, body: Body, trip: Trip) -> None:
        trip.asked = self.now
        body.client.ask(self.now, trip.movement.approach, trip.movement.turn, trip.urgency)

    def _is_first(self, body: Body) -> bool:
        trip = body.trip
        if trip is None or trip.entered is not None or body.progress < -self.parameters.request_distance:
            return False
        for other in self._lanes[trip.movement.approach]:
            if other is body:
                break
            if other.trip is not None and other.trip.entered is None:
                return False
        if trip.first is None:
            trip.first = self.now
        if trip.asked is None and body.speed < 1e-3:
            # The document's robot asks when it stands at its line.
            self._ask(body, trip)
        return True

    def _room(self, body: Body) -> float:
        """Return how far (m) the body may drive until it must stand behind somebody."""
        assert body.trip is not None
        movement, gap = body.trip.movement, self.plan.parameters.follow_gap
        limit = float("inf")
        if body.trip.left is None:
            for other in _ahead(self._lanes[movement.approach], body):
                if other.progress < self.plan.clear_from(other.movement.key, movement.key):
                    limit = min(limit, other.progress - gap)
        if body.trip.entered is not None:
            for other in _ahead(self._exits[movement.exit], body):
                limit = min(limit, movement.length + other.progress - other.movement.length - gap)
        return limit - body.progress

    def _go_on(self, body: Body) -> None:
        """Move a body from list to list as it goes."""
        trip = body.trip
        assert trip is not None
        movement, p = trip.movement, self.plan.parameters
        if trip.left is None and body.progress >= movement.outside and body not in self._exits[movement.exit]:
            self._exits[movement.exit].append(body)
        if trip.left is None and trip.entered is not None and body.progress >= movement.length:
            self._lanes[movement.approach].remove(body)
            body.leave(self.now)
        end = movement.length + p.size - (p.line_distance + p.robot_radius + p.follow_gap)
        if trip.left is not None and body.progress >= end:
            self._exits[movement.exit].remove(body)
            trip.gone = self.now
            self.judge.count(trip, end - self.begin)
            body.trip, body.speed = None, 0.0


def _ahead(lane: list[Body], body: Body) -> list[Body]:
    """Return those of a lane who are ahead of one, or all where it is not in that lane yet."""
    return lane[: lane.index(body)] if body in lane else lane
