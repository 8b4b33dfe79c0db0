"""Caps on speed and acceleration, as the Create 3 applies them; a stop is never slowed down."""

from __future__ import annotations

from arena_trees.robot.geometry import Twist2D
from arena_trees.safety.parameters import GateParameters

__all__ = ["LONGEST_STEP", "accelerated", "capped", "grown"]

LONGEST_STEP = 0.1
"""Seconds; a loop that slept longer does not earn more acceleration."""

_CREEP = 1e-6
"""m/s below which no base moves; taken as zero so that no later division meets it."""


def capped(parameters: GateParameters, command: Twist2D) -> Twist2D:
    """Return a finite command within the limits of speed, yaw rate and wheel speed; itself where it is within them.

    Where a wheel would be too fast, both speeds are scaled alike, so that the arc stays.
    """
    linear, angular = command.linear, command.angular
    if linear < -parameters.max_reverse:
        linear = -parameters.max_reverse
    elif linear > parameters.max_linear:
        linear = parameters.max_linear
    if angular < -parameters.max_angular:
        angular = -parameters.max_angular
    elif angular > parameters.max_angular:
        angular = parameters.max_angular
    wheel = abs(linear) + abs(angular) * parameters.half_track
    if wheel > parameters.max_wheel:
        scale = parameters.max_wheel / wheel
        linear *= scale
        angular *= scale
    if abs(linear) < _CREEP:
        linear = 0.0
    elif linear == command.linear and angular == command.angular:
        return command
    return Twist2D(linear, angular)


def accelerated(parameters: GateParameters, before: Twist2D, wanted: Twist2D, seconds: float) -> Twist2D:
    """Return the wanted twist, as far as the speeds may have grown since the twist before."""
    return Twist2D(
        grown(before.linear, wanted.linear, parameters.acceleration * seconds),
        grown(before.angular, wanted.angular, parameters.angular_acceleration * seconds),
    )


def grown(before: float, wanted: float, growth: float) -> float:
    """Return a speed no farther from zero than the one before, of the same sign, plus the growth."""
    if wanted > 0.0:
        return min(wanted, max(before, 0.0) + growth)
    return max(wanted, min(before, 0.0) - growth)
