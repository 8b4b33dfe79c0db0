"""The messages of PacMan: the state of the game, and what the robot has finished.

The game controller repeats the state on the topic ``pacman``; points are (x, y) in the map frame, m.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, TypeAdapter

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import Count, GameMessage, Name, Number

__all__ = [
    "Finished",
    "GhostView",
    "PacmanGame",
    "PacmanPhase",
    "PacmanStatus",
    "PacmanUnreached",
    "Pellet",
    "name_pellets",
]

_MOST_PELLETS = 5000
_MOST_GHOSTS = 64
_MOST_NAMED = 10


class PacmanPhase(enum.Enum):
    """Phase of a game of PacMan (the PacMan report, section 2.2)."""

    MENU = "MENU"
    """Waiting for a start; autonomy is off (the document's command DISABLE)."""
    RETURNING_HOME = "RETURNING_HOME"
    STARTING = "STARTING"
    """At home, start theatrics."""
    RUNNING = "RUNNING"
    """Autonomy is on (the document's command ENABLE)."""
    DYING = "DYING"
    COMPLETE = "COMPLETE"
    GIVEN_UP = "GIVEN_UP"
    """The robot cannot reach what is left; the document has no such phase."""


class Finished(enum.Enum):
    """What a robot tells the game controller that it has finished."""

    READY = "READY"
    """It knows where it is."""
    AT_HOME = "AT_HOME"
    STARTED = "STARTED"
    """The start theatrics are over."""
    DEATH_SHOWN = "DEATH_SHOWN"
    WIN_SHOWN = "WIN_SHOWN"


class Pellet(NamedTuple):
    """A pellet that has not been collected."""

    id: Count
    x: Number
    y: Number
    power: bool = False


class GhostView(NamedTuple):
    """A ghost, where it is and where to it moves.

    Attributes:
        name: of the ghost
        x: map frame, m
        y: map frame, m
        vx: its velocity along the map's x axis now, m/s
        vy: along the y axis
        speed: the fastest it moves in this round, m/s
        frightened: flees and can do no harm, after a power pellet
    """

    name: Name
    x: Number
    y: Number
    vx: Number = 0.0
    vy: Number = 0.0
    speed: Number = 0.25
    frightened: bool = False


def _whole_row(length: int) -> BeforeValidator:
    """Return what refuses a row that lacks values, though they have defaults for whoever makes one."""

    def check(row: Any) -> Any:
        if not isinstance(row, list | tuple) or len(row) != length:
            raise ValueError(f"must be a row of {length} values")
        return row

    return BeforeValidator(check)


_POSE = TypeAdapter(
    Annotated[list[Number], Field(min_length=3, max_length=3)], config=ConfigDict(strict=True, allow_inf_nan=False)
)


def _pose(value: Any) -> Any:
    return value if isinstance(value, Pose2D) else Pose2D(*_POSE.validate_python(value))


def _numbers(pose: Pose2D) -> list[float]:
    return [pose.x, pose.y, pose.yaw]


class PacmanGame(GameMessage, topic="pacman"):
    """The state of a game of PacMan: published by the game controller on change and at 10 Hz.

    Attributes:
        phase: of the game
        round: counted from 1
        score: pellets collected since the start
        lives: that are left, this one included
        spawned: pellets of this round at its beginning
        pellets: that are left
        ghosts: all of them
        home: where the robot is sent home to, map frame; None until it is known
        pickup_radius: a pellet is collected within it, m
        death_radius: a ghost catches the robot within it, m
    """

    phase: PacmanPhase
    round: Count
    score: Count
    lives: Count
    spawned: Count
    pellets: Annotated[tuple[Annotated[Pellet, _whole_row(len(Pellet._fields))], ...], Field(max_length=_MOST_PELLETS)]
    ghosts: Annotated[
        tuple[Annotated[GhostView, _whole_row(len(GhostView._fields))], ...], Field(max_length=_MOST_GHOSTS)
    ]
    home: Annotated[Pose2D, BeforeValidator(_pose), PlainSerializer(_numbers)] | None
    pickup_radius: Number
    death_radius: Number

    def __str__(self) -> str:
        return f"round {self.round} {self.phase.value}, score {self.score}, {len(self.pellets)} left"

    @property
    def over(self) -> bool:
        """Whether the round was completed or given up, or the last life is gone: nothing happens until a start."""
        ended = self.phase in (PacmanPhase.COMPLETE, PacmanPhase.GIVEN_UP)
        return ended or (self.phase is PacmanPhase.DYING and self.lives == 0)


class PacmanStatus(GameMessage, topic="pacman_status"):
    """What the robot has finished.

    Attributes:
        status: what
        round: in which round; 0 where it has received no game
    """

    status: Finished
    round: Count


class PacmanUnreached(GameMessage, topic="pacman_unreached"):
    """Pellets that the robot got no nearer to, though it tried.

    Attributes:
        round: in which round
        pellets: their numbers
        gave_up: whether it has no other pellet to try
    """

    round: Count
    pellets: Annotated[tuple[Count, ...], Field(max_length=_MOST_PELLETS)]
    gave_up: bool


def name_pellets(game: PacmanGame) -> str:
    """Return which pellets of a round that was given up are out of reach, as a phrase."""
    named = [f"{pellet.id} at ({pellet.x:.2f}, {pellet.y:.2f})" for pellet in game.pellets]
    more = ", ..." if len(named) > _MOST_NAMED else ""
    return f"{len(named)} of {game.spawned} pellets out of reach: {', '.join(named[:_MOST_NAMED])}{more}"
