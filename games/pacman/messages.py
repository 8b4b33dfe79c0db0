"""What the rules of PacMan tell a robot: the state of the game, as a frozen percept and as a message.

The game controller repeats it on the topic ``pacman``; points are (x, y) in the map frame, m.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.payload_fields import count, flag, number, text
from arena_trees.robot.percepts import Stamped

__all__ = [
    "PACMAN_STATUS_TOPIC",
    "PACMAN_TOPIC",
    "GhostView",
    "PacmanGame",
    "PacmanMessageError",
    "PacmanPhase",
    "PacmanStatus",
    "Pellet",
]

PACMAN_TOPIC = "pacman"
"""Of the game controller's messages: the state of the game, on change and at 10 Hz."""
PACMAN_STATUS_TOPIC = "pacman_status"
"""Of the robot's messages: what it has finished, ``{"status": ..., "round": ...}``."""

_MOST_PELLETS = 5000
_MOST_GHOSTS = 64


class PacmanMessageError(ArenaTreesError):
    """A message is not what a game controller sends."""


class PacmanPhase(enum.Enum):
    """Phase of a game of PacMan (document 002, section 2.2)."""

    MENU = "MENU"
    """Waiting for a start; autonomy is off (the document's command DISABLE)."""
    RETURNING_HOME = "RETURNING_HOME"
    STARTING = "STARTING"
    """At home, start theatrics."""
    RUNNING = "RUNNING"
    """Autonomy is on (the document's command ENABLE)."""
    DYING = "DYING"
    COMPLETE = "COMPLETE"


class PacmanStatus(enum.Enum):
    """What a robot tells the game controller that it has finished."""

    READY = "READY"
    """It knows where it is."""
    AT_HOME = "AT_HOME"
    STARTED = "STARTED"
    """The start theatrics are over."""
    DEATH_SHOWN = "DEATH_SHOWN"
    WIN_SHOWN = "WIN_SHOWN"


@dataclass(frozen=True, slots=True)
class Pellet:
    """A pellet that has not been collected."""

    id: int
    x: float
    y: float
    power: bool = False


@dataclass(frozen=True, slots=True)
class GhostView:
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

    name: str
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0
    speed: float = 0.25
    frightened: bool = False


@dataclass(frozen=True, slots=True)
class PacmanGame(Stamped):
    """The state of a game of PacMan. Written by the game controller's messages; none until one arrives.

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
    round: int
    score: int
    lives: int
    spawned: int
    pellets: tuple[Pellet, ...]
    ghosts: tuple[GhostView, ...]
    home: Pose2D | None = None
    pickup_radius: float = 0.25
    death_radius: float = 0.25

    def __str__(self) -> str:
        return f"round {self.round} {self.phase.value}, score {self.score}, {len(self.pellets)} left"

    def to_payload(self) -> dict[str, Any]:
        """Return the message, of plain values alone."""
        home = self.home
        return {
            "phase": self.phase.value,
            "round": self.round,
            "score": self.score,
            "lives": self.lives,
            "spawned": self.spawned,
            "pellets": [[pellet.id, pellet.x, pellet.y, pellet.power] for pellet in self.pellets],
            "ghosts": [
                [ghost.name, ghost.x, ghost.y, ghost.vx, ghost.vy, ghost.speed, ghost.frightened]
                for ghost in self.ghosts
            ],
            "home": None if home is None else [home.x, home.y, home.yaw],
            "pickup_radius": self.pickup_radius,
            "death_radius": self.death_radius,
        }

    @classmethod
    def from_payload(cls, payload: Any, stamp: int, arrival: int, sequence: int) -> PacmanGame:
        """Return the state that a message tells.

        Args:
            payload: of the message; may be anything
            stamp: ns
            arrival: ns
            sequence: of the percept

        Raises:
            PacmanMessageError: it tells none
        """
        try:
            return cls._read(payload, stamp, arrival, sequence)
        except (KeyError, TypeError, ValueError) as error:
            raise PacmanMessageError(f"no state of a game of PacMan: {error}") from error

    @classmethod
    def _read(cls, payload: Mapping[str, Any], stamp: int, arrival: int, sequence: int) -> PacmanGame:
        pellets, ghosts, home = payload["pellets"], payload["ghosts"], payload["home"]
        if len(pellets) > _MOST_PELLETS or len(ghosts) > _MOST_GHOSTS:
            raise ValueError("too many pellets or ghosts")
        return cls(
            stamp,
            arrival,
            sequence,
            phase=PacmanPhase(payload["phase"]),
            round=count(payload["round"]),
            score=count(payload["score"]),
            lives=count(payload["lives"]),
            spawned=count(payload["spawned"]),
            pellets=tuple(Pellet(count(n), number(x), number(y), flag(power)) for n, x, y, power in pellets),
            ghosts=tuple(
                GhostView(text(name), number(x), number(y), number(vx), number(vy), number(speed), flag(frightened))
                for name, x, y, vx, vy, speed, frightened in ghosts
            ),
            home=None if home is None else _pose(home),
            pickup_radius=number(payload["pickup_radius"]),
            death_radius=number(payload["death_radius"]),
        )


def _pose(value: Any) -> Pose2D:
    x, y, yaw = value
    return Pose2D(number(x), number(y), number(yaw))
