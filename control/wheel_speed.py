"""What the wheels of a differential robot can drive."""

from __future__ import annotations

from arena_trees.robot.geometry import Twist2D

__all__ = ["within_wheels"]


def within_wheels(twist: Twist2D, fastest: float, half_track: float) -> Twist2D:
    """Return a twist on the same arc, slowed down where its faster wheel would be too fast.

    Args:
        twist: wanted
        fastest: speed of a wheel, m/s
        half_track: half the distance between the wheels, m
    """
    wheel = abs(twist.linear) + abs(twist.angular) * half_track
    if wheel <= fastest:
        return twist
    # So little less that rounding leaves the wheel within its speed.
    share = (1.0 - 1e-9) * fastest / wheel
    return Twist2D(twist.linear * share, twist.angular * share)
