"""The rules of the source system for a wall on the right: three rays, five cases, the most urgent first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.control.pid import clamp
from arena_trees.control.wall_rays import WallRays
from arena_trees.robot.geometry import Twist2D

__all__ = ["RuleSettings", "follow_by_rules"]

_IN_CURVES = 0.7
"""Share of the speed in curves."""
_ADJUSTING = 0.5
"""Share of the speed while the distance is adjusted."""


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Numbers of the rules.

    Attributes:
        ideal: distance to the wall, m
        tolerance: about it within which the robot only trims its course, m
        speed: within the tolerance, m/s
        turn_rate: greatest yaw rate, rad/s
        gain: yaw rate for each metre that a distance is wrong, rad/s per m
        trim: the same within the tolerance, rad/s per m
    """

    ideal: float
    tolerance: float
    speed: float
    turn_rate: float
    gain: float = 1.0
    trim: float = 3.5


def follow_by_rules(rays: WallRays, settings: RuleSettings) -> tuple[Twist2D, str]:
    """Return the twist for a wall on the right, and which case it is of, in a word.

    Args:
        rays: of the newest scan
        settings: numbers of the rules
    """
    ideal, turn = settings.ideal, settings.turn_rate
    if rays.front < ideal:
        return Twist2D(0.0, turn), "blocked"
    if math.isinf(rays.beside):
        return Twist2D(0.0, -turn), "no wall"
    if rays.between < rays.beside:
        rate = clamp(settings.gain * (rays.beside - rays.between), turn)
        return Twist2D(_IN_CURVES * settings.speed, rate), "curve"
    error = ideal - rays.beside
    if abs(error) > settings.tolerance:
        return Twist2D(_ADJUSTING * settings.speed, clamp(settings.gain * error, turn)), "far" if error < 0 else "near"
    return Twist2D(settings.speed, clamp(settings.trim * error, turn)), "ideal"
