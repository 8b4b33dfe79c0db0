"""What a velocity gate decides that is a process of its own, as on ROS: written and read.

The topic :data:`DECISIONS` (std_msgs/String) carries lines of JSON in their order, an object each; a decision that is
the one before is left out for a second at most.

===========  ================================================================================
``now``      when it was decided, the robot's clock, ns
``twist``    what the gate let through: [m/s, rad/s]
``reasons``  why the gate changed it
``latched``  why the gate is latched, or null
``turret``   what the gate let through: [yaw rad/s, pitch rad/s]; absent while the turret is steady
===========  ================================================================================

The topic :data:`GATE_INFO` (std_msgs/String, latched) carries the gate's parameters, one JSON object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.messaging.json_text import JsonError, read_json
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["DECISIONS", "GATE_INFO", "DecisionEncoder", "RecordedDecision", "decode_decision"]

DECISIONS = "velocity_gate/decisions"
"""Topic of the decisions, in the robot's namespace."""

GATE_INFO = "velocity_gate/recording"
"""Topic of the gate's parameters, in the robot's namespace."""

_AGAIN = SECOND
"""Nanoseconds after which a decision is written though it is the one before."""

_Pair = tuple[float, float]
_Text = Annotated[str, Field(max_length=1000)]


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    now: Annotated[int, Field(ge=0, lt=1 << 63)]
    twist: _Pair
    reasons: Annotated[tuple[_Text, ...], Field(max_length=100)]
    latched: _Text | None
    turret: _Pair | None = None


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """A decision of the gate.

    Attributes:
        now: when it was decided, the robot's clock, ns
        decision: what the gate made of the command that it had; whether it let the robot fire is not recorded
    """

    now: int
    decision: GateDecision


class DecisionEncoder:
    """Writes a gate's decisions."""

    def __init__(self) -> None:
        self._last: RecordedDecision | None = None

    def encode(self, made: RecordedDecision) -> str | None:
        """Return the line of a decision; None where it is the one before, and need not be written yet."""
        last = self._last
        decision = made.decision
        if last is not None and decision == last.decision and 0 <= made.now - last.now < _AGAIN:
            return None
        self._last = made
        line = _Line(
            now=made.now,
            twist=_rounded(decision.twist.linear, decision.twist.angular),
            reasons=decision.reasons,
            latched=decision.latched,
            turret=_rounded(decision.turret.yaw, decision.turret.pitch),
        )
        return line.model_dump_json(exclude={"turret"} if decision.turret == STEADY else None)


def decode_decision(text: str) -> RecordedDecision:
    """Return the decision of a line.

    Raises:
        JsonError: it is none
    """
    read_json(text)
    try:
        line = _Line.model_validate_json(text)
    except ValidationError as error:
        raise JsonError("is no decision") from error
    turret = STEADY if line.turret is None else TurretRates(*line.turret)
    decision = GateDecision(Twist2D(*line.twist), line.reasons, line.latched, turret)
    return RecordedDecision(line.now, decision)


def _rounded(first: float, second: float) -> _Pair:
    return (round(first, 9), round(second, 9))
