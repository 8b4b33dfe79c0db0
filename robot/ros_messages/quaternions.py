"""Yaws as quaternions and back; a quaternion is anything with the attributes x, y, z and w."""

from __future__ import annotations

import math
from typing import Any

from arena_trees.robot.geometry import wrap

__all__ = ["UPRIGHT", "exact_yaw", "half_turn", "is_upright", "turn", "yaw"]

UPRIGHT = math.cos(math.radians(10.0))
"""How much of z must be left of it by the rotation of a sensor that stands upright."""

_UNIT_TOLERANCE = 0.05
"""How far a quaternion's length may be from 1; an unset one has the length 0."""

_COARSE = 65536.0
_NUDGES = (0, 1, -1, 2, -2, 3, -3)


def yaw(quaternion: Any) -> float:
    """Return the yaw (rad) of a quaternion; NaN where it is not of unit length."""
    x, y, z, w = quaternion.x, quaternion.y, quaternion.z, quaternion.w
    if not abs(math.sqrt(x * x + y * y + z * z + w * w) - 1.0) <= _UNIT_TOLERANCE:
        return math.nan
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def exact_yaw(quaternion: Any) -> float:
    """Return the yaw (rad) of a quaternion, to the last bit what :func:`half_turn` was given; NaN as :func:`yaw`."""
    angle = yaw(quaternion)
    if math.isnan(angle) or not quaternion.x == 0.0 == quaternion.y:
        return angle
    return wrap(2.0 * math.atan2(quaternion.z, quaternion.w))


def is_upright(quaternion: Any) -> bool:
    """Return whether a rotation leaves z within 10 degrees of up."""
    return bool(1.0 - 2.0 * (quaternion.x**2 + quaternion.y**2) >= UPRIGHT)


def turn(angle: float) -> tuple[float, float]:
    """Return z and w of the quaternion of a yaw (rad); NaN for one that is not finite."""
    return (math.sin(0.5 * angle), math.cos(0.5 * angle)) if math.isfinite(angle) else (math.nan, math.nan)


def half_turn(angle: float) -> tuple[float, float]:
    """Return z and w of the quaternion of a yaw (rad), such that ``2 * atan2(z, w)`` gives that yaw to the last bit.

    Of sine and cosine the larger is rounded to 16 bits, which packs well and leaves the length within 3e-5 of 1;
    the smaller, which is the finer of the two, makes up for it. A yaw whose half is subnormal has no such quaternion;
    one that is not finite gives NaN.
    """
    half = 0.5 * angle
    z, w = turn(angle)
    if math.isnan(z):
        return z, w
    upright = abs(z) <= abs(w)
    larger, slope = (w, math.tan(half)) if upright else (z, 1.0 / math.tan(half))
    for step in (0, 1, -1):
        large = (round(larger * _COARSE) + step) / _COARSE
        for nudge in _NUDGES:
            small = _nudged(large * slope, nudge)
            z, w = (small, large) if upright else (large, small)
            if 2.0 * math.atan2(z, w) == angle:
                return z, w
    return z, w


def _nudged(value: float, steps: int) -> float:
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    return value
