"""The velocity gate: the last word on what is driven.

A STOP gives zero at once. A directional limit takes away the motion that makes things worse,
and leaves rotation and the way out. Caps on speed and acceleration come last. Whatever comes
in, the gate makes a robot only slower. It is a function of explicit state; :class:`VelocityGate`
merely keeps that state between ticks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.scan import Scan
from arena_trees.safety.caps import accelerated, capped
from arena_trees.safety.fence_limit import fence_limit
from arena_trees.safety.localisation import JUMPED, LOST, Place, localise
from arena_trees.safety.obstacle import Obstacles, obstacle_limit, remember
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reckoning import reckon
from arena_trees.safety.stop_line import Permit, StopLines, line_limit, permitted
from arena_trees.world.geofence import Geofence

__all__ = ["STOPS", "GateInputs", "GateState", "VelocityGate", "latch", "reset", "step"]

LATCHED = "latched"
CLOCK = "clock went back"
NO_SCAN = "no scan"
SCAN_STALE = "scan stale"
NO_COMMAND = "no command"
BUMPER = "bumper"
OBSTACLE = "obstacle"
FENCE = "fence"
STOP_LINE = "stop line"
SPEED_CAP = "speed cap"

STOPS = frozenset((LATCHED, CLOCK, NO_SCAN, SCAN_STALE, LOST, JUMPED, NO_COMMAND))
"""The reasons that stop a robot altogether; every other takes away some motion only."""

NOT_FINITE = "command not finite"
"""Why the gate is latched after a command with NaN or infinity."""

_LONGEST_STEP = 0.1
"""Seconds; a loop that slept longer does not earn more acceleration."""

_ORIGIN = Pose2D()


@dataclass(frozen=True, slots=True, eq=False)
class GateState:
    """What the gate remembers from step to step.

    Attributes:
        now: clock at the last step, ns; None before the first
        twist: what was let through then
        latched: why nothing is let through until a reset, or None
        base: the robot's pose (odom frame) then
        obstacles: what the newest scan with a return showed
        fresh_since: since when (ns) returns have been fresh, or None
        place: where the robot is in the map frame
        permit: its lease for the crossing, or None
    """

    now: int | None = None
    twist: Twist2D = ZERO
    latched: str | None = None
    base: Pose2D = _ORIGIN
    obstacles: Obstacles | None = None
    fresh_since: int | None = None
    place: Place | None = None
    permit: Permit | None = None


@dataclass(frozen=True, slots=True)
class GateInputs:
    """What the gate is given in one step.

    Attributes:
        percepts: what the robot knows; the gate reads now, scan, odometry, pose, bumpers and crossing
        command: what shall be driven; None commands a stop
        fault: why the robot must not move any more, or None
    """

    percepts: Percepts
    command: Twist2D | None
    fault: str | None = None


def latch(state: GateState, reason: str) -> GateState:
    """Return the state with the gate latched; the first reason stays."""
    return state if state.latched is not None else replace(state, twist=ZERO, latched=reason)


def reset(state: GateState) -> GateState:
    """Return the state with the latch cleared, standing still."""
    return replace(state, twist=ZERO, latched=None)


def step(
    parameters: GateParameters,
    fence: Geofence | None,
    state: GateState,
    inputs: GateInputs,
    lines: StopLines | None = None,
) -> tuple[GateState, Twist2D, tuple[str, ...]]:
    """Return the state after this step, what may be driven, and why it is not what was asked.

    Args:
        parameters: limits
        fence: the robot's polygon in the map frame; None where the robot has none
        state: of the step before, ``GateState()`` at first
        inputs: of this step
        lines: which the robot must not cross without a lease; None where there are none

    Returns:
        the new state; the twist, always finite and within limits; the names of the limits that
        acted, worst first, empty when the command passed whole. Acceleration needs no reason.
    """
    percepts, command = inputs.percepts, inputs.command
    now = percepts.now
    elapsed = 0 if state.now is None else now - state.now
    seconds = min(max(elapsed, 0) / SECOND, _LONGEST_STEP)
    base, motion = reckon(
        state.base, state.twist, percepts.odometry, now, seconds, parameters.odometry_timeout
    )  # fmt: skip
    latched = state.latched or inputs.fault
    if latched is None and command is not None and not command.is_finite:
        latched = NOT_FINITE
    stops = [LATCHED] if latched is not None else []
    if elapsed < 0:
        stops.append(CLOCK)
    fresh_since, blind = _freshness(parameters, state, percepts.scan, now)
    if blind is not None:
        stops.append(blind)
    obstacles = _newest(parameters, state.obstacles, percepts.scan, base, motion, now)
    place, permit = state.place, None
    if fence is not None or lines is not None:
        place, lost = localise(parameters, place, percepts.pose, base, motion, now)
        if lost is not None:
            stops.append(lost)
    if lines is not None:
        permit = permitted(state.permit, percepts.crossing, lines.robot)
    if command is None:
        stops.append(NO_COMMAND)
    twist, reasons = ZERO, tuple(stops)
    if command is not None and not stops:
        wanted, limits, place = _limited(parameters, fence, obstacles, place, base, motion, command, percepts)
        if lines is not None and place is not None and (permit is None or not permit.stands(now)):
            wanted = _held(parameters, lines, place.now_at(base), motion, wanted, limits)
        twist, reasons = accelerated(parameters, state.twist, wanted, seconds), tuple(limits)
    return GateState(now, twist, latched, base, obstacles, fresh_since, place, permit), twist, reasons


def _freshness(
    parameters: GateParameters, state: GateState, scan: Scan | None, now: int
) -> tuple[int | None, str | None]:
    """Return since when returns have been fresh, and why the robot is blind, or None."""
    age = None if scan is None else scan.return_age(now)
    if scan is None or age is None:
        return None, NO_SCAN
    # A message that took long is as old as its stamp says; a return from the future is none.
    if age < 0 or max(age, scan.age(now)) > from_seconds(parameters.scan_timeout):
        return None, SCAN_STALE
    since = state.fresh_since
    if since is None or since > now:
        since = now
    if now - since < from_seconds(parameters.scan_recovery):
        return since, SCAN_STALE
    return since, None


def _newest(
    parameters: GateParameters, known: Obstacles | None, scan: Scan | None, base: Pose2D, motion: Twist2D, now: int
) -> Obstacles | None:
    """Return what the newest scan with a return shows; a scan without any shows nothing new."""
    if scan is None or not scan.distance.size or now < scan.arrival:
        return known
    if known is not None and scan.sequence == known.sequence and scan.arrival == known.arrival:
        return known
    return remember(parameters, scan, base, motion, now)


def _limited(
    parameters: GateParameters,
    fence: Geofence | None,
    obstacles: Obstacles | None,
    place: Place | None,
    base: Pose2D,
    motion: Twist2D,
    command: Twist2D,
    percepts: Percepts,
) -> tuple[Twist2D, list[str], Place | None]:
    """Return the command within speed caps and directional limits, their names, and the place."""
    wanted = capped(parameters, command)
    reasons: list[str] = []
    speed = asked = abs(wanted.linear)
    if asked > 0.0 and obstacles is not None:
        speed = obstacle_limit(parameters, obstacles, base, motion, wanted, percepts.now)
        if speed < asked:
            reasons.append(OBSTACLE)
    # The bumper covers the front half only: nothing feels what is behind.
    if wanted.linear > 0.0 and percepts.bumpers is not None and percepts.bumpers.pressed:
        speed = 0.0
        reasons.append(BUMPER)
    if asked > 0.0 and fence is not None and place is not None:
        inside, known = fence_limit(parameters, fence, place.now_at(base), wanted, place.known)
        if known is not place.known:
            place = replace(place, known=known)
        if inside < asked:
            speed = min(speed, inside)
            reasons.append(FENCE)
    if wanted != command:
        reasons.append(SPEED_CAP)
    if speed < asked:
        wanted = Twist2D(speed if wanted.linear > 0.0 else -speed, wanted.angular)
    return wanted, reasons, place


def _held(
    parameters: GateParameters, lines: StopLines, here: Pose2D, motion: Twist2D, wanted: Twist2D, reasons: list[str]
) -> Twist2D:
    """Return the twist of a robot without a lease before its lines, and name the limit where it acted."""
    asked = abs(wanted.linear)
    speed = line_limit(parameters, lines, here, motion, wanted) if asked > 0.0 else asked
    if speed >= asked:
        return wanted
    reasons.insert(0, STOP_LINE)
    return Twist2D(math.copysign(speed, wanted.linear), wanted.angular)


class VelocityGate:
    """Keeps the gate's state between ticks; implements :class:`~arena_trees.robot.ports.CommandGate`.

    Args:
        parameters: limits
        fence: the robot's polygon in the map frame; None where the robot has none
        lines: which the robot must not cross without a lease; None where there are none
    """

    def __init__(
        self, parameters: GateParameters | None = None, fence: Geofence | None = None, lines: StopLines | None = None
    ) -> None:
        self.parameters = parameters if parameters is not None else GateParameters()
        self.fence = fence
        self.lines = lines
        self.state = GateState()

    @property
    def latched(self) -> str | None:
        """Why the gate is latched, or None."""
        return self.state.latched

    def decide(self, percepts: Percepts, command: Twist2D | None, fault: str | None = None) -> GateDecision:
        """Return what may be driven now; None commands a stop. A fault latches the gate."""
        inputs = GateInputs(percepts, command, fault)
        self.state, twist, reasons = step(self.parameters, self.fence, self.state, inputs, self.lines)
        return GateDecision(twist, reasons, self.state.latched)

    def operator_stop(self, reason: str) -> None:
        """Latch the gate at zero, because a person said so."""
        self.state = latch(self.state, f"operator stop: {reason}")

    def reset(self) -> None:
        """Clear the latch. Nothing moves until a new command comes."""
        self.state = reset(self.state)
