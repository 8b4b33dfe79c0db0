"""The scheduler of a crossing (``protocol: arena``): grants by the conflict matrix, in order, under leases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from arena_trees.games.crossroads.layout.plan import CrossingPlan
from arena_trees.games.crossroads.layout.words import LaneKey
from arena_trees.games.crossroads.messages import Crossing, Done, SchedulerState, Stage, Urgency
from arena_trees.games.crossroads.scheduling.forecast import Forecast, follows_from
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.robot_table import RequestRecord, RobotTable
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.repeat import Repeat

__all__ = ["SCHEDULER", "CrossingScheduler"]

SCHEDULER = "scheduler"
"""Name of the scheduler, as a rule."""

_ACKNOWLEDGED_FOR = from_seconds(3.0)


class CrossingScheduler:
    """Lets robots into the crossing: those whose movements do not meet together, all others in order.

    Of several crossings in a row one scheduler serves all: movements through different ones do not meet.

    **Who may go.** A robot is granted its movement when it is first in its lane and each robot that holds part of the
    crossing is out of its way for good (:meth:`CrossingPlan.clear_from`), or goes ahead of it from the same side or
    in the same exit and is followed.

    **Order.** By the instant of asking, less the bonus of the class; whoever is first in a lane has the place of the
    foremost in that lane. Whoever can go at once does, but past an earlier one in whose way it is only where, as far
    as can be foreseen, that one is held up by all such together for no longer than ``courtesy``, and is not yet as
    old as ``patience``.

    **Leases.** Time frees nothing here: a holder leaves by saying so, by asking anew, or by being seen to be away.
    A robot that falls silent keeps closed what it may still reach.

    **Restart.** A new scheduler listens first, for the length of a lease: whoever entered on an old lease has left by
    then, or stands in the way and tells it, or others remember it. With a roster it is done as soon as everyone on
    it has answered.

    **Rivals.** The one with the lower epoch, then name, gives way; the other listens before it grants again.

    Args:
        name: of the scheduler
        epoch: number of its life, higher than in its last one
        plan: of the crossing
        parameters: times of the protocol
        roster: names of all robots there are, if known; a restart waits for each to answer or to be seen away
        known: names of further robots that always have room in its table

    Attributes:
        state: what it does
        rivals: messages of other schedulers that it received
    """

    def __init__(
        self,
        name: str,
        epoch: int,
        plan: CrossingPlan,
        parameters: ProtocolParameters | None = None,
        roster: Iterable[str] = (),
        known: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.epoch = epoch
        self.plan = plan
        self.parameters = parameters or ProtocolParameters()
        self.state = SchedulerState.REBUILDING
        self.rivals = 0
        self._roster = frozenset(roster)
        self._table = RobotTable(plan, self._roster.union(known))
        self._missing = set(self._roster)
        self._listens_since: int | None = None
        self._rival_at: int | None = None
        self._repeat = Repeat()
        self._sent = 0

    @property
    def refused(self) -> int:
        """Claims of another sender, or that cannot be."""
        return self._table.refused

    @property
    def holders(self) -> tuple[RequestRecord, ...]:
        """Those who are inside, or may be, or may enter."""
        return tuple(entry for entry in self._table.entries.values() if entry.held)

    @property
    def missing(self) -> tuple[str, ...]:
        """Those on the roster who have neither answered this life of the scheduler nor been seen to be away."""
        return tuple(sorted(self._missing))

    def closed(self, now: int) -> tuple[RequestRecord, ...]:
        """Return the holders that have been silent for longer than a lease (ns): what they may reach stays closed."""
        lease = from_seconds(self.parameters.lease)
        return tuple(entry for entry in self.holders if now - entry.heard > lease)

    def seen_clear(self, now: int, robot: str) -> None:
        """Note that somebody has looked: the robot is neither in the crossing nor driving into it.

        Args:
            now: ns
            robot: its name

        Raises:
            ArenaTreesError: it may still enter on a lease
        """
        entry = self._table.entries.get(robot)
        if entry is not None and entry.held:
            inside = entry.claim.stage is Stage.PASSING
            if not inside and now - entry.heard <= from_seconds(self.parameters.lease):
                raise ArenaTreesError(f"{robot} may still hold a lease: look again when it has run out")
            entry.held, entry.over = False, True
            self._repeat.at_once()
        self._missing.discard(robot)

    def step(self, now: int, received: Sequence[Received[Any]]) -> Crossing | None:
        """Advance to an instant.

        Args:
            now: the scheduler's clock, ns
            received: what arrived since the last step, oldest arrival first

        Returns:
            the state of the crossing where it is due or something was granted, else None
        """
        if self._listens_since is None:
            self._listens_since = now
        for one in received:
            if isinstance(one.message, Crossing):
                self._hear_rival(now, one)
            else:
                self._receive(now, one)
        self._change_state(now)
        if self.state is SchedulerState.OPEN:
            self._grant(now)
        if not self._repeat.due(now, self.parameters.publish_period):
            return None
        self._sent += 1
        return self.crossing(now)

    def crossing(self, now: int) -> Crossing:
        """Return the state of the crossing at an instant (ns)."""
        lease = from_seconds(self.parameters.lease)
        holders = () if self.state is SchedulerState.STANDBY else self.holders
        return Crossing(
            scheduler=self.name,
            epoch=self.epoch,
            sequence=self._sent,
            state=self.state,
            holders=tuple(
                # A silent one gets no lease in an answer that it may not receive; its row keeps it in the way.
                entry.row(self.parameters.lease if now - entry.heard <= lease else 0.0)
                for entry in holders
            ),
            done=tuple(
                Done(entry.claim.robot, entry.claim.epoch, entry.claim.request)
                for entry in self._table.entries.values()
                if entry.left_at is not None and 0 <= now - entry.left_at < _ACKNOWLEDGED_FOR
            ),
        )

    def queue(self, now: int) -> list[tuple[int, RequestRecord]]:
        """Return who can be let in, in order, with their places (ns): first in a lane, with a recent message."""
        p = self.parameters
        fresh = from_seconds(p.fresh)
        asking = [
            entry
            for entry in self._table.entries.values()
            if not (entry.held or entry.over) and now - entry.heard <= fresh
        ]
        places: dict[LaneKey, int] = {}
        for entry in asking:
            place = entry.since - p.bonus(entry.claim.urgency)
            places[entry.key.lane] = min(place, places.get(entry.key.lane, place))
        first = [(places[entry.key.lane], entry) for entry in asking if entry.claim.first]
        return sorted(first, key=lambda item: (item[0], item[1].since, item[1].claim.robot))

    def clearing_time(self, speed: float, acceleration: float, ahead: float = 0.5, delay: float = 0.0) -> float:
        """Return the longest time (s) from a grant to the word that its robot has left.

        Args:
            speed: of the robots, m/s
            acceleration: m/s2
            ahead: farthest before the place of waiting at which a robot reports being first, m
            delay: longest time from sending to receiving a message, losses and repetitions included, s

        Where nobody holds it up: the grant's way, the drive to the line, the longest movement, and the message's way.
        """
        p = self.parameters
        longest = max(movement.crossing_time(speed, acceleration) for movement in self.plan.movements.values())
        return longest + ahead / speed + 2.0 * delay + p.claim_period + p.publish_period

    def wait_bound(self, robots: int, clearing: float, urgency: Urgency = Urgency.NORMAL, again: float = 0.0) -> float:
        """Return the longest time (s) from asking, first in the lane, to the grant; docs/crossroads.md proves it.

        Args:
            robots: how many there are
            clearing: longest time from a grant to the word that the robot has left, or has given its lease back, s
            urgency: class of the request
            again: shortest time between two requests of one robot, s; 0 where all requests are of one class
        """
        p = self.parameters
        later = to_seconds(p.bonus(Urgency.EMERGENCY) - p.bonus(urgency))
        overtakings = math.ceil(later / again) if again > 0.0 else 0
        return p.patience + (1 + (robots - 1) * (1 + overtakings)) * clearing

    def _receive(self, now: int, received: Received[Any]) -> None:
        entry = self._table.receive(now, received)
        if entry is None:
            return
        claim = entry.claim
        if claim.scheduler == (self.name, self.epoch):
            self._missing.discard(claim.robot)
        if claim.stage is Stage.LEFT:
            self._repeat.at_once()
        if self.state is not SchedulerState.OPEN:
            for holder in claim.heard:
                self._table.remember(now, holder)

    def _hear_rival(self, now: int, received: Received[Crossing]) -> None:
        """Give way, or listen until what the other one granted has run out."""
        other = received.message
        mine, its = (self.epoch, self.name), (other.epoch, other.scheduler)
        if received.sender != other.scheduler or other.state is SchedulerState.STANDBY or its == mine:
            return
        self.rivals += 1
        if its > mine:
            self._rival_at = now
            self._enter(SchedulerState.STANDBY)
        elif not self._roster:
            # With a roster all robots are known to obey the higher number.
            self._listen(now)

    def _change_state(self, now: int) -> None:
        lease = from_seconds(self.parameters.lease * (1.0 + self.parameters.clock_drift))
        if self.state is SchedulerState.STANDBY and self._rival_at is not None and now - self._rival_at > lease:
            self._listen(now)
        if self.state is SchedulerState.REBUILDING and self._listens_since is not None:
            waited = now - self._listens_since > lease
            if not self._missing if self._roster else waited:
                self._enter(SchedulerState.OPEN)

    def _listen(self, now: int) -> None:
        """Grant nothing until no lease of somebody else can be left."""
        self._listens_since = now
        self._missing = set(self._roster)
        self._enter(SchedulerState.REBUILDING)

    def _enter(self, state: SchedulerState) -> None:
        if state is not self.state:
            self._repeat.at_once()
        self.state = state

    def _grant(self, now: int) -> None:
        """Let in whoever can go, in order, past those alone whom that does not hold up for long."""
        holders = list(self.holders)
        forecast = Forecast(now, self.plan, self.parameters, holders)
        for place, entry in self.queue(now):
            free = all(self._out_of_the_way(now, holder, entry) for holder in holders)
            if free and forecast.may_pass(entry):
                forecast.go(entry)
                entry.held = True
                holders.append(entry)
                self._repeat.at_once()
            else:
                forecast.wait(entry, place)

    def _out_of_the_way(self, now: int, holder: RequestRecord, entry: RequestRecord) -> bool:
        """Return whether a holder can no more meet one who is let in now."""
        if holder.progress >= self.plan.clear_from(holder.key, entry.key):
            return True
        fresh = now - holder.heard <= from_seconds(self.parameters.fresh)
        seen = fresh and holder.claim.stage is Stage.PASSING
        return seen and holder.progress >= follows_from(self.plan, holder.key, entry.key)
