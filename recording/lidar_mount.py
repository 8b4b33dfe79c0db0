"""Where a LiDAR is mounted, by how its scans fit together along the way that odometry gives."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from arena_trees.recording.report_page.tracks import Track, measured_at
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import LaserScan

__all__ = ["guess_mount"]

_PAIRS = 40
"""Pairs of scans that are compared."""

_FEWEST = 6
"""Pairs without which nothing is guessed."""

_WAY = 0.3, 1.0
"""Metres between the places of a pair; the direction of the LiDAR follows from the way."""

_TURN = 0.35
"""Radians by which the robot turns at most between them, for odometry slips in turns and a scan takes its time."""

_FARTHEST = 6.0
"""Metres; returns from farther away lie too thin to be compared."""

_MOST_POINTS = 180
"""Most points of a scan that are compared."""

_SHARED = 0.4
"""Share of the points, the nearest ones, that count; a scan shows much that the other one does not."""

_DIRECTIONS = np.arange(-180, 180)
_STEP = 5
"""Degrees between the directions that are tried at first."""

_OTHER = 30
"""Degrees; a direction that differs by more is another answer."""

_CLEAR = 1.4
"""So many times better (by the distance of the points) the best answer must be than every other one."""

_GOOD = 0.1
"""Metres between the points of two scans up to which they fit."""

Points = NDArray[np.float64]
_Pair = tuple[Pose2D, cKDTree, Points]
"""How the robot moved, where the first scan has points, and the points of the second, shape (k, 2)."""


def guess_mount(scans: Sequence[LaserScan], odometry: Sequence[Odometry]) -> Pose2D | None:
    """Return the pose of a LiDAR in base_link, or None where scans and odometry do not determine it.

    Pairs of scans are laid over each other as the robot moved between them, and with the right direction their points
    meet (the hand-eye problem of calibration, in the plane). The direction is found to some degrees. The place is taken
    for the robot's middle, and the LiDAR for mounted upright. A robot that stood gives no pose, nor does one that drove
    along a corridor without ends.

    Args:
        scans: with any mount, which is not looked at
        odometry: of the same robot
    """
    pairs = _pairs(scans, odometry)
    if len(pairs) < _FEWEST:
        return None
    misfit = {int(yaw): _misfit(pairs, math.radians(yaw)) for yaw in _DIRECTIONS[::_STEP]}
    near = min(misfit, key=misfit.__getitem__)
    misfit |= {yaw: _misfit(pairs, math.radians(yaw)) for yaw in range(near - _STEP + 1, near + _STEP)}
    best = min(misfit, key=misfit.__getitem__)
    others = (one for yaw, one in misfit.items() if abs(math.remainder(yaw - best, 360)) > _OTHER)
    if misfit[best] > _GOOD or min(others) < _CLEAR * misfit[best]:
        return None
    return Pose2D(0.0, 0.0, wrap(math.radians(best)))


def _pairs(scans: Sequence[LaserScan], odometry: Sequence[Odometry]) -> list[_Pair]:
    """Return pairs of scans between which the robot moved, evenly through the recording."""
    track = Track(
        "odometry",
        np.array([measured_at(one) for one in odometry], dtype=np.int64),
        np.array([(one.pose.x, one.pose.y, one.pose.yaw) for one in odometry], dtype=np.float64).reshape(-1, 3),
    )
    poses = [track.at(measured_at(scan)) for scan in scans]
    found = []
    second = 0
    for first, here in enumerate(poses):
        second = max(second, first + 1)
        while second < len(poses) and _way(here, poses[second]) < _WAY[0]:
            second += 1
        if second == len(poses):
            break
        there = poses[second]
        if here is None or there is None:
            continue
        moved = here.relative(there)
        if math.hypot(moved.x, moved.y) <= _WAY[1] and abs(moved.yaw) <= _TURN:
            found.append((first, second, moved))
    chosen = range(0, len(found), max(1, -(-len(found) // _PAIRS)))
    pairs = []
    for index in chosen:
        first, second, moved = found[index]
        seen, again = _points(scans[first]), _points(scans[second])
        if len(seen) and len(again):
            pairs.append((moved, cKDTree(seen), again))
    return pairs


def _way(here: Pose2D | None, there: Pose2D | None) -> float:
    return 0.0 if here is None or there is None else here.distance_to(there.x, there.y)


def _points(laser: LaserScan) -> Points:
    """Return a scan's points in the LiDAR's own frame, m, shape (k, 2)."""
    ranges = np.asarray(laser.ranges, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        good = np.flatnonzero((ranges > max(laser.range_min, 0.0)) & (ranges < min(laser.range_max, _FARTHEST)))
    good = good[:: max(1, -(-len(good) // _MOST_POINTS))]
    angle = laser.angle_min + good * laser.angle_increment
    return np.stack([ranges[good] * np.cos(angle), ranges[good] * np.sin(angle)], axis=1)


def _misfit(pairs: Sequence[_Pair], yaw: float) -> float:
    """Return how far (m) the points of the second scans are from those of the first, with a LiDAR that looks so."""
    where = Pose2D(0.0, 0.0, yaw)
    misfits = []
    for moved, seen, again in pairs:
        sensor = where.relative(moved.compose(where))
        cosine, sine = math.cos(sensor.yaw), math.sin(sensor.yaw)
        laid = again @ np.array([[cosine, sine], [-sine, cosine]]) + (sensor.x, sensor.y)
        distances = np.sort(seen.query(laid)[0])
        misfits.append(float(distances[: max(1, int(_SHARED * len(distances)))].mean()))
    return float(np.median(misfits))
