"""Ticks of a tree whose gate is a process of its own, with what that gate made of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND
from arena_trees.robot.ros_messages.gate_decisions import RecordedDecision
from arena_trees.robot.timing import TICK

__all__ = ["with_decisions"]

_LONGEST = SECOND + SECOND // 2
"""A gate writes a decision again after a second at the latest, several together, and they take their time."""


def with_decisions(ticks: Sequence[Tick], decisions: Sequence[RecordedDecision]) -> tuple[Tick, ...]:
    """Return ticks with what the gate made of each: the newest decision before the next tick.

    A tick without a decision so far, or after the last one by more than 1.5 s, drove nothing that is known: it
    keeps what it has.

    Args:
        ticks: of a robot whose gate is a process of its own
        decisions: of that gate, in the order of their instants, by the same clock
    """
    instants = [made.now for made in decisions]
    found = []
    for tick in ticks:
        until = tick.now + TICK
        place = bisect_left(instants, until) - 1
        if place < 0 or until - instants[place] > _LONGEST:
            found.append(tick)
            continue
        made = decisions[place].decision
        found.append(
            replace(tick, twist=made.twist, reasons=made.reasons, fault=tick.fault or made.latched, turret=made.turret)
        )
    return tuple(found)
