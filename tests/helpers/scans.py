"""Scans made by hand: from ranges, from points, and by casting rays at walls."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import LaserScan, Scan

BEAMS = 640
RANGE_MAX = 12.0

Segments = NDArray[np.float64]
"""Walls, shape (n, 4): x and y of both ends, m."""


def laser(
    ranges: ArrayLike,
    now: int = 0,
    sequence: int = 1,
    *,
    stamp: int | None = None,
    mount: Pose2D | None = None,
    **changes: float,
) -> LaserScan:
    """Return a message whose beams go once around, from -180 degrees, but for the changes."""
    values = np.asarray(ranges, dtype=np.float32)
    increment = math.tau / max(1, len(values))
    angles = {
        "angle_min": -math.pi,
        "angle_max": -math.pi + increment * (len(values) - 1),
        "angle_increment": increment,
        "range_min": 0.05,
        "range_max": RANGE_MAX,
        **changes,
    }
    when = now if stamp is None else stamp
    return LaserScan(when, now, sequence, values, mount=mount or Pose2D(), **angles)


def scan(ranges: ArrayLike, now: int = 0, sequence: int = 1, **changes: Any) -> Scan:
    """Return the percept of such a message."""
    return Scan.from_laser(laser(ranges, now, sequence, **changes))


def scan_of_points(points: Sequence[tuple[float, float]], now: int = 0, sequence: int = 1) -> Scan:
    """Return a scan with exactly these points (m, base_link)."""
    x = np.asarray([point[0] for point in points], dtype=np.float64)
    y = np.asarray([point[1] for point in points], dtype=np.float64)
    newest = now if len(points) else -1
    return Scan(now, now, sequence, x, y, np.arctan2(y, x), np.hypot(x, y), BEAMS, newest)


def rectangle(half_x: float, half_y: float | None = None, x: float = 0.0, y: float = 0.0) -> Segments:
    """Return the walls of a rectangle around (x, y)."""
    half_y = half_x if half_y is None else half_y
    corners = [(x - half_x, y - half_y), (x + half_x, y - half_y), (x + half_x, y + half_y), (x - half_x, y + half_y)]
    return np.asarray([[*a, *b] for a, b in zip(corners, corners[1:] + corners[:1], strict=True)])


def cast(walls: Segments, pose: Pose2D, beams: int = BEAMS) -> NDArray[np.float32]:
    """Return what a LiDAR in the robot's centre measures, one range a beam from -180 degrees, inf for no wall."""
    angle = pose.yaw - math.pi + math.tau / beams * np.arange(beams)[:, None]
    ray_x, ray_y = np.cos(angle), np.sin(angle)
    from_x, from_y = walls[:, 0] - pose.x, walls[:, 1] - pose.y
    along_x, along_y = walls[:, 2] - walls[:, 0], walls[:, 3] - walls[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        cross = ray_x * along_y - ray_y * along_x
        distance = (from_x * along_y - from_y * along_x) / cross
        share = (from_x * ray_y - from_y * ray_x) / cross
        hit = (distance > 0.0) & (share >= 0.0) & (share <= 1.0) & (distance < RANGE_MAX)
    return np.asarray(np.where(hit, distance, np.inf).min(axis=1), np.float32)


def clearance(walls: Segments, pose: Pose2D) -> float:
    """Return the distance (m) from the robot's centre to the nearest wall."""
    start, along = walls[:, :2], walls[:, 2:] - walls[:, :2]
    here = np.asarray([pose.x, pose.y])
    share = np.clip(((here - start) * along).sum(axis=1) / (along * along).sum(axis=1), 0.0, 1.0)
    return float(np.hypot(*(start + share[:, None] * along - here).T).min())
