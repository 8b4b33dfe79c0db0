"""Ticks and nodes as a recording holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.percepts import PoseEstimate, Tracking
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["NodeInfo", "Tick"]


@dataclass(frozen=True, slots=True)
class NodeInfo:
    """One node of a tree.

    Attributes:
        name: of the node
        kind: name of its class, such as ``Selector`` or ``ChaseSign``
        parent: index of its parent in the order of ``root.iterate()``; -1 for the root
    """

    name: str
    kind: str
    parent: int


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick of one robot: what of a :class:`~arena_trees.robot.record.TickRecord` a recording keeps.

    Attributes:
        now: the robot's clock, ns
        statuses: a byte a node in the order of ``root.iterate()``, see ``robot.record.STATUS_CODES``
        active: name of the running leaf, or the loop's state
        command: what the tree asked for, or None
        twist: what the gate let through
        reasons: why the gate changed it, worst first
        fault: why the robot's gate is latched, or None
        cues: events shown in this tick
        feedback: feedback messages that changed in this tick, by index of the node
        tracking: what the chase knew, or None
        sequences: sequence numbers of the percepts that ``SEQUENCES`` names; in older recordings, eight or more
        number: of the tick, from 0
        received: messages that came in before the tick, each as (sender, epoch, sequence)
        blackboard: what the tree keeps on the blackboard and was written in this tick, by key, as plain values
        aim: what the tree asked of the turret, or None
        turret: what the gate let through
        trigger: whether the tree fired
        fired: whether the gate let it
        parameters: of the tree that were changed before the tick, by key, as plain values
        pose: where the robot took itself to be, in the map frame; None where it knew none, or none is kept
    """

    now: int
    statuses: bytes
    active: str = ""
    command: Twist2D | None = None
    twist: Twist2D = ZERO
    reasons: tuple[str, ...] = ()
    fault: str | None = None
    cues: tuple[str, ...] = ()
    feedback: Mapping[int, str] = field(default_factory=dict)
    tracking: Tracking | None = None
    sequences: tuple[int, ...] = ()
    number: int = 0
    received: tuple[tuple[str, int, int], ...] = ()
    blackboard: Mapping[str, Any] = field(default_factory=dict)
    aim: TurretRates | None = None
    turret: TurretRates = STEADY
    trigger: bool = False
    fired: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pose: PoseEstimate | None = None
