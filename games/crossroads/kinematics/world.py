"""A crossing, or a row of them, without sensors: robots as points on their lanes, their messages, and a scheduler."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence

from arena_trees.games.crossroads.evaluation.traffic import Traffic
from arena_trees.games.crossroads.evaluation.trips import Trip
from arena_trees.games.crossroads.evaluation.world_judge import WorldJudge
from arena_trees.games.crossroads.kinematics.body import Drive, KinematicBody
from arena_trees.games.crossroads.kinematics.deaths import Deaths, tell_clear
from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import Movement, plan_of
from arena_trees.games.crossroads.layout.words import Key, LaneKey
from arena_trees.games.crossroads.messages import MESSAGES, Urgency
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.scheduler import SCHEDULER, CrossingScheduler
from arena_trees.games.crossroads.scheduling.source_scheduler import SourceScheduler
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.message_bus import BusParameters, MessageBus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK

__all__ = ["CrossingWorld"]

_SHOWN = 4
"""Number of robots whose actions are reported."""

_STANDS = 1e-3
"""A robot slower than this (m/s) stands."""


class CrossingWorld:
    """Robots arrive, queue, cross and come again; on a link they go on to the next crossing.

    A robot follows those ahead of it in its lane, in the crossing and in the lane behind it as its LiDAR would let it:
    it can always stop ``follow_gap`` behind them. It knows its place. What it may do at the line is its
    :class:`~arena_trees.games.crossroads.scheduling.client.CrossingClient`'s to say.

    It is a :class:`~arena_trees.games.game.GameWorld`.

    Args:
        rules: of the crossing
        robots: their names
        bus: what happens to messages
        seed: of arrivals, movements, classes and messages

    Attributes:
        rules: of the crossing
        plan: of the crossing
        now: ns
        bodies: the robots
        drive: limits of their bases
        scheduler: of the crossing; None while it is down
        traffic: measures what happens
        judge: tells it
    """

    def __init__(
        self, rules: CrossroadsRules, robots: Sequence[str], bus: BusParameters | None = None, seed: int = 0
    ) -> None:
        self.rules = rules
        self.plan = plan_of(rules.plan)
        self.now = 0
        streams = RandomStreams(seed)
        line = MessageBus(lambda: self.now, streams, bus)
        self._port = line.port(SCHEDULER)
        self._mailbox = Mailbox(MESSAGES)
        self._epoch = 0
        self.scheduler: CrossingScheduler | SourceScheduler | None = None
        self._names = tuple(robots)
        self.bodies = [KinematicBody(name, CrossingClient(name, 1, rules.times), line.port(name)) for name in robots]
        self.drive = Drive(rules.speed, rules.acceleration)
        late = line.parameters.delay_s + line.parameters.jitter_s
        self.traffic = Traffic(
            self.plan, rules.speed, self._stall_time(late), 2.0 * late, rules.times.courtesy, _STANDS
        )
        floor = CrossingFloor(rules.plan, rules.floor)
        self.judge = WorldJudge(self.traffic, rules.emergency_share > 0.0, floor)
        self._deaths = Deaths(rules.deaths, rules.plan.lane_width, self)
        self._arrivals = streams.generator("arrivals")
        self._choices = streams.generator("movements")
        self._next = 0
        self._door: deque[Trip] = deque()
        self._lanes: dict[LaneKey, list[KinematicBody]] = {lane: [] for lane in self.plan.lanes}
        self._exits: dict[LaneKey, list[KinematicBody]] = {lane: [] for lane in self.plan.lanes}
        self._arrivals_to = [key for key in self.plan.movements if not rules.plan.is_link(key.lane)]
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
        if self.rules.protocol == "source":
            self.scheduler = SourceScheduler(SCHEDULER, self._epoch, self.plan, self.rules.times, self._names)
            return
        roster = self._names if self.rules.roster else ()
        self.scheduler = CrossingScheduler(SCHEDULER, self._epoch, self.plan, self.rules.times, roster, self._names)

    def stop_scheduler(self) -> None:
        """Let the scheduler die."""
        self.scheduler = None

    def kill(self, name: str) -> None:
        """Let a robot die: it brakes and sends nothing more."""
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
        body.reset(CrossingClient(name, body.client.epoch + 1, self.rules.times))
        self._to_clear.append(name)
        self.traffic.clear(self.now, self.bodies)

    def step(self) -> None:
        """Let go wrong what is due, and advance by one tick."""
        self._deaths.step(self.now)
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
        self.judge.observe_vehicles(self.now, self.bodies)

    def run(self, seconds: float) -> None:
        """Advance by a time (s)."""
        end = self.now + from_seconds(seconds)
        while self.now < end:
            self.step()

    def activities(self) -> Mapping[str, str]:
        """Return what those robots do that a display has room for."""
        return {body.name: body.activity for body in self.bodies[:_SHOWN]}

    def record(self) -> str:
        """Return the instant (ns) and each robot's movement, progress (m) and speed (m/s), as JSON."""
        rows = [
            [body.name, str(body.trip.movement), body.progress, body.speed]
            for body in self.bodies
            if body.trip is not None
        ]
        return json.dumps([self.now, rows])

    def _body(self, name: str) -> KinematicBody:
        return next(body for body in self.bodies if body.name == name)

    def _stall_time(self, late: float) -> int:
        """Return how long (ns) nobody stands who is served as the scheduler promises, all ahead of it included."""
        rules = self.rules
        scheduler = CrossingScheduler(SCHEDULER, 0, self.plan, rules.times)
        clearing = scheduler.clearing_time(rules.speed, rules.acceleration, rules.request_distance, late)
        return from_seconds(scheduler.wait_bound(len(self.bodies), clearing))

    def _schedule(self) -> None:
        if self.scheduler is None:
            return
        inbox = self._mailbox.take(self._port.receive(), self.now)
        state = self.scheduler.step(self.now, inbox.received)
        if state is not None:
            self._port.send(state.topic, state.encode())
        if isinstance(self.scheduler, CrossingScheduler):
            tell_clear(self.scheduler, self.now, self._to_clear)

    def _arrive(self) -> None:
        """Let robots that wait for a trip begin one where there is room."""
        idle = deque(body for body in self.bodies if body.trip is None)
        if self.rules.arrivals_per_min > 0.0:
            while self._next <= self.now:
                self._door.append(self._draw(self._arrivals_to))
                self._next += round(self._arrivals.exponential(60.0 / self.rules.arrivals_per_min) * SECOND)
        else:
            while len(self._door) < len(idle):
                self._door.append(self._draw(self._arrivals_to))
        if not idle:
            return
        full = {name for name, lane in self._lanes.items() if lane and not self._has_room(lane[-1])}
        for trip in list(self._door):
            if idle and trip.movement.lane not in full:
                full.add(trip.movement.lane)
                self._door.remove(trip)
                body = idle.popleft()
                body.speed = self.rules.speed
                self._begin(body, trip)

    def _draw(self, keys: Sequence[Key]) -> Trip:
        """Return a trip of one of some movements."""
        which, share = self._choices.random(2).tolist()
        p = self.rules
        urgency = Urgency.NORMAL
        if share < p.emergency_share:
            urgency = Urgency.EMERGENCY
        elif share < p.emergency_share + p.priority_share:
            urgency = Urgency.PRIORITY
        return Trip(self.plan.movements[keys[int(which * len(keys))]], urgency, self.now, self.now)

    def _has_room(self, last: KinematicBody) -> bool:
        return last.progress >= self.begin + self.plan.parameters.follow_gap + 0.1

    def _begin(self, body: KinematicBody, trip: Trip) -> None:
        trip.appeared = self.now
        body.trip = trip
        body.trips.append(trip)
        body.progress, body.moved = self.begin, self.now
        self._lanes[trip.movement.lane].append(body)
        if self.rules.protocol == "arena":
            self._ask(body, trip)

    def _ask(self, body: KinematicBody, trip: Trip) -> None:
        trip.asked = self.now
        body.client.ask(self.now, trip.movement.key, trip.urgency)

    def _is_first(self, body: KinematicBody) -> bool:
        trip = body.trip
        if trip is None or trip.entered is not None or body.progress < -self.rules.request_distance:
            return False
        for other in self._lanes[trip.movement.lane]:
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

    def _room(self, body: KinematicBody) -> float:
        """Return how far (m) the body may drive until it must stand behind somebody."""
        assert body.trip is not None
        movement, gap = body.trip.movement, self.plan.parameters.follow_gap
        limit = float("inf")
        if body.trip.left is None:
            for other in _ahead(self._lanes[movement.lane], body):
                if other.progress < self.plan.clear_from(other.movement.key, movement.key):
                    limit = min(limit, other.progress - gap)
        if body.trip.entered is not None:
            for other in _ahead(self._exits[movement.exit_lane], body):
                limit = min(limit, movement.length + other.progress - other.movement.length - gap)
            beyond = self.rules.plan.beyond(movement.exit_lane)
            for other in self._lanes[beyond] if beyond is not None else ():
                limit = min(limit, self._end(movement) + other.progress - self.begin - gap)
        return limit - body.progress

    def _go_on(self, body: KinematicBody) -> None:
        """Move a body from list to list as it goes."""
        trip = body.trip
        assert trip is not None
        movement = trip.movement
        if trip.left is None and body.progress >= movement.outside and body not in self._exits[movement.exit_lane]:
            self._exits[movement.exit_lane].append(body)
        if trip.left is None and trip.entered is not None and body.progress >= movement.length:
            self._lanes[movement.lane].remove(body)
            body.leave(self.now)
        end = self._end(movement)
        if trip.left is not None and body.progress >= end:
            self._exits[movement.exit_lane].remove(body)
            trip.gone = self.now
            self.traffic.count(trip, end - self.begin)
            beyond = self.rules.plan.beyond(movement.exit_lane)
            if beyond is None:
                body.trip, body.speed = None, 0.0
            else:
                self._begin(body, self._draw([key for key in self.plan.movements if key.lane == beyond]))

    def _end(self, movement: Movement) -> float:
        """Return the progress at which a movement's arm ends, m."""
        p = self.plan.parameters
        return movement.length + p.size - p.left_distance


def _ahead(lane: list[KinematicBody], body: KinematicBody) -> list[KinematicBody]:
    """Return those of a lane who are ahead of one, or all where it is not in that lane yet."""
    return lane[: lane.index(body)] if body in lane else lane
