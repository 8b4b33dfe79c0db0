"""Traffic in a LiDAR scan: the nearest obstacle on a robot's path, and what nobody accounts for in a square."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

__all__ = ["nearest_on_way", "unaccounted"]


def nearest_on_way(
    scan: Scan, base: Pose2D, places: Sequence[Pose2D], progress: Sequence[float], width: float
) -> float | None:
    """Return the progress (m) of the nearest thing on the path; None where there is none.

    Args:
        scan: points in base_link
        base: pose of base_link when the scan was taken, in the frame of the places
        places: poses along the path, near to each other, in order
        progress: of the places, m
        width: what is farther from the path's middle is not on it, m
    """
    if not scan.distance.size or not places:
        return None
    way = np.array([(place.x, place.y, place.yaw) for place in places])
    cosine, sine = np.cos(base.yaw), np.sin(base.yaw)
    x = base.x + cosine * scan.x - sine * scan.y
    y = base.y + sine * scan.x + cosine * scan.y
    step = (progress[-1] - progress[0]) / max(1, len(places) - 1)
    # What lies farther from all places cannot be on the path.
    reach = 1.001 * np.hypot(width, step)
    low, high = way[:, :2].min(axis=0) - reach, way[:, :2].max(axis=0) + reach
    near = (x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1])
    x, y = x[near], y[near]
    if not x.size:
        return None
    dx, dy = x[:, None] - way[None, :, 0], y[:, None] - way[None, :, 1]
    nearest = np.argmin(dx * dx + dy * dy, axis=1)
    rows = np.arange(nearest.size)
    dx, dy, yaw = dx[rows, nearest], dy[rows, nearest], way[nearest, 2]
    along = np.cos(yaw) * dx + np.sin(yaw) * dy
    across = np.cos(yaw) * dy - np.sin(yaw) * dx
    # Points before the first place and behind the last one belong to no place.
    on_way = (np.abs(across) < width) & (np.abs(along) <= step)
    if not bool(on_way.any()):
        return None
    found = np.asarray(progress, dtype=np.float64)[nearest] + along
    return float(found[on_way].min())


def unaccounted(scan: Scan, base: Pose2D, half: float, known: NDArray[np.float64], radius: float) -> int:
    """Return how many points lie in the square round the origin and near none of the known places.

    Args:
        scan: points in base_link
        base: pose of base_link when the scan was taken, in the frame of the square
        half: half the side of the square, m
        known: places of which it is known who is there, m, shape (n, 2), n from 0
        radius: round each known place that points are accounted for, m
    """
    cosine, sine = np.cos(base.yaw), np.sin(base.yaw)
    x = base.x + cosine * scan.x - sine * scan.y
    y = base.y + sine * scan.x + cosine * scan.y
    inside = np.maximum(np.abs(x), np.abs(y)) < half
    points = np.column_stack((x[inside], y[inside]))
    if not len(points) or not len(known):
        return len(points)
    away = np.hypot(*(points[:, None, :] - known[None, :, :]).transpose(2, 0, 1)).min(axis=1)
    return int((away > radius).sum())
