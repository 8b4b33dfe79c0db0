"""The messages of a pursuit: between rules and chaser, to the evader, and to whatever draws the pursuit.

Places are in the map frame. What a chaser must find out by its camera is in no message that it reads.
"""

from __future__ import annotations

import enum
from typing import Annotated

from pydantic import Field

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import Count, Duration, GameMessage, Number

__all__ = ["MESSAGES", "AtHome", "Ball", "Beam", "PursuitPhase", "PursuitScene", "PursuitState", "Threat"]

Angle = Annotated[float, Field(ge=-10.0, le=10.0)]


class PursuitPhase(enum.Enum):
    """Phase of a pursuit, as the rules publish it."""

    WAITING = "WAITING"
    """It has not begun."""
    CHASE = "CHASE"
    """The ball has not been hit."""
    HIT = "HIT"
    """The ball was hit: the chaser goes home."""
    OVER = "OVER"


class PursuitState(GameMessage, topic="pursuit"):
    """How the pursuit stands; the rules repeat it, and a chaser learns from it whether it has hit.

    Attributes:
        phase: of the pursuit
        shots: that counted: fired while the chase was on, and not within the cooldown
        ignored: shots within the cooldown
        hits: shots that hit
    """

    phase: PursuitPhase
    shots: Count
    ignored: Count
    hits: Count

    def __str__(self) -> str:
        return f"{self.phase.value}, {self.hits} of {self.shots} shots hit"


class AtHome(GameMessage, topic="at_home"):
    """The chaser has come home after a hit, as it believes; it repeats that until the pursuit is over.

    Attributes:
        x: where it takes itself to be, m
        y: where it takes itself to be, m
        yaw: its heading, rad
    """

    x: Number
    y: Number
    yaw: Angle


class Threat(GameMessage, topic="threat"):
    """Where the chaser is and where its barrel points, by the truth; the rules send it ten times a second.

    Attributes:
        x: of the chaser, m
        y: of the chaser, m
        yaw: its heading, rad
        barrel: direction of its barrel, rad
        reach: of its laser, m
    """

    x: Number
    y: Number
    yaw: Angle
    barrel: Angle
    reach: Duration

    @property
    def pose(self) -> Pose2D:
        """Where the chaser is."""
        return Pose2D(self.x, self.y, self.yaw)


class Beam(GameMessage):
    """The laser's beam as it is drawn.

    Attributes:
        x: of the barrel's origin, m
        y: of the barrel's origin, m
        yaw: direction of the barrel, rad
        length: up to the first wall, or as far as the laser reaches where it was fired, m
        lit: whether it was fired just now
    """

    x: Number
    y: Number
    yaw: Angle
    length: Duration
    lit: bool


class Ball(GameMessage):
    """The ball as it is drawn.

    Attributes:
        x: of its centre, m
        y: of its centre, m
        radius: m
        hit: whether it was hit
    """

    x: Number
    y: Number
    radius: Duration
    hit: bool


class PursuitScene(GameMessage, topic="pursuit_scene"):
    """What is drawn of a pursuit, by the truth; no robot reads it.

    Attributes:
        phase: of the pursuit
        beam: of the chaser's laser; None where the chaser is not seen
        ball: of the evader; None where the evader is not seen
    """

    phase: PursuitPhase
    beam: Beam | None
    ball: Ball | None

    def __str__(self) -> str:
        return self.phase.value


MESSAGES: tuple[type[GameMessage], ...] = (PursuitScene, PursuitState, Threat, AtHome)
"""All of them."""
