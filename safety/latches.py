"""What latches the velocity gate or the guard around it, and what else the guard itself stops a robot for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena_trees.safety.gate import NOT_FINITE
from arena_trees.safety.guard import DIED, HUNG, RESTING, RIVALS, SLEPT, UNRELEASED
from arena_trees.safety.reasons import Reason
from arena_trees.safety.turret import AIM_NOT_FINITE

__all__ = ["LATCHES"]

_RESET = "by a reset only"

LATCHES: Mapping[str, Reason] = MappingProxyType(
    {
        NOT_FINITE: Reason("latch", "a commanded velocity was NaN or infinite, which no base can drive", _RESET),
        AIM_NOT_FINITE: Reason("latch", "a commanded rate of the turret was NaN or infinite", _RESET),
        DIED: Reason(
            "latch",
            "the tree, a process of its own, has sent no command for longer than tree_timeout (0.5 s by default), "
            "and its last one was no standstill",
            _RESET,
        ),
        HUNG: Reason(
            "latch",
            "more than hang_timeout (1 s by default) has passed between two steps of the velocity gate's own process",
            _RESET,
        ),
        UNRELEASED: Reason("latch", "the velocity gate has just started and is set to wait for a person", _RESET),
        SLEPT: Reason(
            "stop",
            "more than 0.1 s has passed between two steps of the velocity gate's own process, which should be 20 ms: "
            "what it heard before is not obeyed",
            "with the next command that is fresh",
        ),
        RIVALS: Reason(
            "stop", "commands of more than one tree come for one robot", "when all but one of them have ended"
        ),
        RESTING: Reason(
            "stop",
            "the gate was reset, or a tree has just appeared that commands motion: a reset permits a start, no more",
            "when the tree has commanded zero velocity five times in a row",
        ),
    }
)
"""Every reason of the guard's own and of commands that are no numbers."""
