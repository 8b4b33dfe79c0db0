"""Conditions: what can be true of a robot at one tick. They combine with ``&``, ``|`` and ``~``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from arena_trees.experiments.promises.trace_tick import TraceTick
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.record import STATUS_CODES

__all__ = [
    "Condition",
    "breach",
    "closer_ahead_than",
    "closer_than",
    "condition",
    "cue",
    "driving",
    "faster_than",
    "heard",
    "latched",
    "leaf",
    "limited_by",
    "moving_inward",
    "moving_outward",
    "near",
    "safe",
    "seeing",
    "standing",
    "status",
    "truly_outside",
    "turning_faster_than",
]

MessageT = TypeVar("MessageT", bound=GameMessage)

_STEP = 0.02
"""Seconds by which a motion is carried on to see where it leads."""

_FAR = 100.0
"""Metres to what cannot be seen, or is not there."""

_AHEAD = math.cos(math.radians(45.0))

_ROUNDING = 1e-6
"""Metres a second; slower is not moving."""


class Condition:
    """A statement about one moment.

    Args:
        name: as it reads in a message: ``in breach``
        test: whether it is true of a moment
        distance: how far a moment is from where it becomes true or untrue, in the unit of what it is about; 1 where not
            given
    """

    def __init__(
        self, name: str, test: Callable[[TraceTick], bool], distance: Callable[[TraceTick], float] | None = None
    ) -> None:
        self.name = name
        self._test = test
        self._distance = distance

    def __call__(self, moment: TraceTick) -> bool:
        """Return whether it is true of a moment."""
        return bool(self._test(moment))

    def margin(self, moment: TraceTick) -> float:
        """Return by how much it is true of a moment; negative where it is not true."""
        distance = 1.0 if self._distance is None else abs(self._distance(moment))
        return distance if self(moment) else -distance

    def __and__(self, other: Condition) -> Condition:
        return Condition(
            f"{self.name} and {other.name}",
            lambda moment: self(moment) and other(moment),
            lambda moment: min(self.margin(moment), other.margin(moment)),
        )

    def __or__(self, other: Condition) -> Condition:
        return Condition(
            f"{self.name} or {other.name}",
            lambda moment: self(moment) or other(moment),
            lambda moment: max(self.margin(moment), other.margin(moment)),
        )

    def __invert__(self) -> Condition:
        return Condition(f"not {self.name}", lambda moment: not self(moment), self.margin)

    def __str__(self) -> str:
        return self.name


def condition(name: str) -> Callable[[Callable[[TraceTick], bool]], Condition]:
    """Make a condition of a function of a moment, by decoration."""
    return lambda test: Condition(name, test)


def _fence_is(*statuses: FenceStatus) -> Callable[[TraceTick], bool]:
    def test(moment: TraceTick) -> bool:
        report = moment.percepts.geofence
        return report is not None and report.status in statuses

    return test


def _boundary(moment: TraceTick) -> float:
    report = moment.percepts.geofence
    return 1.0 if report is None else report.distance


def _band(moment: TraceTick) -> float:
    report = moment.percepts.geofence
    return 1.0 if report is None else report.distance - report.warning_distance


breach = Condition("in breach", _fence_is(FenceStatus.BREACH), _boundary)
"""The robot's own geofence reports BREACH."""

safe = Condition("safe", _fence_is(FenceStatus.SAFE), _band)
"""The robot's own geofence reports SAFE."""


def _inward_speed(moment: TraceTick) -> float:
    """Return by how much (m/s) the robot's velocity takes it farther inside its fence; 0 where nobody can know."""
    pose = moment.percepts.pose
    if moment.fence is None or pose is None:
        return 0.0
    here, linear = pose.pose, moment.tick.twist.linear
    x = here.x + linear * _STEP * math.cos(here.yaw)
    y = here.y + linear * _STEP * math.sin(here.yaw)
    return (moment.fence.signed_distance(x, y) - moment.fence.signed_distance(here.x, here.y)) / _STEP


moving_inward = Condition("moving inward", lambda moment: _inward_speed(moment) > _ROUNDING, _inward_speed)
"""By its own pose and its velocity, the robot gets farther inside its fence, or nearer to it from outside."""

moving_outward = Condition("moving outward", lambda moment: _inward_speed(moment) < -_ROUNDING, _inward_speed)
"""By its own pose and its velocity, the robot gets nearer to its fence from inside, or farther outside."""


def _true_distance(moment: TraceTick) -> float:
    """Return the distance (m) of the robot's true centre to its fence, negative outside; 1 where that is unknown."""
    if moment.truth is None or moment.fence is None:
        return 1.0
    return moment.fence.signed_distance(moment.truth.x, moment.truth.y)


truly_outside = Condition("truly outside", lambda moment: _true_distance(moment) < 0.0, _true_distance)
"""The robot's centre is outside its fence, by the arena's truth."""

standing = Condition("standing", lambda moment: not (moment.tick.twist.linear or moment.tick.twist.angular))
"""The gate lets neither motion nor rotation through."""

driving = Condition(
    "driving", lambda moment: moment.tick.twist.linear != 0.0, lambda moment: moment.tick.twist.linear or 1.0
)
"""The gate lets motion through."""

latched = Condition("latched", lambda moment: moment.tick.fault is not None)
"""The robot is stopped until somebody resets it."""


def heard(name: str, model: type[MessageT], test: Callable[[MessageT], bool]) -> Condition:
    """The newest message of a topic that the robot has received is such that a test holds."""

    def holds(moment: TraceTick) -> bool:
        newest = moment.percepts.inbox.newest(model)
        return newest is not None and test(newest.message)

    return Condition(name, holds)


def faster_than(speed: float) -> Condition:
    """The velocity let through is faster than this, m/s, forwards or back."""

    def beyond(moment: TraceTick) -> float:
        return abs(moment.tick.twist.linear) - speed

    return Condition(f"faster than {speed:g} m/s", lambda moment: beyond(moment) > 0.0, beyond)


def turning_faster_than(rate: float) -> Condition:
    """The rotation let through is faster than this, rad/s."""

    def beyond(moment: TraceTick) -> float:
        return abs(moment.tick.twist.angular) - rate

    return Condition(f"turning faster than {rate:g} rad/s", lambda moment: beyond(moment) > 0.0, beyond)


def leaf(name: str) -> Condition:
    """The leaf of this name runs."""
    return Condition(f"at {name!r}", lambda moment: moment.tick.active == name)


def status(node: str, wanted: str) -> Condition:
    """A node of the tree has a status: INVALID, RUNNING, SUCCESS or FAILURE."""
    code = STATUS_CODES[wanted]

    def test(moment: TraceTick) -> bool:
        return moment.tick.statuses[moment.nodes.index(node)] == code

    return Condition(f"{node!r} {wanted}", test)


def cue(event: str) -> Condition:
    """An event is shown in this tick, such as CATCH."""
    return Condition(f"showing {event}", lambda moment: event in moment.tick.cues)


def limited_by(reason: str) -> Condition:
    """The gate acts for this reason, such as ``scan stale`` or ``obstacle``."""
    return Condition(f"limited by {reason}", lambda moment: reason in moment.tick.reasons)


def seeing(label: str) -> Condition:
    """The newest image has a sign of this class."""

    def test(moment: TraceTick) -> bool:
        detections = moment.percepts.detections
        return detections is not None and detections.best(label) is not None

    return Condition(f"seeing {label}", test)


def closer_than(distance: float) -> Condition:
    """Something in the newest scan is closer to the robot's middle than this, m."""

    def nearest(moment: TraceTick) -> float:
        scan = moment.percepts.scan
        return math.inf if scan is None or not scan.distance.size else float(scan.distance.min())

    def to_limit(moment: TraceTick) -> float:
        return min(nearest(moment) - distance, _FAR)

    return Condition(f"closer than {distance:g} m to something", lambda moment: nearest(moment) < distance, to_limit)


def closer_ahead_than(distance: float) -> Condition:
    """Something in the newest scan is closer to the robot's middle than this (m), within 45 degrees of where it drives.

    Of a robot that does not drive forwards or back nothing is ahead.
    """

    def nearest(moment: TraceTick) -> float:
        scan, speed = moment.percepts.scan, moment.tick.twist.linear
        if scan is None or speed == 0.0:
            return math.inf
        ahead = np.cos(scan.bearing) * math.copysign(1.0, speed) > _AHEAD
        return float(scan.distance[ahead].min(initial=math.inf))

    def to_limit(moment: TraceTick) -> float:
        return min(nearest(moment) - distance, _FAR)

    return Condition(f"closer than {distance:g} m to something ahead", lambda m: nearest(m) < distance, to_limit)


def near(robot: str, distance: float) -> Condition:
    """The true centres of the robot and of another one are closer than this, m."""

    def to_limit(moment: TraceTick) -> float:
        other = moment.others.get(robot)
        if moment.truth is None or other is None:
            return _FAR
        return moment.truth.distance_to(other.x, other.y) - distance

    return Condition(f"within {distance:g} m of {robot}", lambda moment: to_limit(moment) < 0.0, to_limit)
