"""One tick of one robot with what it knew then: what statements are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.world.geofence import Geofence

__all__ = ["DecidedTick", "TraceTick"]

_NOBODY: Mapping[str, Pose2D] = MappingProxyType({})


class DecidedTick(Protocol):
    """What was decided in a tick, as it is played or as a recording has it."""

    @property
    def now(self) -> int:
        """Instant, ns."""

    @property
    def active(self) -> str:
        """Name of the leaf that ran."""

    @property
    def twist(self) -> Twist2D:
        """What the gate let through."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why that is not what was asked."""

    @property
    def statuses(self) -> bytes:
        """Codes of the statuses of all nodes."""

    @property
    def cues(self) -> Sequence[str]:
        """Events that were shown."""

    @property
    def fault(self) -> str | None:
        """Why the robot is latched, or None."""


@dataclass(frozen=True, slots=True)
class TraceTick:
    """One tick of one robot, with what it knew then.

    Attributes:
        seconds: since the trace began
        tick: what was decided: command, twist, reasons, statuses, cues and so on
        percepts: what the tree and the gate were given
        truth: true pose in the map frame, at this tick or a few before; None outside of the arena
        fence: the robot's polygon, or None
        nodes: names of the tree's nodes, in the order of the statuses
        others: true poses of the other robots in the map frame, by name, as far as they are known
    """

    seconds: float
    tick: DecidedTick
    percepts: Percepts
    truth: Pose2D | None = None
    fence: Geofence | None = None
    nodes: tuple[str, ...] = ()
    others: Mapping[str, Pose2D] = field(default_factory=lambda: _NOBODY)

    def __str__(self) -> str:
        tick, percepts = self.tick, self.percepts
        parts = [f"leaf {tick.active or 'none'}", f"twist {tick.twist}"]
        if tick.reasons:
            parts.append(f"gate {', '.join(tick.reasons)}")
        if percepts.pose is not None:
            parts.append(f"pose {percepts.pose}")
        if percepts.geofence is not None:
            parts.append(f"fence {percepts.geofence}")
        if tick.fault is not None:
            parts.append(f"latched: {tick.fault}")
        return "; ".join(parts)
