"""The velocity gate: the last word on what is driven.

A STOP gives zero at once. Directional limits, each a :class:`~arena_trees.safety.motion_limit.MotionLimit`, take away
the motion that makes things worse, and leave rotation and the way out. Caps on speed and acceleration come last.
Whatever comes in, the gate makes a robot only slower. It is a function of explicit state; :class:`VelocityGate` merely
keeps that state between ticks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.bumper import BumperLimit
from arena_trees.safety.caps import LONGEST_STEP, accelerated, capped
from arena_trees.safety.fence_limit import FenceLimit
from arena_trees.safety.frozen_scan import FrozenScanLimit
from arena_trees.safety.localisation import Place, localise
from arena_trees.safety.motion_limit import Limits, Situation
from arena_trees.safety.obstacle import ObstacleLimit
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.range_limit import RangeLimit
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import OdometryTrack, reckon
from arena_trees.safety.stuck_odometry import StuckOdometryLimit
from arena_trees.safety.turret import AIM_NOT_FINITE, arm
from arena_trees.safety.unseen import UnseenLimit
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.geofence import Geofence

__all__ = [
    "STOPS",
    "GateInputs",
    "GateState",
    "VelocityGate",
    "latch",
    "limits_of",
    "need_place",
    "reset",
    "step",
]


STOPS = frozenset(
    (
        GateReason.LATCHED,
        GateReason.CLOCK_WENT_BACK,
        GateReason.NO_SCAN,
        GateReason.SCAN_STALE,
        GateReason.SCAN_FROZEN,
        GateReason.NO_RANGES,
        GateReason.RANGES_STALE,
        GateReason.ODOMETRY_STUCK,
        GateReason.LOCALISATION_LOST,
        GateReason.LOCALISATION_JUMPED,
        GateReason.NO_COMMAND,
    )
)
"""The reasons that stop a robot altogether; every other takes away some motion only."""

NOT_FINITE = "command not finite"
"""Why the gate is latched after a command with NaN or infinity."""

_ORIGIN = Pose2D()


class GateState(NamedTuple):
    """What the gate remembers from step to step.

    Attributes:
        now: clock at the last step, ns; None before the first
        twist: what was let through then
        latched: why nothing is let through until a reset, or None
        base: the robot's pose (odom frame) then
        place: where the robot is in the map frame
        memories: what each limit remembers, in the order of the limits; empty before the first step
        track: what is known of odometry; None before the first
        turret: rates that were let through at the last step
    """

    now: int | None = None
    twist: Twist2D = ZERO
    latched: str | None = None
    base: Pose2D = _ORIGIN
    place: Place | None = None
    memories: tuple[Any, ...] = ()
    track: OdometryTrack | None = None
    turret: TurretRates = STEADY


class GateInputs(NamedTuple):
    """What the gate is given in one step.

    Attributes:
        percepts: what the robot knows; the gate reads now, odometry and pose, and its limits what they need
        command: what shall be driven; None commands a stop
        fault: why the robot must not move any more, or None
    """

    percepts: Percepts
    command: Twist2D | None
    fault: str | None = None


def latch(state: GateState, reason: str) -> GateState:
    """Return the state with the gate latched; the first reason stays."""
    return state if state.latched is not None else state._replace(twist=ZERO, turret=STEADY, latched=reason)


def reset(state: GateState) -> GateState:
    """Return the state with the latch cleared, standing still."""
    return state._replace(twist=ZERO, turret=STEADY, latched=None)


def limits_of(fence: Geofence | None = None, further: Limits = (), body: Body = TURTLEBOT4) -> Limits:
    """Return the limits of a robot: the further ones, those that it sees by, odometry, bumper and fence.

    Args:
        fence: the robot's polygon in the map frame; None where the robot has none
        further: limits of its game
        body: which determines what it sees by: a LiDAR, range sensors, both or nothing
    """
    sight: Limits = (
        *((ObstacleLimit(), FrozenScanLimit(), UnseenLimit()) if body.lidar else ()),
        *((RangeLimit(frozenset(mount.name for mount in body.ranges)),) if body.ranges else ()),
    )
    return (*further, *sight, StuckOdometryLimit(), BumperLimit(), *(() if fence is None else (FenceLimit(fence),)))


def need_place(limits: Limits) -> bool:
    """Return whether one of the limits needs the robot's place in the map frame."""
    return any(limit.needs_place for limit in limits)


def step(
    parameters: GateParameters, limits: Limits, state: GateState, inputs: GateInputs
) -> tuple[GateState, Twist2D, tuple[str, ...]]:
    """Return the state after this step, what may be driven, and why it is not what was asked.

    Args:
        parameters: limits
        limits: of the robot's motion, worst first; the same in every step
        state: of the step before, ``GateState()`` at first
        inputs: of this step

    Returns:
        the new state; the twist, always finite and within limits; the names of the limits that
        acted, worst first, empty when the command passed whole. Acceleration needs no reason.
    """
    percepts, command = inputs.percepts, inputs.command
    now = percepts.now
    elapsed = 0 if state.now is None else now - state.now
    seconds = min(max(elapsed, 0) / SECOND, LONGEST_STEP)
    base, motion, track = reckon(
        parameters, state.base, state.twist, state.track, percepts.odometry, now, seconds
    )  # fmt: skip
    latched = _latched(state, inputs)
    place, lost = _located(parameters, limits, state.place, percepts, base, motion)
    stops: list[str] = [] if latched is None else [GateReason.LATCHED]
    if elapsed < 0:
        stops.append(GateReason.CLOCK_WENT_BACK)
    situation = Situation(parameters, percepts, base, motion, place, state.twist)
    memories = list(state.memories or (None,) * len(limits))
    for index, limit in enumerate(limits):
        memory = memories[index] = limit.observe(memories[index], situation)
        blind = limit.blind(memory)
        if blind is not None:
            stops.append(blind)
    if lost is not None:
        stops.append(lost)
    if command is None:
        stops.append(GateReason.NO_COMMAND)
    twist, reasons = ZERO, tuple(stops)
    if command is not None and not stops:
        wanted, reasons = _limited(limits, memories, situation, command)
        twist = accelerated(parameters, state.twist, wanted, seconds)
    return GateState(now, twist, latched, base, place, tuple(memories), track), twist, reasons


def _latched(state: GateState, inputs: GateInputs) -> str | None:
    """Return why the gate is latched from now on, or None."""
    latched = state.latched or inputs.fault
    if latched is None and inputs.command is not None and not inputs.command.is_finite:
        return NOT_FINITE
    return latched


def _located(
    parameters: GateParameters, limits: Limits, place: Place | None, percepts: Percepts, base: Pose2D, motion: Twist2D
) -> tuple[Place | None, str | None]:
    """Return where the robot is, and why that is not to be trusted, or None; where no limit needs it, nothing new."""
    for limit in limits:
        if limit.needs_place:
            return localise(parameters, place, percepts.pose, base, motion, percepts.now)
    return place, None


def _limited(
    limits: Limits, memories: list[Any], situation: Situation, command: Twist2D
) -> tuple[Twist2D, tuple[str, ...]]:
    """Return the command within speed caps and directional limits, and their names; renew the limits' memories.

    The worst limit is asked last, so that one that judges the rest knows what the others leave.
    """
    wanted = left = capped(situation.parameters, command)
    reasons: list[str] = []
    if wanted.linear != command.linear or wanted.angular != command.angular:
        reasons.append(GateReason.SPEED_CAP)
    for index in range(len(limits) - 1, -1, -1):
        limit = limits[index]
        judged = left if limit.judges_rest else wanted
        if not judged.linear:
            continue
        speed, memories[index] = limit.limit(memories[index], situation, judged)
        if not speed >= abs(judged.linear):
            reasons.append(limit.reason)
            left = _slower(left, speed)
    return left, tuple(reasons[::-1])


def _slower(twist: Twist2D, speed: float) -> Twist2D:
    """Return a twist at a speed (m/s) at most; one that is no speed, as no limit should tell, allows none."""
    speed = min(speed, abs(twist.linear)) if speed > 0.0 else 0.0
    return Twist2D(math.copysign(speed, twist.linear), twist.angular)


class VelocityGate:
    """Keeps the gate's state between ticks; implements :class:`~arena_trees.robot.ports.CommandGate`.

    Args:
        parameters: limits
        fence: the robot's polygon in the map frame; None where the robot has none
        limits: of its game, worst first; what it sees by, bumper and fence limit every robot
        body: of the robot, with what it sees by; its turret's limits hold, and without a barrel nothing is fired

    Attributes:
        parameters: limits
        body: of the robot
        limits: all that hold the robot, worst first
        state: of the newest step
    """

    def __init__(
        self,
        parameters: GateParameters | None = None,
        fence: Geofence | None = None,
        limits: Limits = (),
        body: Body = TURTLEBOT4,
    ) -> None:
        self.parameters = parameters if parameters is not None else GateParameters()
        self.body = body
        self.limits = limits_of(fence, limits, body)
        self.state = GateState()

    @property
    def latched(self) -> str | None:
        """Why the gate is latched, or None."""
        return self.state.latched

    def decide(
        self,
        percepts: Percepts,
        command: Twist2D | None,
        fault: str | None = None,
        aim: TurretRates | None = None,
        fire: bool = False,
    ) -> GateDecision:
        """Return what may be driven now; None commands a stop. A fault latches the gate."""
        if aim is not None and not aim.is_finite:
            fault = fault or AIM_NOT_FINITE
        before, inputs = self.state, GateInputs(percepts, command, fault)
        self.state, twist, reasons = step(self.parameters, self.limits, before, inputs)
        latched = self.state.latched
        if aim is None and not fire:
            return GateDecision(twist, reasons, latched)
        elapsed = None if before.now is None else percepts.now - before.now
        armed = arm(self.body, before.turret, elapsed, latched is not None, aim, fire)
        self.state = self.state._replace(turret=armed.rates)
        return GateDecision(twist, reasons + armed.reasons, latched, armed.rates, armed.fire)

    def report(self, percepts: Percepts) -> dict[str, str]:
        """Return what diagnostics tell of the limits, in words, after a first decision.

        Args:
            percepts: the newest
        """
        received: dict[str, str] = {}
        for limit, memory in zip(self.limits, self.state.memories, strict=False):
            received.update(limit.report(memory, percepts))
        return received

    def operator_stop(self, reason: str) -> None:
        """Latch the gate at zero, because a person commanded it."""
        self.state = latch(self.state, f"operator stop: {reason}")

    def reset(self) -> None:
        """Clear the latch. Nothing moves until a new command comes."""
        self.state = reset(self.state)
