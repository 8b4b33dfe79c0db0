"""What robots and the scheduler of a crossing say to each other: requests, claims and the state of the crossing.

A robot asks on ``crossing_request`` until it holds a lease, and then tells on ``crossing_claim`` where it is. Both
carry a :class:`CrossingClaim`. The scheduler repeats a :class:`Crossing` on ``crossing``. Progress is metres along
the movement's path from the place where a robot waits before its stop line; negative before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.payload_fields import count, duration, flag, number, text
from arena_trees.robot.percepts import Stamped
from arena_trees.world.crossing.words import Approach, SchedulerState, Stage, Turn, Urgency

__all__ = [
    "CROSSING_CLAIM_TOPIC",
    "CROSSING_REQUEST_TOPIC",
    "CROSSING_TOPIC",
    "Approach",
    "Crossing",
    "CrossingClaim",
    "CrossingMessageError",
    "CrossingNews",
    "Holder",
    "SchedulerState",
    "Stage",
    "Turn",
    "Urgency",
]

CROSSING_REQUEST_TOPIC = "crossing_request"
"""Of a robot that wants to cross and holds no lease."""
CROSSING_CLAIM_TOPIC = "crossing_claim"
"""Of a robot that holds a lease, is inside, or has left."""
CROSSING_TOPIC = "crossing"
"""Of the scheduler: its state and who holds the crossing, on change and periodically."""

_MOST_ROBOTS = 256


class CrossingMessageError(ArenaTreesError):
    """A message is not what a robot or a scheduler of a crossing sends."""


@dataclass(frozen=True, slots=True)
class Holder:
    """One who holds part of the crossing, as the scheduler tells it.

    Attributes:
        robot: name
        epoch: number of the robot's life
        request: number of the request within that life
        approach: from which side
        turn: which way
        progress: the least that it has covered, m
        answers: the newest sequence number heard of the robot; a lease counts from when the robot sent that one
        lease: how long the robot may rely on it from that instant, s; 0 for one that has fallen silent
    """

    robot: str
    epoch: int
    request: int
    approach: Approach
    turn: Turn
    progress: float = 0.0
    answers: int = 0
    lease: float = 0.0

    def to_row(self) -> list[Any]:
        """Return the entry of a message, of plain values alone."""
        return [
            self.robot,
            self.epoch,
            self.request,
            self.approach.value,
            self.turn.value,
            self.progress,
            self.answers,
            self.lease,
        ]

    @classmethod
    def from_row(cls, row: Any) -> Holder:
        """Return the holder in an entry of a message.

        Raises:
            TypeError, ValueError: it is none
        """
        robot, epoch, request, approach, turn, progress, answers, lease = row
        return cls(
            text(robot),
            count(epoch),
            count(request),
            Approach(approach),
            Turn(turn),
            number(progress),
            count(answers),
            duration(lease),
        )


@dataclass(frozen=True, slots=True)
class CrossingClaim:
    """What a robot says: where it is and what it wants.

    Attributes:
        robot: its name
        epoch: number of its life
        sequence: number of this message within its life, counted up from 1
        request: number of the request within its life; a new one ends whatever the earlier one held
        stage: of the robot
        approach: from which side
        turn: which way, the field ``movement`` of the message
        urgency: class of the request
        first: whether nobody is between the robot and its line, and it is near enough to be let in
        progress: the least that it has covered, m
        waited: time since it asked, s
        lease: how long its lease still lasts by its own judgement, s; 0 for none
        scheduler: name and epoch of the scheduler that it obeys, or None
        heard: who held the crossing when it last heard an open scheduler; told while a scheduler rebuilds its state
    """

    robot: str
    epoch: int
    sequence: int
    request: int
    stage: Stage
    approach: Approach
    turn: Turn
    urgency: Urgency = Urgency.NORMAL
    first: bool = False
    progress: float = 0.0
    waited: float = 0.0
    lease: float = 0.0
    scheduler: tuple[str, int] | None = None
    heard: tuple[Holder, ...] = ()

    def to_payload(self) -> dict[str, Any]:
        """Return the message, of plain values alone."""
        return {
            "robot": self.robot,
            "epoch": self.epoch,
            "sequence": self.sequence,
            "request": self.request,
            "stage": self.stage.value,
            "approach": self.approach.value,
            "movement": self.turn.value,
            "urgency": int(self.urgency),
            "first": self.first,
            "progress": self.progress,
            "waited": self.waited,
            "lease": self.lease,
            "scheduler": None if self.scheduler is None else list(self.scheduler),
            "heard": [holder.to_row() for holder in self.heard],
        }

    @classmethod
    def from_payload(cls, payload: Any) -> CrossingClaim:
        """Return what a message says; it may be anything.

        Raises:
            CrossingMessageError: it is no request and no claim
        """
        try:
            return cls._read(payload)
        except (KeyError, TypeError, ValueError) as error:
            raise CrossingMessageError(f"no claim of a robot at a crossing: {error}") from error

    @classmethod
    def _read(cls, payload: Mapping[str, Any]) -> CrossingClaim:
        scheduler = payload["scheduler"]
        return cls(
            robot=text(payload["robot"]),
            epoch=count(payload["epoch"]),
            sequence=count(payload["sequence"]),
            request=count(payload["request"]),
            stage=Stage(payload["stage"]),
            approach=Approach(payload["approach"]),
            turn=Turn(payload["movement"]),
            urgency=Urgency(count(payload["urgency"])),
            first=flag(payload["first"]),
            progress=number(payload["progress"]),
            waited=duration(payload["waited"]),
            lease=duration(payload["lease"]),
            scheduler=None if scheduler is None else _identity(scheduler),
            heard=tuple(Holder.from_row(row) for row in _rows(payload["heard"])),
        )


@dataclass(frozen=True, slots=True)
class Crossing(Stamped):
    """The state of the crossing. Written by the scheduler's messages; none until one arrives.

    Attributes:
        scheduler: name of the scheduler
        epoch: number of its life
        state: what it does
        holders: who holds the crossing
        done: robot, epoch and request of those whose LEFT was heard of late
    """

    scheduler: str
    epoch: int
    state: SchedulerState
    holders: tuple[Holder, ...] = ()
    done: tuple[tuple[str, int, int], ...] = ()

    def __str__(self) -> str:
        return f"{self.scheduler} {self.state.value}: {', '.join(holder.robot for holder in self.holders) or 'empty'}"

    def to_payload(self) -> dict[str, Any]:
        """Return the message, of plain values alone."""
        return {
            "scheduler": self.scheduler,
            "epoch": self.epoch,
            "sequence": self.sequence,
            "state": self.state.value,
            "holders": [holder.to_row() for holder in self.holders],
            "done": [list(entry) for entry in self.done],
        }

    @classmethod
    def from_payload(cls, payload: Any, stamp: int, arrival: int) -> Crossing:
        """Return the state that a message tells.

        Args:
            payload: of the message; may be anything
            stamp: ns
            arrival: ns

        Raises:
            CrossingMessageError: it tells none
        """
        try:
            return cls(
                stamp,
                arrival,
                count(payload["sequence"]),
                scheduler=text(payload["scheduler"]),
                epoch=count(payload["epoch"]),
                state=SchedulerState(payload["state"]),
                holders=tuple(Holder.from_row(row) for row in _rows(payload["holders"])),
                done=tuple((text(name), count(epoch), count(n)) for name, epoch, n in _rows(payload["done"])),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CrossingMessageError(f"no state of a crossing: {error}") from error


@dataclass(frozen=True, slots=True)
class CrossingNews(Stamped):
    """What schedulers of the crossing say: one, as a rule.

    Attributes:
        states: the newest state of each scheduler that was heard of late, in the order of their arrival
    """

    states: tuple[Crossing, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.states)) or "silent"


def _rows(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_ROBOTS:
        raise ValueError("no list, or too many robots")
    return value


def _identity(value: Any) -> tuple[str, int]:
    name, epoch = value
    return text(name), count(epoch)
