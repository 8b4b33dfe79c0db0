"""What a planner of PacMan decides, and by what it is set."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from arena_trees.games.pacman.messages import PacmanGame
from arena_trees.robot.geometry import Pose2D

__all__ = ["Intent", "PelletPlanner", "Plan", "PlannerParameters"]


class Intent(enum.Enum):
    """What a plan is for."""

    COLLECT = "COLLECT"
    EVADE = "EVADE"
    WAIT = "WAIT"


@dataclass(frozen=True, slots=True)
class Plan:
    """Where to go now.

    Attributes:
        intent: what for
        goal: where to, map frame, m
        pellet: that is gone for in the end, by its number; None where none is in view
        path: the way to the goal as it was planned, map frame, m; empty where the navigator shall find one
        danger: that is taken on the way, s of cost
    """

    intent: Intent
    goal: tuple[float, float]
    pellet: int | None = None
    path: tuple[tuple[float, float], ...] = ()
    danger: float = 0.0


class PelletPlanner(Protocol):
    """Decides where a robot goes next in a game of PacMan, by what the game tells alone."""

    def reset(self) -> None:
        """Begin anew with a new game."""
        ...

    def prepare(self, game: PacmanGame) -> None:
        """Take in a game that will begin: what takes long is done now, while the robot stands."""
        ...

    def watch(self, game: PacmanGame) -> None:
        """Take in the state of the game between two decisions."""
        ...

    def decide(self, pose: Pose2D, game: PacmanGame, now: int) -> Plan:
        """Return where to go now.

        Args:
            pose: of the robot, map frame
            game: its state
            now: when that was received, ns
        """
        ...


@dataclass(frozen=True, slots=True)
class PlannerParameters:
    """The arena's planner.

    Attributes:
        speed: that plans reckon with, m/s
        turn_speed: yaw rate that plans reckon with, rad/s
        horizon: how far ahead ghosts are foreseen, s
        fading: time over which danger ahead fades, since plans are made anew, s
        hunted_fading: the same of danger by ghosts that hunt, which are foreseen better, s
        danger_inner: a ghost nearer than this is deadly, m
        danger_outer: a ghost farther than this is harmless, m
        hunted_band: one that hunts and is farther than the inner distance by this nearly is, m
        danger_cost: what a second within reach of a ghost costs, s
        turning_back: what a way costs that turns back from the one before, while something hunts, s
        power_worth: what a power pellet is worth with a ghost that hunts next to the robot, s of cost
        power_wasted: what it costs to take one while all ghosts are frightened, s
        patience: time without a pellet after which danger counts less and less, s
        pickup: a pellet counts as collected within this, m
        look_ahead: farthest goal given to the navigator, m
        uneasy: danger on the way above which it is called evading, s of cost
    """

    speed: float = 0.29
    turn_speed: float = 1.4
    horizon: float = 20.0
    fading: float = 10.0
    hunted_fading: float = 60.0
    danger_inner: float = 0.40
    danger_outer: float = 0.80
    hunted_band: float = 0.20
    danger_cost: float = 40.0
    turning_back: float = 10.0
    power_worth: float = 40.0
    power_wasted: float = 8.0
    patience: float = 60.0
    pickup: float = 0.22
    look_ahead: float = 3.0
    uneasy: float = 2.0
