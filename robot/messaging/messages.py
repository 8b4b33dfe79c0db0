"""The message in transit: payload, sender, and its place in the sender's sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena_trees.robot.quick_init import quick_init

__all__ = ["Message"]


@quick_init
@dataclass(frozen=True, slots=True)
class Message:
    """One message on a topic of the game.

    Attributes:
        topic: such as ``game`` or ``catch_claim``
        sender: name of the robot or the rule that sent it
        epoch: number of the sender's life; grows when the sender restarts
        sequence: number within the sender's life, counted up from 1 over all its topics
        stamp: instant of sending, ns of the sender's clock
        payload: plain values only (str, int, float, bool, None, lists and maps of them)
    """

    topic: str
    sender: str
    epoch: int
    sequence: int
    stamp: int
    payload: Mapping[str, Any] = field(default_factory=dict)
