"""Heading control: turn towards a bearing, and slow down while turning."""

from __future__ import annotations

from arena_trees.control.pid import clamp
from arena_trees.robot.geometry import Twist2D

__all__ = ["drive_towards", "slow_in_turns", "turn_rate"]


def turn_rate(bearing: float, gain: float, limit: float) -> float:
    """Return the yaw rate (rad/s) that turns towards a bearing (rad): clamp(gain bearing, -limit, limit)."""
    return clamp(gain * bearing, limit)


def slow_in_turns(speed: float, angular: float, limit: float, share: float) -> float:
    """Return the speed lowered in proportion to the turn: v (1 - share |w| / limit), never below zero."""
    return max(0.0, speed * (1.0 - share * min(1.0, abs(angular) / limit)))


def drive_towards(
    bearing: float, speed: float, gain: float, limit: float, drive_gate: float, slow_share: float
) -> Twist2D:
    """Return the twist that drives to a bearing: turning only while it is beyond the gate.

    Args:
        bearing: of the target, rad
        speed: ahead once aligned, m/s
        gain: yaw rate per bearing, 1/s
        limit: of the yaw rate, rad/s
        drive_gate: bearing beyond which the robot only turns, rad
        slow_share: share of the speed that a full turn takes away
    """
    angular = turn_rate(bearing, gain, limit)
    if abs(bearing) > drive_gate:
        return Twist2D(0.0, angular)
    return Twist2D(slow_in_turns(speed, angular, limit, slow_share), angular)
