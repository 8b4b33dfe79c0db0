"""Layers of a subsumption architecture (Brooks 1986) for a wall on the right: each acts, or leaves it to the next.

The source system's authors name such an architecture as what they would do next. Its layers here look at sectors where
their rules look at single rays.
"""

from __future__ import annotations

import math

from arena_trees.control.pid import clamp
from arena_trees.control.wall_rays import WallRays
from arena_trees.control.wall_rules import RuleSettings
from arena_trees.robot.geometry import Twist2D

__all__ = ["keep_clear", "keep_distance", "round_corner", "wander"]

_CLEAR = 0.8
"""Share of the ideal distance that is kept free ahead."""
_LOST = 1.6
"""Ideal distances from which on a wall at the side counts as ended."""
_HEADING = 1.2
"""Yaw rate for each radian that the nearest return is off the side, of the speed over the ideal distance."""
_OFFSET = 1.0
"""The same for each ideal distance that the wall is too far or too near."""


def keep_clear(rays: WallRays, settings: RuleSettings) -> Twist2D | None:
    """Turn away, to the left, from what is close ahead; None where nothing is."""
    if rays.ahead >= _CLEAR * settings.ideal:
        return None
    return Twist2D(0.0, settings.turn_rate)


def round_corner(rays: WallRays, settings: RuleSettings) -> Twist2D | None:
    """Drive round the end of the wall, with its last point at the side; None beside a wall, and far from any."""
    beyond = _LOST * settings.ideal
    if rays.beside < beyond or rays.nearest >= beyond or rays.aside < 0.0:
        return None
    speed = 0.7 * settings.speed
    curve = speed / settings.ideal
    rate = -curve * (1.0 + _OFFSET * (rays.nearest / settings.ideal - 1.0)) + curve * (math.pi / 2.0 - rays.aside)
    return Twist2D(speed, clamp(rate, settings.turn_rate))


def keep_distance(rays: WallRays, settings: RuleSettings) -> Twist2D | None:
    """Keep the nearest return straight to the side, at the ideal distance; None where there is no return."""
    if math.isinf(rays.nearest):
        return None
    scale = settings.speed / settings.ideal
    # The farther off, the steeper towards the wall or away from it, up to 60 degrees.
    lean = clamp(_OFFSET * (rays.nearest / settings.ideal - 1.0), math.radians(60.0))
    error = math.remainder(math.pi / 2.0 - rays.aside - lean, math.tau)
    if abs(error) > math.pi / 2.0:
        return Twist2D(0.0, math.copysign(settings.turn_rate, error))
    slow = 1.0 - 0.5 * min(1.0, abs(error))
    return Twist2D(slow * settings.speed, clamp(2.0 * _HEADING * scale * error, settings.turn_rate))


def wander(rays: WallRays, settings: RuleSettings) -> Twist2D:
    """Drive straight on until a wall comes into sight."""
    return Twist2D(settings.speed, 0.0)
