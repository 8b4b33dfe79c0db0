"""Stopping distance, and the speed from which a robot can still stop."""

from __future__ import annotations

import math

__all__ = ["allowed_speed", "stopping_distance"]


def stopping_distance(speed: float, reaction: float, deceleration: float) -> float:
    """Return how far (m) a robot goes until it stands: ``v t + v^2 / (2 a)``.

    Args:
        speed: m/s, of either sign
        reaction: time until braking begins, s
        deceleration: m/s2, positive
    """
    speed = abs(speed)
    return speed * (reaction + speed / (2.0 * deceleration))


def allowed_speed(free: float, reaction: float, deceleration: float) -> float:
    """Return the greatest speed (m/s) whose stopping distance is at most the free distance.

    It is the positive root of ``v t + v^2 / (2 a) = free``. No free distance, or one that is
    not a number, allows no speed.

    Args:
        free: free distance, m
        reaction: time until braking begins, s
        deceleration: m/s2, positive
    """
    if not free > 0.0:
        return 0.0
    lag = deceleration * reaction
    return math.sqrt(lag * lag + 2.0 * deceleration * free) - lag
