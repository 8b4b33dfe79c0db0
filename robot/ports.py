"""Ports: the only ways by which a tree meets its robot, other robots, the rules and a planner."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Cue, Percepts, Readings
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = [
    "CommandGate",
    "GateDecision",
    "MessagePort",
    "NavigationStatus",
    "Navigator",
    "PerceptionWriter",
    "RobotPort",
]


class RobotPort(Protocol):
    """A robot: simulated, on ROS, or recorded."""

    @property
    def name(self) -> str:
        """Name of the robot; its blackboard and ROS namespace."""
        ...

    def now(self) -> int:
        """Return the robot's clock, ns."""
        ...

    def read(self) -> Readings:
        """Return one consistent snapshot of the newest messages. Never blocks."""
        ...

    def drive(self, twist: Twist2D) -> None:
        """Command the base. Called once in each tick, zero included. Never blocks."""
        ...

    def aim(self, rates: TurretRates) -> None:
        """Command the turret. Called once in each tick, zero included; a robot without one ignores it. Never blocks."""
        ...

    def fire(self) -> None:
        """Fire the weapon once, along the barrel as it points now; a robot without one ignores it. Never blocks."""
        ...

    def cue(self, cue: Cue) -> None:
        """Show or sound an event. Never blocks."""
        ...


class MessagePort(Protocol):
    """Sends and receives the messages of one participant: a robot or the rules."""

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        """Send a message; the port adds sender, epoch, sequence and stamp."""
        ...

    def receive(self) -> Sequence[Message]:
        """Return the messages that came since the last call, oldest arrival first."""
        ...


class NavigationStatus(enum.Enum):
    """State of a navigation goal."""

    IDLE = "IDLE"
    ACTIVE = "ACTIVE"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


class Navigator(Protocol):
    """A planner that drives to a goal in the map frame, one goal at a time."""

    def send_goal(self, goal: Pose2D) -> None:
        """Begin to drive to the goal; replaces the goal before."""
        ...

    def status(self) -> NavigationStatus:
        """Return the state of the newest goal."""
        ...

    def cancel(self) -> None:
        """Give up the goal, if any."""
        ...

    def velocity(self) -> Twist2D | None:
        """Return the planner's newest velocity for the goal, or None when it has none."""
        ...


class PerceptionWriter(Protocol):
    """Turns readings and messages into percepts on the robot's blackboard."""

    def write(self, readings: Readings, messages: Sequence[Message]) -> Percepts:
        """Check the readings, write every percept's key and return the same snapshot."""
        ...

    def close(self) -> None:
        """Unregister the robot's percept keys."""
        ...


@quick_init
@dataclass(frozen=True, slots=True)
class GateDecision:
    """What the velocity gate lets through, and why it is not what was asked.

    Attributes:
        twist: velocity to drive, always finite and within limits
        reasons: names of the limits that acted, worst first; empty when the command passed whole
        latched: why the gate is latched, or None
        turret: rates to turn the turret at, always finite and within limits
        fire: whether the weapon may fire now
    """

    twist: Twist2D
    reasons: tuple[str, ...] = ()
    latched: str | None = None
    turret: TurretRates = STEADY
    fire: bool = False


class CommandGate(Protocol):
    """The last word on what is driven."""

    @property
    def latched(self) -> str | None:
        """Why the gate is latched, or None."""
        ...

    def decide(
        self,
        percepts: Percepts,
        command: Twist2D | None,
        fault: str | None = None,
        aim: TurretRates | None = None,
        fire: bool = False,
    ) -> GateDecision:
        """Return what may be driven now; None commands a stop. A fault latches the gate.

        Args:
            percepts: what the robot knows
            command: what the base shall do
            fault: why the robot must not move any more, or None
            aim: what the turret shall do; None holds it still
            fire: whether the tree fires the weapon
        """
        ...

    def reset(self) -> None:
        """Clear the latch. Nothing moves until a new command comes."""
        ...
