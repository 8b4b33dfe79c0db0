"""The words of a crossing: sides, turns, stages of robots and scheduler, classes of requests."""

from __future__ import annotations

import enum

__all__ = ["Approach", "SchedulerState", "Stage", "Turn", "Urgency"]


class Approach(enum.Enum):
    """The side from which a robot comes, and the side to which it leaves."""

    SOUTH = "south"
    EAST = "east"
    NORTH = "north"
    WEST = "west"


class Turn(enum.Enum):
    """Which way a robot goes through the crossing."""

    STRAIGHT = "straight"
    RIGHT = "right"
    LEFT = "left"


class Stage(enum.Enum):
    """Stage of a robot (the Crossroads report, scheduling stages)."""

    ENTERING = "ENTERING"
    """It drives towards the crossing."""
    WAITING = "WAITING"
    """It stands before its line, or in the queue there."""
    PASSING = "PASSING"
    """It is inside, or can no more stop before its line."""
    LEFT = "LEFT"


class Urgency(enum.IntEnum):
    """Class of a request."""

    NORMAL = 0
    PRIORITY = 1
    EMERGENCY = 2


class SchedulerState(enum.Enum):
    """What a scheduler does."""

    REBUILDING = "REBUILDING"
    """It has just begun, or hears another one: it listens and grants nothing."""
    OPEN = "OPEN"
    STANDBY = "STANDBY"
    """It has given way to another scheduler; its messages about robots are ignored."""
