"""The guard: a velocity gate in a process of its own, past all trees, and who may stop and reset it."""

from __future__ import annotations

from dataclasses import replace

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.command_stream import CommandStream
from arena_trees.safety.gate import NOT_FINITE, STOPS, VelocityGate, latch
from arena_trees.safety.parameters import GuardParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.scan_watch import ScanWatch
from arena_trees.safety.turret import AIM_NOT_FINITE

__all__ = ["RESTING", "UNRELEASED", "Guard"]

DIED = "tree died while moving"
SLEPT = "gate slept"
HUNG = "gate hung"
RIVALS = "two trees command the robot"
RESTING = "waiting until the tree commands a standstill"
UNRELEASED = "not released since the gate started"
"""Why a gate is latched that starts latched."""

_LONGEST_SLEEP = from_seconds(0.1)
"""Nanoseconds between two steps from which the gate knows that it was stopped itself."""


class Guard:
    """Adds to a velocity gate what a gate needs that stands alone between a tree and the wheels.

    Each source of a stop is known by its name. A *hold* stops the robot as long as it stands. An
    *alarm* latches the gate, and as long as it stands the latch cannot be reset. After a reset
    nothing moves until the tree has commanded a standstill: a reset permits a start and is none. Nor is a tree
    obeyed that appears, for the first time or again, before it has stood. A command or rates that are not finite
    latch the gate, whoever sent them.

    Turret and weapon obey only whom the base would obey: a hold, a tree that is silent, late or not alone, and
    a tree that has not stood since a reset hold both. A scan that is not to be trusted holds neither.

    Attributes:
        gate: the velocity gate
        commands: the stream that is obeyed
        aims: what the turret shall do, in addition to it
        triggers: true in it fires the weapon, once a message
        standing: why the robot is stopped altogether, worst first; empty while it is not
        latched_at: since when (ns) the gate is latched, or None

    Args:
        gate: the velocity gate
        parameters: timeouts
    """

    def __init__(self, gate: VelocityGate, parameters: GuardParameters | None = None) -> None:
        parameters = parameters if parameters is not None else GuardParameters()
        self.gate = gate
        self.commands = CommandStream[Twist2D](parameters, ZERO, lambda twist: twist.is_finite)
        self.aims = CommandStream[TurretRates](parameters, STEADY, lambda rates: rates.is_finite)
        self.triggers = CommandStream(parameters, False)
        self.standing: tuple[str, ...] = (GateReason.NO_COMMAND,)
        self.latched_at: int | None = None
        self._lost_timeout = from_seconds(parameters.lost_timeout)
        self._hang_timeout = from_seconds(parameters.hang_timeout)
        self._scans = ScanWatch()
        self._holds: dict[str, str] = {}
        self._alarms: dict[str, str] = {}
        self._pause: str | None = None
        self._resting = True
        self._now: int | None = None
        self._lost_since: int | None = None

    @property
    def text(self) -> str:
        """Why the robot is stopped, in words: ``ok``, the reasons, or ``latched: reason``."""
        if self.gate.latched is not None:
            return f"latched: {self.gate.latched}"
        return ", ".join(self.standing) or "ok"

    def hold(self, source: str, reason: str | None) -> None:
        """Stop the robot as long as a reason stands; None ends it."""
        if reason is None:
            self._holds.pop(source, None)
        else:
            self._holds[source] = reason

    def alarm(self, source: str, reason: str | None) -> None:
        """Latch the gate, and refuse its reset as long as a reason stands; None ends it."""
        if reason is None:
            self._alarms.pop(source, None)
        else:
            self._alarms[source] = reason
            self.latch(reason)

    def pause(self, reason: str) -> None:
        """Stop the robot for the next step."""
        self._pause = reason

    def latch(self, reason: str) -> None:
        """Latch the gate at zero; the first reason stays."""
        self.gate.state = latch(self.gate.state, reason)

    def reset(self) -> str | None:
        """Clear the latch and return None, or leave it and return why."""
        causes = list(self._alarms.values())
        if self.gate.latched == GateReason.LOCALISATION_LOST and GateReason.LOCALISATION_LOST in self.standing:
            causes.append(GateReason.LOCALISATION_LOST)
        if causes:
            return ", ".join(causes)
        if self.gate.latched is not None:
            self.gate.reset()
            for stream in (self.commands, self.aims, self.triggers):
                stream.reset()
            self._resting = True
        return None

    def step(self, percepts: Percepts, malformed_scans: int = 0) -> GateDecision:
        """Return what may be driven now; to be called about every 20 ms.

        Args:
            percepts: checked; their clock is monotonic
            malformed_scans: how many scans in a row contradicted themselves
        """
        now = percepts.now
        stops = self._stops(now)
        sent = None if stops else self.commands.command(now)
        triggered = self.triggers.command(now) is True
        self.triggers.reset()
        aim, fire = (None, False) if sent is None else (self.aims.command(now), triggered)
        untrusted = self._scans.observe(percepts.scan, malformed_scans)
        if untrusted is not None:
            stops.append(untrusted)
        command = None if untrusted is not None else sent
        decision = self.gate.decide(percepts, command, None, aim, fire)
        # The gate reports that there is no command also where it was withheld.
        own = [
            reason for reason in decision.reasons if reason in STOPS and not (stops and reason == GateReason.NO_COMMAND)
        ]
        self._watch_localisation(GateReason.LOCALISATION_LOST in own, now)
        latched = [GateReason.LATCHED] if self.gate.latched is not None else []
        self.standing = tuple(dict.fromkeys((*latched, *stops, *own)))
        if self.gate.latched is None:
            self.latched_at = None
        elif self.latched_at is None:
            self.latched_at = now
        limits = [reason for reason in decision.reasons if reason not in STOPS]
        if triggered and not decision.fire and GateReason.WEAPON_HELD not in limits:
            limits.append(GateReason.WEAPON_HELD)
        return replace(decision, reasons=(*self.standing, *limits), latched=self.gate.latched)

    def _stops(self, now: int) -> list[str]:
        """Return the guard's own reasons to obey nobody; latch where one of them does not pass by itself."""
        held_up = 0 if self._now is None else now - self._now
        slept = held_up > _LONGEST_SLEEP
        self._now = now
        if held_up > self._hang_timeout:
            self.latch(HUNG)
        stops = list(self._holds.values())
        if slept:
            for stream in (self.commands, self.aims, self.triggers):
                stream.expire(now)
            stops.append(SLEPT)
        if self.commands.died(now):
            self.latch(DIED)
        for stream, reason in ((self.commands, NOT_FINITE), (self.aims, AIM_NOT_FINITE)):
            if stream.spoilt:
                self.latch(reason)
        if self.commands.rivals(now):
            stops.append(RIVALS)
        away = self.commands.away(now)
        # Whoever is not there may be driving when its next command is received.
        self._resting = away or (self._resting and not (self.commands.stands and self.aims.at_rest(now)))
        if self._resting and not away:
            stops.append(RESTING)
        if self._pause is not None:
            stops.append(self._pause)
            self._pause = None
        return stops

    def _watch_localisation(self, lost: bool, now: int) -> None:
        """Latch where localisation, once there, has been lost for long."""
        if not lost or self.gate.state.place is None:
            self._lost_since = None
        elif self._lost_since is None:
            self._lost_since = now
        elif now - self._lost_since > self._lost_timeout:
            self.latch(GateReason.LOCALISATION_LOST)
