"""Stopping distance, and the speed from which a robot can still stop."""

from __future__ import annotations

import math

__all__ = ["allowed_speed", "stopping_distance"]


def stopping_distance(speed: float, reaction: float, deceleration: float, closing: float = 0.0) -> float:
    """Return by how much (m) a gap shrinks until the robot stands: ``v t + v^2 / (2 a) + u (t + v / a)``.

    Args:
        speed: v, m/s, of either sign
        reaction: t, time until braking begins, s
        deceleration: a, m/s2, positive
        closing: u, speed of what comes towards the robot meanwhile, m/s, not negative
    """
    speed = abs(speed)
    return speed * (reaction + speed / (2.0 * deceleration)) + closing * (reaction + speed / deceleration)


def allowed_speed(free: float, reaction: float, deceleration: float, closing: float = 0.0) -> float:
    """Return the greatest speed (m/s) whose stopping distance is at most the free distance.

    It is the positive root of ``v t + v^2 / (2 a) + u (t + v / a) = free``. No free distance, one that what comes
    towards the robot uses up before the robot brakes, or one that is not a number, allows no speed.

    Args:
        free: free distance, m
        reaction: t, time until braking begins, s
        deceleration: a, m/s2, positive
        closing: u, speed of what comes towards the robot meanwhile, m/s, not negative
    """
    left = free - closing * reaction
    if not left > 0.0:
        return 0.0
    lag = deceleration * reaction + closing
    return math.sqrt(lag * lag + 2.0 * deceleration * left) - lag
