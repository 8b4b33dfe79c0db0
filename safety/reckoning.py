"""Dead reckoning between messages: where the base is now, by odometry or else by what was commanded.

Odometry is believed as far as a base can move. Where it jumps, because its driver was started anew or somebody lies,
the base is carried on by what was commanded, and later odometry is taken relative to there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Odometry
from arena_trees.safety.parameters import GateParameters

__all__ = ["OdometryTrack", "advance", "plausible_pose", "plausible_rate", "plausible_speed", "reckon"]

_FARTHEST = 1e6
"""Metres; a coordinate beyond is a fault of its sender."""

_FASTEST = 5.0
"""m/s; what is more is a fault of its sender, unless the robot itself comes near."""

_FASTEST_TURN = 50.0
"""rad/s."""

_BASE_TURN = 2.1
"""rad/s; a Create 3 turns at 1.9, and its odometry may be off by a tenth. No base is taken for a slower one."""

_MORE_TURN = 1.1
"""Share of a faster base's greatest yaw rate that its odometry may report."""

_SLIP = 0.02
"""Metres by which odometry may be off between two messages."""

_TURN_SLIP = 0.05
"""Radians, the same."""


class OdometryTrack(NamedTuple):
    """What is known of odometry from step to step.

    Attributes:
        instant: of the newest message that was used, ns
        origin: the pose of odometry's origin, in the frame of the base; None as long as they are the same,
            which they are until odometry jumps
    """

    instant: int
    origin: Pose2D | None = None


def advance(pose: Pose2D, twist: Twist2D, seconds: float) -> Pose2D:
    """Return the pose after driving with a constant twist, exactly along the arc; backwards for negative time."""
    half = 0.5 * twist.angular * seconds
    chord = twist.linear * seconds
    if abs(half) > 1e-6:
        chord *= math.sin(half) / half
    middle = pose.yaw + half
    return Pose2D(pose.x + chord * math.cos(middle), pose.y + chord * math.sin(middle), wrap(middle + half))


def plausible_pose(pose: Pose2D) -> bool:
    """Return whether a pose is finite and not absurdly far away."""
    return pose.is_finite and abs(pose.x) <= _FARTHEST and abs(pose.y) <= _FARTHEST


def plausible_speed(parameters: GateParameters) -> float:
    """Return the speed (m/s) beyond which a base did not move by itself."""
    return max(parameters.max_linear, parameters.max_reverse) * 1.5


def plausible_rate(parameters: GateParameters) -> float:
    """Return the yaw rate (rad/s) beyond which a base did not turn by itself."""
    return max(_BASE_TURN, _MORE_TURN * parameters.max_angular)


def reckon(
    parameters: GateParameters,
    base: Pose2D,
    twist: Twist2D,
    track: OdometryTrack | None,
    odometry: Odometry | None,
    now: int,
    seconds: float,
) -> tuple[Pose2D, Twist2D, OdometryTrack | None]:
    """Return pose and twist of the base now, and what is known of odometry.

    The pose is in the odom frame, until odometry has jumped: then it goes on from where it was.

    Args:
        parameters: of the gate; odometry older than ``odometry_timeout`` is not used, and what was commanded takes its
            place
        base: pose at the step before
        twist: what was commanded since then
        track: of the step before; None at first
        odometry: newest odometry, if any
        now: ns
        seconds: since the step before
    """
    if odometry is None:
        return advance(base, twist, seconds), twist, track
    age = odometry.age(now)
    moved = odometry.twist
    fastest = max(_FASTEST, 2.0 * plausible_speed(parameters))
    usable = abs(moved.linear) <= fastest and abs(moved.angular) <= _FASTEST_TURN
    if not usable or age / SECOND > parameters.odometry_timeout or not plausible_pose(odometry.pose):
        return advance(base, twist, seconds), twist, track
    moved = _clipped(parameters, moved)
    reported = advance(odometry.pose, moved, age / SECOND)
    if track is None or now < track.instant:
        return reported, moved, OdometryTrack(now - age)
    place = reported if track.origin is None else track.origin.compose(reported)
    # Both places are reckoned from messages of some age, and each may be off by what the base can do in that time.
    if _can_be(parameters, base.relative(place), (now - track.instant + age) / SECOND):
        return place, moved, OdometryTrack(now - age, track.origin)
    carried = advance(base, twist, seconds)
    return carried, twist, OdometryTrack(now - age, carried.compose(reported.relative(Pose2D())))


def _clipped(parameters: GateParameters, twist: Twist2D) -> Twist2D:
    """Return a twist no faster than a base moves."""
    speed, rate = plausible_speed(parameters), plausible_rate(parameters)
    if abs(twist.linear) <= speed and abs(twist.angular) <= rate:
        return twist
    return Twist2D(max(-speed, min(speed, twist.linear)), max(-rate, min(rate, twist.angular)))


def _can_be(parameters: GateParameters, moved: Pose2D, seconds: float) -> bool:
    """Return whether a base can have moved like that in a time."""
    way = math.hypot(moved.x, moved.y)
    farthest = plausible_speed(parameters) * seconds + _SLIP
    return way <= farthest and abs(moved.yaw) <= plausible_rate(parameters) * seconds + _TURN_SLIP
