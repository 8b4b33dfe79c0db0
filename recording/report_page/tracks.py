"""Tracks: where a robot was when, from the best that a recording has, and how far from its fence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.recording.recording import Outline, Recording, RobotRecording
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import Stamped
from arena_trees.robot.scan import LaserScan, Scan

__all__ = [
    "FARTHEST",
    "Track",
    "believed_track",
    "best_track",
    "extent_of",
    "fence_distance",
    "fence_of",
    "measured_at",
    "scan_points",
    "thinned",
]

FARTHEST = 1e6
"""Metres; what is further away was not driven by a robot, and is drawn there."""

_FASTEST = 5.0
"""m/s; no robot of ours drives faster."""

_JUMP = 0.5
"""Metres by which a localisation may correct itself."""

_SHARE = 0.05
"""Share of a way's points from which a stretch of it is more than a spike."""

_LATEST = SECOND
"""A stamp that differs from the arrival by more is of another clock."""


@dataclass(frozen=True, slots=True)
class Track:
    """One robot's way.

    Attributes:
        source: ``truth``, ``localisation`` or ``odometry``
        time: ns, not decreasing, shape (k,)
        pose: x (m), y (m) and yaw (rad), in the map frame or, from odometry, where the robot began, shape (k, 3)
    """

    source: str
    time: NDArray[np.int64]
    pose: NDArray[np.float64]

    def at(self, now: int) -> Pose2D | None:
        """Return the pose at an instant (ns), between two known ones on a straight line; None without any."""
        if not len(self.time):
            return None
        second = int(np.searchsorted(self.time, now, side="right"))
        if second in (0, len(self.time)):
            return Pose2D(*self.pose[min(second, len(self.time) - 1)])
        (x0, y0, yaw0), (x1, y1, yaw1) = self.pose[second - 1 : second + 1]
        share = (now - self.time[second - 1]) / (self.time[second] - self.time[second - 1])
        return Pose2D(x0 + share * (x1 - x0), y0 + share * (y1 - y0), wrap(yaw0 + share * wrap(yaw1 - yaw0)))


def best_track(robot: RobotRecording) -> Track:
    """Return where the robot was: the arena's truth, else its localisation, else its odometry."""
    if robot.truth:
        return _track("truth", robot.truth)
    if robot.poses:
        return believed_track(robot)
    return _track("odometry", [(odometry.arrival, odometry.pose) for odometry in robot.odometry])


def believed_track(robot: RobotRecording) -> Track:
    """Return where the robot was by its localisation."""
    return _track("localisation", [(estimate.arrival, estimate.pose) for estimate in robot.poses])


def extent_of(track: Track) -> tuple[float, float, float, float] | None:
    """Return the least x, the greatest x, the least y and the greatest y of a way (m), or None without one.

    Stretches that begin and end with a jump that no robot drives, and are short against the whole way, do not count:
    they are spikes of odometry or of a localisation. The truth has none: there a jump is a robot that was carried.
    """
    if not len(track.time):
        return None
    points = np.clip(track.pose[:, :2], -FARTHEST, FARTHEST)
    kept = points if track.source == "truth" else _without_spikes(points, track.time)
    (left, low), (right, high) = kept.min(axis=0), kept.max(axis=0)
    return float(left), float(right), float(low), float(high)


def _without_spikes(points: NDArray[np.float64], time: NDArray[np.int64]) -> NDArray[np.float64]:
    ways = np.hypot(*np.diff(points, axis=0).T)
    jumps = np.flatnonzero(ways > _JUMP + _FASTEST * np.diff(time) / SECOND)
    stretches = np.split(points, jumps + 1)
    least = min(max(map(len, stretches)), _SHARE * len(points))
    return np.concatenate([stretch for stretch in stretches if len(stretch) >= least])


def fence_of(recording: Recording, robot: str) -> Outline | None:
    """Return a robot's fence, or None; fewer than three points are none."""
    fences = (outline for outline in recording.outlines if (outline.kind, outline.name) == ("fence", robot))
    return next((fence for fence in fences if len(fence.points) >= 3), None)


def fence_distance(track: Track, fence: Outline) -> NDArray[np.float64]:
    """Return the distance (m) to the fence at each of the track's instants: positive inside, negative outside."""
    polygon = shapely.make_valid(shapely.Polygon(np.clip(fence.points, -FARTHEST, FARTHEST)))
    points = shapely.points(np.clip(track.pose[:, :2], -FARTHEST, FARTHEST))
    shapely.prepare(polygon)
    away: NDArray[np.float64] = shapely.distance(polygon.boundary, points)
    return np.where(shapely.covers(polygon, points), away, -away)


def measured_at(percept: Stamped) -> int:
    """Return when something was measured, ns of the robot's clock: its stamp, unless that is of another clock."""
    return percept.stamp if abs(percept.arrival - percept.stamp) <= _LATEST else percept.arrival


def scan_points(laser: LaserScan, track: Track, farthest: float = math.inf) -> NDArray[np.float64]:
    """Return where a scan's returns are in the track's frame, m, shape (k, 2); none of a scan that is no good.

    Args:
        laser: the scan
        track: of the robot that measured it
        farthest: returns from further away are left out, m
    """
    pose = track.at(measured_at(laser))
    try:
        scan = Scan.from_laser(laser)
    except ScanError:
        return np.zeros((0, 2))
    if pose is None:
        return np.zeros((0, 2))
    near = scan.distance < farthest
    x, y = scan.x[near], scan.y[near]
    cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
    return np.stack([pose.x + cosine * x - sine * y, pose.y + sine * x + cosine * y], axis=1)


def thinned(count: int, most: int) -> slice:
    """Return which of so many things to keep, evenly, so that at most ``most`` remain."""
    return slice(None, None, max(1, -(-count // most)))


def _track(source: str, poses: Sequence[tuple[int, Pose2D]]) -> Track:
    time = np.array([instant for instant, _ in poses], dtype=np.int64)
    pose = np.array([(pose.x, pose.y, pose.yaw) for _, pose in poses], dtype=np.float64).reshape(-1, 3)
    order = np.argsort(time, kind="stable")
    return Track(source, time[order], pose[order])
