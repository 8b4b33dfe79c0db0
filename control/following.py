"""How fast to drive behind another robot."""

from __future__ import annotations

from arena_trees.control.pid import clamp
from arena_trees.robot.geometry import Twist2D

__all__ = ["follow_directly", "following_speed"]


def follow_directly(gap: float, bearing: float, speed: float, turn_rate: float, stand: float, gain: float) -> Twist2D:
    """Return the source system's twist towards a robot: ``v = speed (1 - stand / gap)``, backwards within ``stand``.

    Behind a robot that drives at u, the gap comes to rest at ``stand / (1 - u / speed)`` and not at ``stand``.

    Args:
        gap: to its hull, m, more than 0
        bearing: of its nearest point, rad
        speed: greatest, m/s
        turn_rate: greatest yaw rate, rad/s
        stand: gap at which the robot stands, m
        gain: yaw rate for each radian, 1/s
    """
    return Twist2D(speed * clamp(1.0 - stand / max(gap, 1e-3), 1.0), clamp(gain * bearing, turn_rate))


def following_speed(gap: float, wanted: float, leader: float, gain: float, speed: float, reverse: float) -> float:
    """Return the speed (m/s) that keeps a gap behind a robot: its own speed, and more or less as the gap is wrong.

    Args:
        gap: to its hull, m
        wanted: gap, m
        leader: its speed away from the robot, m/s
        gain: speed for each metre that the gap is wrong, 1/s
        speed: greatest, m/s
        reverse: greatest backwards, m/s
    """
    return max(-reverse, min(speed, leader + gain * (gap - wanted)))
