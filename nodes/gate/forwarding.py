"""The gate inside the tree's process: it forwards, because the real gate is a process of its own."""

from __future__ import annotations

from collections.abc import Callable

from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.gate import NOT_FINITE
from arena_trees.safety.guard import RESTING
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.turret import AIM_NOT_FINITE

__all__ = ["ForwardingGate"]


def _obeys(state: str) -> bool:
    """Return whether the real gate, by what it reports of itself, waits for nothing but commands."""
    return not (state == GateReason.GATE_SILENT or state.startswith("latched: ") or RESTING in state)


class ForwardingGate:
    """Passes commands on, until it latches; implements :class:`~arena_trees.robot.ports.CommandGate`.

    While the real gate is latched, or waits for zeros after a reset, zeros are what is passed on: a reset is no start,
    and a tree that knows nothing of it would command motion for ever. So they are while a gate that was there is
    silent: it shall not wake up to motion.

    Args:
        state: returns what the real gate last published on ``velocity_gate/state``, or that it is silent, as
            :attr:`GateHeartbeat.state <arena_trees.nodes.gate.heartbeat.GateHeartbeat.state>` has it
    """

    def __init__(self, state: Callable[[], str] = str) -> None:
        self._state = state
        self._latched: str | None = None

    @property
    def withheld(self) -> str | None:
        """Why commands are withheld, or None."""
        state = self._state()
        return None if _obeys(state) else state

    @property
    def latched(self) -> str | None:
        """Why the gate is latched, or None."""
        return self._latched

    def decide(
        self,
        percepts: Percepts,
        command: Twist2D | None,
        fault: str | None = None,
        aim: TurretRates | None = None,
        fire: bool = False,
    ) -> GateDecision:
        """Return what was asked as it is; a fault, and a command or rates that are not finite latch the gate."""
        if fault is None and command is not None and not command.is_finite:
            fault = NOT_FINITE
        if fault is None and aim is not None and not aim.is_finite:
            fault = AIM_NOT_FINITE
        self._latched = self._latched or fault
        if self._latched is not None:
            return GateDecision(ZERO, (GateReason.LATCHED,), self._latched)
        withheld = self.withheld
        if withheld is not None:
            silent = withheld == GateReason.GATE_SILENT
            return GateDecision(ZERO, (GateReason.GATE_SILENT if silent else GateReason.WITHHELD,), None)
        turret = STEADY if aim is None else aim
        if command is None:
            return GateDecision(ZERO, (GateReason.NO_COMMAND,), None, turret, fire)
        return GateDecision(command, (), None, turret, fire)

    def latch(self, reason: str) -> None:
        """Pass on zeros until a reset; the first reason stays."""
        self._latched = self._latched or reason

    def reset(self) -> None:
        """Clear the latch."""
        self._latched = None
