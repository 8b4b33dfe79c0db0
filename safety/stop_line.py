"""The stop line: without a lease a robot's front stays before it, whatever its tree says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain

from arena_trees.games.crossroads.messages import Crossing, CrossingNews, SchedulerState
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reckoning import advance
from arena_trees.safety.stopping import allowed_speed, stopping_distance

__all__ = ["Permit", "StopLine", "StopLines", "line_limit", "permitted"]

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
"""Seconds; a lease that is told to be longer counts as one of this length."""


@dataclass(frozen=True, slots=True)
class StopLine:
    """A line that robots drive over in one direction only with a lease.

    Attributes:
        name: of the line
        x: of its middle, map frame, m
        y: of its middle, map frame, m
        yaw: direction in which robots drive over it, rad
        half_width: half of its length, across that direction, m

    Raises:
        ValueError: a number is not finite, or the line has no width
    """

    name: str
    x: float
    y: float
    yaw: float
    half_width: float

    def __post_init__(self) -> None:
        if not self.pose.is_finite or not 0.0 < self.half_width < math.inf:
            raise ValueError(f"stop line {self.name!r} is none: {self.pose}, half width {self.half_width}")

    @property
    def pose(self) -> Pose2D:
        """The frame at its middle, whose x points in the direction of driving."""
        return Pose2D(self.x, self.y, self.yaw)


@dataclass(frozen=True, slots=True)
class StopLines:
    """The stop lines that hold for one robot: its name in the scheduler's messages, and the lines."""

    robot: str
    lines: tuple[StopLine, ...]


@dataclass(frozen=True, slots=True)
class Permit:
    """A lease as the gate knows it.

    Attributes:
        number: life of the robot, and its message that the lease answers
        since: when (ns) a state that answers this message first arrived
        lease: what the newest state says of its length, s
    """

    number: tuple[int, int]
    since: int
    lease: float

    def stands(self, now: int) -> bool:
        """Return whether the lease still lasts (now: ns); it does not if it comes from the future."""
        length = min(self.lease, _LONGEST_LEASE) * (1.0 - _CLOCK_DRIFT)
        return 0 <= now - self.since <= from_seconds(length)


def permitted(known: Permit | None, news: CrossingNews | None, robot: str) -> Permit | None:
    """Return the lease that the scheduler tells of a robot, or None.

    Without a message there is no permit. With one, the gate believes whoever may speak on the scheduler's topic: this
    is the one limit that a message can lift, and it lifts no other. It obeys the highest (epoch, name) of those that
    are not STANDBY, as robots do.

    The gate counts a lease from when a state that answers this message of the robot **first arrived**; how often the
    scheduler repeats it makes it no longer. The robot's client counts from when it sent what is answered. So the gate
    is laxer by the way there and back, at most, once it has heard the scheduler before. It knows neither the number of
    the request nor what the client needs to leave again: it is a second lock, which needs no cooperation of the tree.

    Args:
        known: of the step before
        news: what schedulers say, or None
        robot: its name
    """
    state = None if news is None else _obeyed(news)
    if state is None:
        return None
    holder = next((one for one in state.holders if one.robot == robot and one.lease > 0.0), None)
    if holder is None:
        return None
    number = (holder.epoch, holder.answers)
    since = known.since if known is not None and known.number == number else state.arrival
    return Permit(number, since, holder.lease)


def line_limit(parameters: GateParameters, lines: StopLines, here: Pose2D, motion: Twist2D, command: Twist2D) -> float:
    """Return the greatest speed (m/s, not negative) in the direction of the commanded motion, for one without a lease.

    The path until the robot stands must keep its front ``line_margin`` before every line. Within the margin, motion
    must not bring the front nearer. A robot whose front is over the line is inside, and must get out: it is not held.
    The hull is a disc, so that its front is that in the line's direction, wherever the robot looks. It is followed
    along the commanded arc and, since a base turns in slowly, along the arc it is on.

    Args:
        parameters: of the gate
        lines: of the robot
        here: the robot's pose in the map frame
        motion: the robot's twist now
        command: wanted twist, with a linear speed that is not zero
    """
    speed = abs(command.linear)
    stop = stopping_distance(speed, parameters.reaction_time, parameters.deceleration)
    free = math.inf
    for line in lines.lines:
        at = line.pose.relative(here)
        ahead = -at.x - parameters.hull_radius
        aside = abs(at.y) - parameters.hull_radius - line.half_width
        if -_BEYOND <= ahead < parameters.line_margin + stop and aside < stop:
            free = min(free, _free_path(parameters, line, at, motion, command, stop))
    return min(speed, allowed_speed(free, parameters.reaction_time, parameters.deceleration))


def _obeyed(news: CrossingNews) -> Crossing | None:
    """Return the newest state of the scheduler that robots obey."""
    active = (state for state in news.states if state.state is not SchedulerState.STANDBY)
    return max(active, key=lambda state: (state.epoch, state.scheduler), default=None)


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
