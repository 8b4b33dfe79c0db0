"""The stuck-odometry limit: wheels that were told to turn, and odometry that reports again and again that none did."""

from __future__ import annotations

import math
from typing import NamedTuple

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.reasons import GateReason

__all__ = ["Standstill", "StuckOdometryLimit"]

_WAY = 0.15
"""Metres that a base was to drive while its odometry kept its place: 0.5 s at full speed, and none waits so long."""

_TURN = 0.8
"""Radians that it was to turn instead."""

_MESSAGES = 5
"""Messages that must have come meanwhile; odometry that is silent is another matter."""

_MOVED = 0.005
"""Metres by which odometry must move; that of a base at rest may tremble by less."""

_TURNED = 0.02
"""Radians, the same."""

_LONGEST_STEP = 0.1
"""Seconds; of a longer step nobody knows what was driven."""

_LONGER = 5
"""How often the robot stands twice as long as before: 32 s at last, by default."""


class Standstill(NamedTuple):
    """How long odometry has reported the same place, and what the base was to drive meanwhile.

    Attributes:
        now: of the newest step, ns
        pose: the place, odom frame
        number: of the newest message
        messages: how many have reported the place
        way: m
        turn: rad
        times: how often the robot has stood because of it
        until: when it may drive again, ns; None where it may
    """

    now: int
    pose: Pose2D
    number: int
    messages: int = 0
    way: float = 0.0
    turn: float = 0.0
    times: int = 0
    until: int | None = None


class StuckOdometryLimit(MotionLimit[Standstill]):
    """Stops a robot whose odometry does not move although its wheels were to: it is stuck, or the base does not obey.

    Where it is is not known then, nor what it has come nearer to since its LiDAR looked. It tries again after a while.
    """

    reason = GateReason.ODOMETRY_STUCK

    def observe(self, memory: Standstill | None, situation: Situation) -> Standstill | None:
        """Return what odometry reports, and what was driven since it last moved."""
        odometry, now = situation.percepts.odometry, situation.percepts.now
        if odometry is None or not situation.parameters.odometry_hold:
            return None
        if memory is None or now < memory.now or _apart(memory.pose, odometry.pose):
            return Standstill(now, odometry.pose, odometry.sequence)
        seconds = min((now - memory.now) / SECOND, _LONGEST_STEP)
        messages = memory.messages + (odometry.sequence != memory.number)
        way = memory.way + abs(situation.driven.linear) * seconds
        turn = memory.turn + abs(situation.driven.angular) * seconds
        until = memory.until if memory.until is not None and now < memory.until else None
        memory = memory._replace(now=now, number=odometry.sequence, messages=messages, way=way, turn=turn, until=until)
        if until is None and messages >= _MESSAGES and (way >= _WAY or turn >= _TURN):
            hold = from_seconds(situation.parameters.odometry_hold) << min(memory.times, _LONGER)
            return memory._replace(messages=0, way=0.0, turn=0.0, times=memory.times + 1, until=now + hold)
        return memory

    def blind(self, memory: Standstill | None) -> str | None:
        """Return that odometry is stuck, or None."""
        return None if memory is None or memory.until is None else GateReason.ODOMETRY_STUCK

    def limit(
        self, memory: Standstill | None, situation: Situation, wanted: Twist2D
    ) -> tuple[float, Standstill | None]:
        """Return any speed: odometry that moves is the affair of other limits."""
        return math.inf, memory


def _apart(one: Pose2D, other: Pose2D) -> bool:
    """Return whether two poses are of a base that has moved; one that is not finite is no place."""
    near = one.distance_to(other.x, other.y) < _MOVED and abs(wrap(one.yaw - other.yaw)) < _TURNED
    return not near
