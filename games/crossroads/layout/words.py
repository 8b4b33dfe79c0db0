"""The words of a crossing: sides, turns, stages of robots and scheduler, classes of requests."""

from __future__ import annotations

import enum
from typing import NamedTuple

__all__ = ["Approach", "Key", "LaneKey", "SchedulerState", "Stage", "Turn", "Urgency"]


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


class LaneKey(NamedTuple):
    """Names a lane.

    Attributes:
        side: of the crossing that it leads from, or to
        crossing: which one, counted from the west
    """

    side: Approach
    crossing: int = 0

    @property
    def identifier(self) -> str:
        """Its name in names of things; a crossing after the first one is named by its number."""
        return f"{self.side.value}_{self.crossing + 1}" if self.crossing else self.side.value

    def __str__(self) -> str:
        return self.identifier.replace("_", " ")


class Key(NamedTuple):
    """Names a movement.

    Attributes:
        approach: from which side
        turn: which way
        crossing: through which one, counted from the west
    """

    approach: Approach
    turn: Turn
    crossing: int = 0

    @property
    def lane(self) -> LaneKey:
        """From which lane."""
        return LaneKey(self.approach, self.crossing)

    def __str__(self) -> str:
        return f"{self.lane} {self.turn.value}"


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
