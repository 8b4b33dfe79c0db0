"""The account of one tick: what determinism tests, recordings, replay and reports all read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import PoseEstimate, Tracking, sequence_names
from arena_trees.robot.plain_values import plain_value
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["STATUS_CODES", "TickRecord"]

STATUS_CODES = {"INVALID": 0, "RUNNING": 1, "SUCCESS": 2, "FAILURE": 3}
"""py_trees status name to the byte that stands for it in :attr:`TickRecord.statuses`."""


@lru_cache(maxsize=1)
def _left_out() -> frozenset[str]:
    """Return the percepts that few robots have; those that never came are left out of a record's text."""
    return frozenset(key for key, sensor in sensors().items() if not sensor.always_counted)


@quick_init
@dataclass(frozen=True, slots=True)
class TickRecord:
    """One tick of one robot.

    Attributes:
        robot: name of the robot
        tick: number of the tick, from 0
        now: the robot's clock, ns
        sequences: sequence numbers of the percepts that :func:`~arena_trees.robot.percepts.sequence_names` names
        received: messages that came in before the tick
        sent: messages that went out after it
        command: what the tree asked for, or None
        twist: what the gate let through
        reasons: why the gate changed it
        statuses: a byte a node, in the order of ``root.iterate()``
        active: name of the running leaf; empty where none runs; the loop's state where the tree was not ticked
        cues: events shown in this tick
        tracking: what the chase knew, or None
        fault: why the robot's gate is latched, or None
        aim: what the tree asked of the turret, or None
        turret: what the gate let through
        trigger: whether the tree fired
        fired: whether the gate let it
        blackboard: what the tree keeps on the robot's blackboard after the tick, by key: frozen values
        parameters: of the tree that were changed before the tick, by key
        pose: where the robot took itself to be, in the map frame, or None; not in the record's text
    """

    robot: str
    tick: int
    now: int
    sequences: tuple[int, ...]
    received: tuple[Message, ...]
    sent: tuple[Message, ...]
    command: Twist2D | None
    twist: Twist2D
    reasons: tuple[str, ...]
    statuses: bytes
    active: str
    cues: tuple[str, ...] = ()
    tracking: Tracking | None = None
    fault: str | None = None
    aim: TurretRates | None = None
    turret: TurretRates = STEADY
    trigger: bool = False
    fired: bool = False
    blackboard: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pose: PoseEstimate | None = None

    def to_json(self) -> str:
        """Return the record as one line of JSON; equal records give equal bytes."""
        twist = (self.twist.linear, self.twist.angular)
        command = None if self.command is None else (self.command.linear, self.command.angular)
        tracking = self.tracking
        values = {
            "robot": self.robot,
            "tick": self.tick,
            "now": self.now,
            "sequences": {
                name: number
                for name, number in zip(sequence_names(), self.sequences, strict=True)
                if number or name not in _left_out()
            },
            "received": [_message(message) for message in self.received],
            "sent": [_message(message) for message in self.sent],
            "command": command,
            "twist": twist,
            "reasons": self.reasons,
            "statuses": self.statuses.hex(),
            "active": self.active,
            "cues": self.cues,
            "tracking": None
            if tracking is None
            else {name: getattr(tracking, name) for name in Tracking.__dataclass_fields__},
            "fault": self.fault,
            "aim": None if self.aim is None else (self.aim.yaw, self.aim.pitch),
            "turret": (self.turret.yaw, self.turret.pitch),
            "trigger": self.trigger,
            "fired": self.fired,
            "blackboard": {key: plain_value(value) for key, value in self.blackboard.items()},
        }
        if self.parameters:
            values["parameters"] = dict(self.parameters)
        return json.dumps(values, separators=(",", ":"), sort_keys=True)


def _message(message: Message) -> list[object]:
    return [message.topic, message.sender, message.epoch, message.sequence, message.stamp, dict(message.payload)]
