"""Steering round obstacles: the clear heading nearest to the wanted one."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from arena_trees.control.heading import drive_towards
from arena_trees.robot.geometry import Twist2D, wrap
from arena_trees.robot.scan import Scan

__all__ = ["clear_heading", "steer_clear"]

_STEP = math.radians(10.0)
_OFFSETS = np.array([k * s * _STEP for k in range(10) for s in ((1.0, -1.0) if k else (1.0,))])
"""Candidate headings about the wanted one, nearest first: 0, +10, -10, ... +-90 degrees."""


_ALONG = math.cos(math.radians(80.0))
"""Whoever is within the corridor's half width of a disc may drive along it, in a direction so far off its middle."""


def clear_heading(
    scan: Scan,
    bearing: float,
    reach: float,
    half_width: float,
    ignore: tuple[float, float, float] | None = None,
    obstacles: Iterable[tuple[float, float, float]] = (),
) -> float | None:
    """Return the heading nearest to a bearing along which a straight corridor is free.

    Args:
        scan: points in base_link
        bearing: wanted heading, rad
        reach: length of the corridor from base_link, m
        half_width: half the corridor's width, m
        ignore: (x, y, radius) in base_link of a disc whose points are no obstacle: the target itself
        obstacles: discs (x, y, radius) in base_link that are in the way though the scan does not show them

    Returns:
        the heading (rad), or None where none within 90 degrees of the wanted one is free
    """
    near = scan.distance < math.hypot(reach, half_width)
    x, y = scan.x[near], scan.y[near]
    if ignore is not None:
        outside = (x - ignore[0]) ** 2 + (y - ignore[1]) ** 2 > ignore[2] ** 2
        x, y = x[outside], y[outside]
    discs = [disc for disc in obstacles if math.hypot(disc[0], disc[1]) < math.hypot(reach, half_width) + disc[2]]
    if not x.size and not discs:
        return bearing
    headings = bearing + _OFFSETS
    cosine, sine = np.cos(headings)[:, None], np.sin(headings)[:, None]
    along = cosine * x + sine * y
    across = np.abs(cosine * y - sine * x)
    blocked = ((along > 0.0) & (along < reach) & (across < half_width)).any(axis=1)
    for disc in discs:
        ahead = cosine[:, 0] * disc[0] + sine[:, 0] * disc[1]
        lateral = np.abs(cosine[:, 0] * disc[1] - sine[:, 0] * disc[0])
        away, needed = math.hypot(disc[0], disc[1]), half_width + disc[2]
        blocked |= ahead > _ALONG * away if away <= needed else (ahead > 0.0) & (lateral < needed)
    free = np.flatnonzero(~blocked)
    return wrap(float(headings[free[0]])) if free.size else None


def steer_clear(
    scan: Scan | None,
    bearing: float,
    speed: float,
    limit: float,
    *,
    gain: float = 3.0,
    reach: float = 0.45,
    half_width: float = 0.21,
    drive_gate: float = math.pi / 2,
    ignore: tuple[float, float, float] | None = None,
    obstacles: Iterable[tuple[float, float, float]] = (),
) -> Twist2D:
    """Return the twist that drives to a bearing round what stands in the way; it turns on the spot if no way is free.

    Args:
        scan: points in base_link; None drives straight
        bearing: wanted heading, rad
        speed: ahead once aligned, m/s
        limit: of the yaw rate, rad/s
        gain: yaw rate per bearing, 1/s
        reach: length of the way that is to be free, m
        half_width: half its width, m
        drive_gate: bearing beyond which it only turns, rad
        ignore: (x, y, radius) in base_link of a disc whose points are no obstacle: the target itself
        obstacles: discs (x, y, radius) in base_link that are in the way though the scan does not show them
    """
    heading = bearing if scan is None else clear_heading(scan, bearing, reach, half_width, ignore, obstacles)
    if heading is None:
        return Twist2D(0.0, math.copysign(limit / 2.0, bearing))
    return drive_towards(heading, speed, gain, limit, drive_gate, slow_share=0.5)
