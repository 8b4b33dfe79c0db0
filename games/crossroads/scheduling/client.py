"""A robot's side of the crossing's protocol: it asks, keeps its lease alive, and knows when it may enter."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.games.crossroads.blackboard import LeaseState
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import (
    Approach,
    Claim,
    Crossing,
    CrossingClaim,
    CrossingRequest,
    Holder,
    Identity,
    SchedulerState,
    Stage,
    Turn,
    Urgency,
)
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.repeat import Repeat

__all__ = ["CrossingClient"]

_LONGEST_WAIT = 1e6
"""Seconds; a message carries no more."""

_MOST_SCHEDULERS = 256
"""Whose newest numbers are remembered; an inbox holds no more."""


class CrossingClient:
    """Requests a movement and determines whether the robot may enter.

    A lease counts on the robot's own clock from the instant at which it **sent** the message that the grant answers:
    however long messages take, it never lasts longer than the scheduler means it to. A lease that runs out before the
    robot has entered is gone: it asks anew, under a new number, and grants for the old one count no more.
    A robot inside needs no lease to go on: it finishes, and repeats that it has left until that is acknowledged. A new
    life begins by sending LEFT: step it first when the robot knows that it stands outside the crossing.

    Args:
        robot: its name
        epoch: number of its life, higher than in its last one
        parameters: times of the protocol

    Attributes:
        stage: of the robot
    """

    def __init__(self, robot: str, epoch: int, parameters: ProtocolParameters | None = None) -> None:
        self.robot = robot
        self.epoch = epoch
        self.parameters = parameters or ProtocolParameters()
        self.stage = Stage.LEFT
        self._key, self._urgency = Key(Approach.SOUTH, Turn.STRAIGHT), Urgency.NORMAL
        self._request = 0
        self._asked_at = 0
        self._sequence = 0
        self._sent: dict[int, int] = {}
        self._repeat = Repeat()
        self._scheduler: tuple[int, str] | None = None
        self._state = SchedulerState.REBUILDING
        self._received_at = 0
        self._read: dict[str, tuple[int, int]] = {}
        self._rival_at: int | None = None
        self._lease_until = 0
        self._granted_at: int | None = None
        # A new life announces itself: whatever an earlier one held is over.
        self._acknowledged = False
        self._holders: tuple[Holder, ...] = ()

    @property
    def request(self) -> int:
        """Number of the newest request in this life; 0 before the first."""
        return self._request

    @property
    def lease(self) -> LeaseState:
        """Its stage, newest request and lease."""
        held_until = -1 if self._rival_at is None else self._rival_at + from_seconds(self.parameters.rival_hold)
        return LeaseState(self.stage, self._request, self._granted_at, self._lease_until, held_until)

    @property
    def granted_at(self) -> int | None:
        """Instant at which a lease for this request was first received, ns; None before."""
        return self._granted_at

    @property
    def scheduler(self) -> Identity | None:
        """Name and epoch of the scheduler that it obeys."""
        return None if self._scheduler is None else Identity(self._scheduler[1], self._scheduler[0])

    def ask(self, now: int, key: Key, urgency: Urgency = Urgency.NORMAL) -> None:
        """Ask for a movement (ns); whatever was asked for before is given up.

        Raises:
            ArenaTreesError: the robot is inside
        """
        if self.stage is Stage.PASSING:
            raise ArenaTreesError(f"{self.robot} is inside and cannot ask")
        self._key, self._urgency = key, urgency
        self.stage = Stage.ENTERING
        self._asked_at = now
        self._ask_anew()

    def step(
        self, now: int, states: Sequence[Crossing], progress: float = 0.0, first: bool = False, standing: bool = False
    ) -> Claim | None:
        """Advance to an instant.

        Args:
            now: the robot's clock, ns
            states: the newest one of each scheduler, oldest arrival first; those that were read before count no more
            progress: along the movement, m; negative before the place of waiting
            first: whether nobody is between the robot and its line, and it is near enough to be let in
            standing: whether it stands

        Returns:
            the message to send where one is due, else None
        """
        for state in states:
            number = (state.epoch, state.sequence)
            if self._read.get(state.scheduler) != number:
                self._read.pop(state.scheduler, None)
                self._read[state.scheduler] = number
                self._receive(now, state)
        while len(self._read) > _MOST_SCHEDULERS:
            del self._read[next(iter(self._read))]
        self._mind_the_time(now)
        if self.stage in (Stage.ENTERING, Stage.WAITING):
            self.stage = Stage.WAITING if standing else Stage.ENTERING
        holding = self.stage is Stage.PASSING or self.lease_left(now) > 0.0
        period = self.parameters.claim_period if holding else self.parameters.request_period
        if self.stage is Stage.LEFT and self._acknowledged and self._state is not SchedulerState.REBUILDING:
            return None
        if not self._repeat.due(now, period):
            return None
        kind = CrossingClaim if holding or self.stage is Stage.LEFT else CrossingRequest
        return self._make_claim(kind, now, progress, first)

    def lease_left(self, now: int) -> float:
        """Return how long (s) the lease still lasts; 0 without one."""
        return max(0.0, to_seconds(self._lease_until - now))

    def may_enter(self, now: int, needed: float) -> bool:
        """Return whether the robot may enter, with a lease that lasts longer than it needs to leave again (s)."""
        return self.lease.may_enter(now, needed)

    def enter(self, now: int, needed: float) -> None:
        """Note that the robot enters, or can no more stop before its line.

        Raises:
            ArenaTreesError: it may not
        """
        if not self.may_enter(now, needed):
            raise ArenaTreesError(f"{self.robot} has no lease of more than {needed:.2f} s")
        self.stage = Stage.PASSING
        self._repeat.at_once()

    def leave(self) -> None:
        """Note that the robot has left.

        Raises:
            ArenaTreesError: it was not inside
        """
        if self.stage is not Stage.PASSING:
            raise ArenaTreesError(f"{self.robot} was not inside")
        self.stage = Stage.LEFT
        self._lease_until = 0
        self._granted_at = None
        self._acknowledged = False
        self._repeat.at_once()

    def _ask_anew(self) -> None:
        self._request += 1
        self._lease_until = 0
        self._granted_at = None
        self._acknowledged = False
        self._repeat.at_once()

    def _make_claim(self, kind: type[Claim], now: int, progress: float, first: bool) -> Claim:
        """Return the message to send now, and remember when."""
        self._sequence += 1
        self._sent[self._sequence] = now
        oldest = now - from_seconds(self.parameters.lease)
        for sequence in list(self._sent):
            if self._sent[sequence] >= oldest:
                break
            del self._sent[sequence]
        waiting = self.stage in (Stage.ENTERING, Stage.WAITING)
        return kind(
            robot=self.robot,
            epoch=self.epoch,
            sequence=self._sequence,
            request=self._request,
            stage=self.stage,
            approach=self._key.approach,
            movement=self._key.turn,
            urgency=self._urgency,
            first=first and waiting,
            progress=progress,
            waited=min(max(0.0, to_seconds(now - self._asked_at)), _LONGEST_WAIT) if waiting else 0.0,
            lease=self.lease_left(now),
            scheduler=self.scheduler,
            heard=self._holders if self._state is SchedulerState.REBUILDING else (),
            crossing=self._key.crossing,
        )

    def _receive(self, now: int, crossing: Crossing) -> None:
        if crossing.state is not SchedulerState.STANDBY and self._obeys(now, crossing):
            self._received_at = now
            self._state = crossing.state
            self._take(now, crossing)

    def _obeys(self, now: int, crossing: Crossing) -> bool:
        """Return whether the message is of the scheduler to obey: the one with the highest epoch, then name."""
        its = (crossing.epoch, crossing.scheduler)
        mine = self._scheduler
        if its == mine:
            return True
        if mine is not None and its[1] != mine[1]:
            self._rival_at = now
        if mine is not None and its < mine:
            return False
        self._scheduler = its
        if mine is not None and self.stage in (Stage.ENTERING, Stage.WAITING):
            # What the other one granted counts no more, and the new number tells it so.
            self._ask_anew()
        return True

    def _take(self, now: int, crossing: Crossing) -> None:
        """Take the lease, or the acknowledgement of the LEFT."""
        if crossing.state is SchedulerState.OPEN:
            self._holders = crossing.holders
        if (self.robot, self.epoch, self._request) in crossing.done:
            self._acknowledged = True
        for holder in crossing.holders:
            mine = (holder.robot, holder.epoch, holder.request) == (self.robot, self.epoch, self._request)
            sent = self._sent.get(holder.answers)
            if mine and sent is not None and holder.lease > 0.0 and self.stage is not Stage.LEFT:
                length = from_seconds(min(holder.lease, self.parameters.lease) * (1.0 - self.parameters.clock_drift))
                if self._granted_at is None:
                    self._granted_at = now
                    self._repeat.at_once()
                self._lease_until = max(self._lease_until, sent + length)

    def _mind_the_time(self, now: int) -> None:
        p = self.parameters
        if self._scheduler is not None and now - self._received_at > from_seconds(p.lease):
            # It is gone for good, and so is all that it granted: another one may follow, whatever its number.
            self._scheduler = None
        if self.stage not in (Stage.ENTERING, Stage.WAITING) or self._granted_at is None:
            return
        if now - self._granted_at > from_seconds(p.give_up):
            # Something else holds it up: the others shall not wait for it, and it goes to the end of the queue.
            self._asked_at = now
            self._ask_anew()
        elif now >= self._lease_until:
            self._ask_anew()
