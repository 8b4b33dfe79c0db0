"""What robots and the scheduler of a crossing say to each other: requests, claims and the state of the crossing.

A robot asks on ``crossing_request`` until it holds a lease, and then tells on ``crossing_claim`` where it is. Both
carry the same fields. The scheduler repeats a :class:`Crossing` on ``crossing``. Progress is metres along the
movement's path from the place where a robot waits before its stop line; negative before it.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field

from arena_trees.games.crossroads.layout.words import Approach, Key, SchedulerState, Stage, Turn, Urgency
from arena_trees.robot.messaging.game_message import Count, Duration, GameMessage, Name, Number

__all__ = [
    "MESSAGES",
    "Approach",
    "Claim",
    "Crossing",
    "CrossingClaim",
    "CrossingRequest",
    "Done",
    "Holder",
    "Identity",
    "SchedulerState",
    "Stage",
    "Turn",
    "Urgency",
]

_MOST_ROBOTS = 128
"""Rows of a message: so many fit into one on ROS, however long the names are."""


class Holder(NamedTuple):
    """One who holds part of the crossing, as the scheduler tells it: a row of a message.

    Attributes:
        robot: name
        epoch: number of the robot's life
        request: number of the request within that life
        approach: from which side
        turn: which way
        progress: the least that it has covered, m
        answers: the newest sequence number received from the robot; a lease counts from when the robot sent that one
        lease: how long the robot may rely on it from that instant, s; 0 for one that has fallen silent
        crossing: which one, counted from the west
    """

    robot: Name
    epoch: Count
    request: Count
    approach: Approach
    turn: Turn
    progress: Number
    answers: Count
    lease: Duration
    crossing: Count = 0

    @property
    def key(self) -> Key:
        """Name of its movement."""
        return Key(self.approach, self.turn, self.crossing)


class Done(NamedTuple):
    """A request whose LEFT was received lately: a row of a message.

    Attributes:
        robot: name
        epoch: number of the robot's life
        request: number of the request within that life
    """

    robot: Name
    epoch: Count
    request: Count


class Identity(NamedTuple):
    """A scheduler: its name, and the number of its life."""

    name: Name
    epoch: Count


Holders = Annotated[tuple[Holder, ...], Field(max_length=_MOST_ROBOTS)]


class Claim(GameMessage):
    """What a robot publishes: where it is and what it wants; sent as one of its subclasses.

    Attributes:
        robot: its name
        epoch: number of its life
        sequence: number of this message within its life, counted up from 1
        request: number of the request within its life; a new one ends whatever the earlier one held
        stage: of the robot
        approach: from which side
        movement: which way
        urgency: class of the request
        first: whether nobody is between the robot and its line, and it is near enough to be let in
        progress: the least that it has covered, m
        waited: time since it asked, s
        lease: how long its lease still lasts by its own judgement, s; 0 for none
        scheduler: name and epoch of the scheduler that it obeys, or None
        heard: who held the crossing by the newest state of an open scheduler; given while a scheduler rebuilds
        crossing: which one, counted from the west
    """

    robot: Name
    epoch: Count
    sequence: Count
    request: Count
    stage: Stage
    approach: Approach
    movement: Turn
    urgency: Urgency
    first: bool
    progress: Number
    waited: Duration
    lease: Duration
    scheduler: Identity | None
    heard: Holders
    crossing: Count = 0

    @property
    def key(self) -> Key:
        """Name of its movement."""
        return Key(self.approach, self.movement, self.crossing)


class CrossingRequest(Claim, topic="crossing_request"):
    """Of a robot that wants to cross and holds no lease."""


class CrossingClaim(Claim, topic="crossing_claim"):
    """Of a robot that holds a lease, is inside, or has left."""


class Crossing(GameMessage, topic="crossing", forget_after_s=10.0):
    """The state of the crossing, published by its scheduler on change and periodically.

    Attributes:
        scheduler: name of the scheduler
        epoch: number of its life
        sequence: number of this message within its life
        state: what it does
        holders: who holds the crossing
        done: those whose LEFT was received lately
    """

    scheduler: Name
    epoch: Count
    sequence: Count
    state: SchedulerState
    holders: Holders
    done: Annotated[tuple[Done, ...], Field(max_length=_MOST_ROBOTS)]

    def __str__(self) -> str:
        return f"{self.scheduler} {self.state.value}: {', '.join(holder.robot for holder in self.holders) or 'empty'}"


MESSAGES = (CrossingRequest, CrossingClaim, Crossing)
"""Every message of a crossing."""
