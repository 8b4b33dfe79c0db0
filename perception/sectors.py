"""LiDAR sectors in the robot frame: how near something is in a direction, and which directions are free.

Bearings are those of base_link: 0 ahead, positive to the left. A ray without a return has
nothing near. None of these judges the age of a scan; the caller does.
"""

from __future__ import annotations

import math

import numpy as np

from arena_trees.robot.scan import Scan

__all__ = ["free_ahead", "more_open_side", "sector_min"]


def sector_min(scan: Scan, from_rad: float, to_rad: float) -> float:
    """Return the distance (m) of the nearest point in a sector, or inf where there is none.

    Args:
        scan: the scan
        from_rad: bearing at which the sector begins, rad
        to_rad: bearing at which it ends, counter-clockwise from its begin, rad; both ends belong to it

    Raises:
        ValueError: a bearing is not finite
    """
    width = to_rad - from_rad
    if not math.isfinite(width):
        raise ValueError(f"a sector needs finite bearings, not {from_rad} to {to_rad}")
    bearing, distance = scan.bearing, scan.distance
    if width >= math.tau:
        inside = distance
    elif -math.pi <= from_rad <= to_rad <= math.pi:
        inside = distance[(bearing >= from_rad) & (bearing <= to_rad)]
    else:
        inside = distance[(bearing - from_rad) % math.tau <= width % math.tau]
    return float(inside.min()) if inside.size else math.inf


def more_open_side(scan: Scan, horizon: float = 1.5) -> int:
    """Return the side of the front half with more room: 1 left, -1 right, 0 where neither has more.

    Each point counts by how far it reaches inside the horizon, so that a long wall near by
    outweighs a single pole.

    Args:
        scan: the scan
        horizon: m; what is farther away does not matter
    """
    near = np.flatnonzero((scan.distance < horizon) & (scan.x > 0.0))
    crowding = float(np.sum((horizon - scan.distance[near]) * np.sign(scan.y[near])))
    return -1 if crowding > 0.0 else int(crowding < 0.0)


def free_ahead(scan: Scan, half_width: float = 0.19) -> float:
    """Return how far (m) a round robot can go straight ahead before it meets a point; inf if it meets none.

    Args:
        scan: the scan
        half_width: radius of the robot and the clearance at its sides, m
    """
    met = (scan.x > 0.0) & (np.abs(scan.y) < half_width)
    side = scan.y[met]
    gaps = scan.x[met] - np.sqrt(half_width * half_width - side * side)
    return max(0.0, float(gaps.min())) if gaps.size else math.inf
