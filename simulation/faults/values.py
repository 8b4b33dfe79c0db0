"""What becomes of the values of a reading whose sensor is faulty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.stamped import Stamped

__all__ = ["garbage", "wrong"]

ReadingT = TypeVar("ReadingT", bound=Stamped)
_TIMES = frozenset(field.name for field in fields(Stamped))


def garbage(reading: ReadingT) -> ReadingT:
    """Return a reading with its times and NaN in place of every real number in it.

    Texts become ``garbage``, a set of texts as well, and whole numbers and truth values stay as they are.
    """
    return _changed(reading, _spoiled)


def wrong(reading: ReadingT, scale: float, bias: float, yaw: float) -> ReadingT:
    """Return a reading that is off, and plausible.

    Of a scan the ranges are scaled and biased, and the beams are turned. Poses are scaled about their frame's origin,
    and biased along its x; velocities are scaled, and the linear one is biased. Elsewhere each real number is both.

    Args:
        reading: as it should be
        scale: factor
        bias: added then, in the unit of what is measured
        yaw: by which the sensor is turned on its mount, or the pose, rad, counter-clockwise positive
    """
    if isinstance(reading, LaserScan):
        # A sensor that is turned to the left sees things farther to the right.
        first, last = reading.angle_min - yaw, reading.angle_max - yaw
        ranges = (reading.ranges * scale + bias).astype(np.float32)
        return replace(reading, ranges=ranges, angle_min=first, angle_max=last)

    def off(value: Any) -> Any:
        if isinstance(value, Pose2D):
            return Pose2D(value.x * scale + bias, value.y * scale, wrap(value.yaw + yaw))
        if isinstance(value, Twist2D):
            return Twist2D(value.linear * scale + bias, value.angular * scale)
        if isinstance(value, float):
            return value * scale + bias
        if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
            return value * scale + bias
        return _parts(value, off)

    return _changed(reading, off)


def _changed(reading: ReadingT, change: Callable[[Any], Any]) -> ReadingT:
    """Return a reading with its times, and with each of its values changed."""
    changes = {
        field.name: change(getattr(reading, field.name))
        for field in fields(reading)
        if field.init and field.name not in _TIMES
    }
    return replace(reading, **changes)


def _spoiled(value: Any) -> Any:
    if isinstance(value, float):
        return math.nan
    if isinstance(value, str):
        return "garbage"
    if isinstance(value, frozenset):
        return frozenset(("garbage",))
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return np.full_like(value, math.nan)
    return _parts(value, _spoiled)


def _parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with each of its parts changed; one without parts as it is."""
    if isinstance(value, tuple):
        parts = [change(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: change(getattr(value, one.name)) for one in fields(value) if one.init})
    return value
