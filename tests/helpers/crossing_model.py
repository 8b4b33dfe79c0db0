"""A small crossing for tests: bodies on their paths, real clients, a real scheduler, and a line that obeys the test."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from arena_trees.games.crossroads.layout.plan import CrossingParameters, Movement, plan_of
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import MESSAGES, Crossing, Stage, Urgency
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.robot_table import RequestRecord
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.crossroads.scheduling.states import states_in
from arena_trees.robot.clock import SECOND, from_seconds, to_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message

TICK = SECOND // 10
SPEED = 0.3
PLAN = plan_of(CrossingParameters())
START = -0.3


@dataclass
class ModelRobot:
    """A body and its client. ``movement`` is None while it stands in its depot."""

    name: str
    client: CrossingClient
    mailbox: Mailbox = field(default_factory=lambda: Mailbox((Crossing,), MESSAGES))
    movement: Movement | None = None
    progress: float = START
    inside: bool = False
    dead: bool = False
    stuck: bool = False
    asked_at: int = 0


@dataclass
class Wire:
    """Messages on their way: (message, who shall hear it, when it arrives where messages flow).

    Attributes:
        cut: robot that hears nobody and is heard by nobody
    """

    pending: list[tuple[Message, str, int]] = field(default_factory=list)
    flowing: bool = True
    loss: float = 0.0
    longest: int = 0
    cut: str | None = None
    random: random.Random = field(default_factory=lambda: random.Random(0))


class CrossingModel:
    """Advances in steps of 0.1 s; each robot waits at a line of its own, follows who is ahead, dies when told."""

    def __init__(self, robots: int = 4, patience: float = 20.0, courtesy: float = 5.0) -> None:
        self.times = ProtocolParameters(patience=patience, courtesy=courtesy)
        self.now = 0
        self.wire = Wire()
        self.robots = {f"r{n}": ModelRobot(f"r{n}", CrossingClient(f"r{n}", 1, self.times)) for n in range(robots)}
        self.epoch = 0
        self.sequence = 0
        self.scheduler: CrossingScheduler
        self.mailbox = Mailbox(MESSAGES)
        self.heard: dict[tuple[str, int, int], int] = {}
        self.to_clear: set[str] = set()
        self.entries = 0
        self.restart()

    def restart(self) -> None:
        self.epoch += 1
        self.scheduler = CrossingScheduler("scheduler", self.epoch, PLAN, self.times, roster=self.robots)

    def ask(self, name: str, key: Key, urgency: Urgency) -> bool:
        """Put a robot before a line, where nobody else waits there. Return whether that was so."""
        robot = self.robots[name]
        taken = any(
            other.movement is not None and not other.inside and other.movement.lane == key.lane
            for other in self.robots.values()
        )
        if robot.dead or robot.inside or taken or robot.movement is not None:
            return False
        robot.movement, robot.progress, robot.asked_at = PLAN.movements[key], START, self.now
        robot.client.ask(self.now, key, urgency)
        return True

    def kill(self, name: str) -> None:
        self.robots[name].dead = True

    def carry_away(self, name: str) -> None:
        """Carry a dead robot to its depot, where it begins a new life, and tell the scheduler."""
        robot = self.robots[name]
        robot.dead = robot.inside = robot.stuck = False
        robot.movement, robot.progress = None, START
        robot.client = CrossingClient(name, robot.client.epoch + 1, self.times)
        robot.mailbox = Mailbox((Crossing,), MESSAGES)
        self.to_clear.add(name)

    def clear_up(self) -> None:
        """Free the stuck, and carry the dead away."""
        for robot in self.robots.values():
            robot.stuck = False
            if robot.dead:
                self.carry_away(robot.name)

    def strand_inside(self, dies: bool, ticks: int) -> None:
        """Go on until somebody is inside, and let it die or stick there."""
        for _ in range(ticks):
            self.step()
            self.check()
            inside = [robot for robot in self.robots.values() if robot.inside and robot.progress > 0.3]
            if inside:
                inside[0].dead, inside[0].stuck = inside[0].dead or dies, not dies
                return

    def deliver(self, index: int, copies: int = 1, keep: bool = False) -> None:
        message, hearer, _ = self.wire.pending[index]
        if not keep:
            self.wire.pending.pop(index)
        for _ in range(copies):
            self._hand_over(message, hearer)

    def step(self) -> None:
        self.now += TICK
        wire = self.wire
        # A line that is held back for long loses what is oldest.
        del wire.pending[:-300]
        if wire.flowing:
            arrived = [item for item in wire.pending if item[2] <= self.now]
            wire.pending = [item for item in wire.pending if item[2] > self.now]
            for message, hearer, _ in arrived:
                if wire.random.random() >= wire.loss and wire.cut not in (message.sender, hearer):
                    self._hand_over(message, hearer)
        self._observe()
        self._schedule([])
        for robot in self.robots.values():
            self._drive(robot)
            self._talk(robot, [])

    def settle(self) -> None:
        """Let messages flow, carry the dead away, free the stuck, and go on until nobody waits; fail past the bound."""
        self.wire.flowing, self.wire.loss, self.wire.longest, self.wire.cut = True, 0.0, 1, None
        self.clear_up()
        clearing = self.scheduler.clearing_time(SPEED, 1e3, -START, 0.2) + self.times.give_up
        bound = 2.0 * self.times.lease + self.scheduler.wait_bound(len(self.robots), clearing)
        end = self.now + from_seconds(bound)
        while any(robot.movement is not None for robot in self.robots.values()):
            assert self.now < end, f"somebody still waits {bound:.0f} s after all is well"
            self.step()

    def check(self) -> None:
        """Fail where two robots are in each other's way."""
        inside = [robot for robot in self.robots.values() if robot.inside and robot.movement is not None]
        for index, one in enumerate(inside):
            for other in inside[index + 1 :]:
                self._check_pair(one, other)

    def _check_pair(self, one: ModelRobot, other: ModelRobot) -> None:
        a, b = one.movement, other.movement
        assert a is not None and b is not None
        here, there = a.path.pose(one.progress), b.path.pose(other.progress)
        apart = here.distance_to(there.x, there.y)
        assert apart >= 0.45, f"{one} and {other} are {apart:.2f} m apart"
        if a.approach is not b.approach:
            in_way = one.progress < min(a.outside, PLAN.clear_from(a.key, b.key))
            assert not (in_way and other.progress < min(b.outside, PLAN.clear_from(b.key, a.key))), f"{one} {other}"

    def _hand_over(self, message: Message, hearer: str) -> None:
        if hearer == "scheduler":
            self._schedule([message])
        elif not self.robots[hearer].dead:
            self._talk(self.robots[hearer], [message])

    def _send(self, said: GameMessage, sender: str, epoch: int) -> None:
        self.sequence += 1
        message = Message(said.topic, sender, epoch, self.sequence, self.now, said.encode())
        hearers = list(self.robots) if sender == "scheduler" else ["scheduler"]
        for hearer in hearers:
            due = self.now + self.wire.random.randint(0, self.wire.longest) * TICK
            self.wire.pending.append((message, hearer, due))

    def _schedule(self, messages: list[Message]) -> None:
        held = {entry.claim.robot for entry in self.scheduler.holders}
        received = self.mailbox.take(messages, self.now).received
        # Who holds the crossing by what another robot remembers was let in by a former life of the scheduler.
        held |= {holder.robot for one in received for holder in getattr(one.message, "heard", ())}
        said = self.scheduler.step(self.now, received)
        self._check_order(held)
        if said is not None:
            for entry in self.scheduler.holders:
                # The message that a grant answers was sent no later than it was heard.
                key = entry.claim.robot, entry.claim.epoch, entry.claim.request
                self.heard[key] = max(entry.heard, self.heard.get(key, 0))
            self._send(said, "scheduler", self.epoch)

    def _check_order(self, held: set[str]) -> None:
        """Fail where somebody was let in past an earlier one in its way that has been patient or held up enough."""
        patience = from_seconds(self.times.patience)
        waiting = [item for item in self.scheduler.queue(self.now) if not self._is_shut_out(item[1])]
        for entry in self.scheduler.holders:
            if entry.claim.robot in held or entry.claim.stage is Stage.PASSING or entry.claim.lease > 0.0:
                continue
            for place, other in waiting:
                mine = entry.since - self.times.bonus(entry.claim.urgency)
                patient = self.now - place >= patience
                if patient and place < mine:
                    assert PLAN.together(entry.key, other.key), f"{entry} went past {other}"
        assert all(other.held_up <= self.times.courtesy for _, other in waiting)

    def _is_shut_out(self, entry: RequestRecord) -> bool:
        """Return whether one that has fallen silent in the crossing is in its way: all others may go past it."""
        return any(
            holder.progress < PLAN.clear_from(holder.key, entry.key) for holder in self.scheduler.closed(self.now)
        )

    def _observe(self) -> None:
        for name in list(self.to_clear):
            try:
                self.scheduler.seen_clear(self.now, name)
                self.to_clear.discard(name)
            except ArenaTreesError:
                continue

    def _talk(self, robot: ModelRobot, messages: list[Message]) -> None:
        if robot.dead:
            return
        client = robot.client
        first = robot.movement is not None and not robot.inside
        states = [reported.message for reported in states_in(robot.mailbox.take(messages, self.now))]
        said = client.step(self.now, states, robot.progress, first, first and robot.progress >= 0.0)
        if client.lease_left(self.now) > 0.0:
            last = self.heard[robot.name, client.epoch, client.request]
            until = self.now + from_seconds(client.lease_left(self.now))
            assert until <= last + from_seconds(self.times.lease), "delay has lengthened a lease"
        if said is not None:
            self._send(said, robot.name, client.epoch)

    def _drive(self, robot: ModelRobot) -> None:
        movement = robot.movement
        if movement is None or robot.dead or robot.stuck:
            return
        goal = min(robot.progress + SPEED * to_seconds(TICK), self._limit(robot))
        if not robot.inside and goal > 0.0:
            needed = (movement.length - robot.progress) / SPEED + 0.5
            if robot.client.may_enter(self.now, needed):
                robot.client.enter(self.now, needed)
                robot.inside = True
                self.entries += 1
            else:
                goal = 0.0
        robot.progress = max(robot.progress, goal)
        if robot.progress >= movement.length:
            robot.client.leave()
            robot.inside, robot.movement, robot.progress = False, None, START

    def _limit(self, robot: ModelRobot) -> float:
        """Return how far along its path the robot may go behind those that it sees ahead."""
        limit, mine = math.inf, robot.movement
        assert mine is not None
        gap = PLAN.parameters.follow_gap
        for other in self.robots.values():
            its = other.movement
            if other is robot or its is None or not other.inside:
                continue
            if its.approach is mine.approach and (other.progress > robot.progress or not robot.inside):
                if other.progress < PLAN.clear_from(its.key, mine.key):
                    limit = min(limit, other.progress - gap)
            elif its.exit is mine.exit and other.progress >= its.outside:
                ahead = mine.length - its.length + other.progress
                if ahead > robot.progress:
                    limit = min(limit, ahead - gap)
        return limit
