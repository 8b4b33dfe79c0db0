"""The stop line: without a lease a robot's front stays before it, whatever its tree commands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import advance
from arena_trees.safety.stopping import allowed_speed, stopping_distance

__all__ = ["Lease", "StopLine", "StopLineLimit", "line_limit", "permitted"]

_BEYOND = 0.03
"""Metres over the line from which a robot's front counts as inside; less is an error of the pose of one that waits."""

_SHARES = (0.25, 0.5, 0.75, 1.0)
"""Where on the stopping path the distance to the line is looked at."""

_FIRST = 1e-5
"""Metres ahead at which it is judged whether motion brings the front nearer to the line."""

_EXACT = 1e-9
"""Metres; what rounding may do to distances."""

_MOVING = 0.02
"""m/s below which the arc that a base is on means nothing."""

_CLOCK_DRIFT = 0.01
"""Largest relative error between two clocks' rates."""

_LONGEST_LEASE = 60.0
"""Seconds; a lease that is reported to be longer counts as one of this length."""


@dataclass(frozen=True, slots=True)
class StopLine:
    """A line that robots drive over in one direction only with a lease.

    Attributes:
        name: of the line
        x: of its middle, map frame, m
        y: of its middle, map frame, m
        yaw: direction in which robots drive over it, rad
        half_width: half of its length, across that direction, m
        area: number of the area before which it lies
        pose: the frame at its middle, whose x points in the direction of driving

    Raises:
        ValueError: a number is not finite, or the line has no width
    """

    name: str
    x: float
    y: float
    yaw: float
    half_width: float
    area: int = 0
    pose: Pose2D = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", Pose2D(self.x, self.y, self.yaw))
        if not self.pose.is_finite or not 0.0 < self.half_width < math.inf:
            raise ValueError(f"stop line {self.name!r} is none: {self.pose}, half width {self.half_width}")


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to drive over the lines of one area for a while.

    Attributes:
        number: what it answers: life of the robot, and number of its message
        arrival: when (ns) the robot received it
        length: how long it is, s
        area: number of the area
    """

    number: tuple[int, int]
    arrival: int
    length: float
    area: int = 0

    def stands(self, now: int) -> bool:
        """Return whether the lease still lasts (now: ns); it does not if it comes from the future."""
        length = min(self.length, _LONGEST_LEASE) * (1.0 - _CLOCK_DRIFT)
        return 0 <= now - self.arrival <= from_seconds(length)


def permitted(known: Lease | None, received: Lease | None) -> Lease | None:
    """Return the lease that a robot has, counted from when it **first** received one for this message of its own.

    How often a lease is repeated makes it no longer; the length in the newest message holds.

    Args:
        known: of the step before
        received: as in the newest message, or None
    """
    if received is None or known is None or (known.number, known.area) != (received.number, received.area):
        return received
    return known if known.length == received.length else replace(received, arrival=known.arrival)


@dataclass(frozen=True)
class StopLineLimit(MotionLimit[Lease]):
    """Keeps the front of a robot without a lease before its stop lines.

    This is the one limit that a message can lift, and it lifts no other. It is a second lock, which needs no
    cooperation of the tree.

    Attributes:
        lines: that hold the robot
        lease: returns the lease that the percepts tell of, or None
        topics: of the messages that the lease is read from
        received: returns what diagnostics tell of these messages, in words
    """

    reason = GateReason.STOP_LINE
    needs_place = True
    judges_rest = True

    lines: tuple[StopLine, ...]
    lease: Callable[[Percepts], Lease | None]
    topics: tuple[str, ...] = ()
    received: Callable[[Percepts], Mapping[str, str]] | None = None

    def observe(self, memory: Lease | None, situation: Situation) -> Lease | None:
        """Return the robot's lease."""
        return permitted(memory, self.lease(situation.percepts))

    def limit(self, memory: Lease | None, situation: Situation, wanted: Twist2D) -> tuple[float, Lease | None]:
        """Return what stops the robot before its lines, those of the area of its lease left out; inf without one."""
        lines = self.lines
        if memory is not None and memory.stands(situation.percepts.now):
            lines = tuple(line for line in lines if line.area != memory.area)
            if not lines:
                return math.inf, memory
        here = situation.here
        if here is None:
            return 0.0, memory
        return line_limit(situation.parameters, lines, here, situation.motion, wanted), memory

    def report(self, memory: Lease | None, percepts: Percepts) -> Mapping[str, str]:
        """Return what was received, and whether the robot has a lease."""
        stands = memory is not None and memory.stands(percepts.now)
        return {**({} if self.received is None else self.received(percepts)), "lease": "stands" if stands else "none"}


def line_limit(
    parameters: GateParameters, lines: Iterable[StopLine], here: Pose2D, motion: Twist2D, command: Twist2D
) -> float:
    """Return the greatest speed (m/s, not negative) in the direction of the commanded motion, for one without a lease.

    The path until the robot stands must keep its front ``line_margin`` before every line. Within the margin, motion
    must not bring the front nearer. A robot whose front is over the line is inside, and must get out: it is not held.
    The hull is a disc, so that its front is that in the line's direction, wherever the robot looks. It is followed
    along the commanded arc and, since a base turns in slowly, along the arc it is on.

    Args:
        parameters: of the gate
        lines: that hold the robot
        here: the robot's pose in the map frame
        motion: the robot's twist now
        command: wanted twist, with a linear speed that is not zero
    """
    speed = abs(command.linear)
    stop = stopping_distance(speed, parameters.reaction_time, parameters.deceleration)
    free = math.inf
    for line in lines:
        at = line.pose.relative(here)
        ahead = -at.x - parameters.hull_radius
        lateral = abs(at.y) - parameters.hull_radius - line.half_width
        if -_BEYOND <= ahead < parameters.line_margin + stop and lateral < stop:
            free = min(free, _free_path(parameters, line, at, motion, command, stop))
    return min(speed, allowed_speed(free, parameters.reaction_time, parameters.deceleration))


def _free_path(
    parameters: GateParameters, line: StopLine, at: Pose2D, motion: Twist2D, command: Twist2D, stop: float
) -> float:
    """Return how far (m) a robot may go whose place is given in the line's frame; inf if all of the path is good."""
    direction = math.copysign(1.0, command.linear)
    free = _followed(parameters, line, at, Twist2D(direction, command.angular / abs(command.linear)), stop)
    present = motion.linear * direction
    if present > _MOVING:
        free = min(free, _followed(parameters, line, at, Twist2D(direction, motion.angular / present), stop))
    return free


def _followed(parameters: GateParameters, line: StopLine, at: Pose2D, arc: Twist2D, stop: float) -> float:
    """Return how far (m) an arc may be followed: a twist of 1 m/s, so that a second is a metre."""
    travelled, before = 0.0, -at.x - parameters.hull_radius
    required = min(before, parameters.line_margin) - _EXACT
    for travel in chain((_FIRST,), (max(_FIRST, share * stop) for share in _SHARES)):
        place = advance(at, arc, travel)
        after = -place.x - parameters.hull_radius
        if abs(place.y) < line.half_width + parameters.hull_radius:
            if after < required:
                # Who comes from the side, or stands in the margin, has been too near already.
                spare = before - required
                share = spare / (before - after) if spare > 2.0 * _EXACT else 0.0
                return travelled + share * (travel - travelled)
        elif after < -_BEYOND:
            return math.inf
        travelled, before = travel, after
    return math.inf
