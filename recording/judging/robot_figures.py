"""What a robot's own sensors tell of a recording, whatever was played in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from arena_trees.recording.recording import RobotRecording
from arena_trees.robot.clock import to_seconds

__all__ = ["robot_figures"]

_MOVING = 0.02
"""A robot drives above this speed, m/s."""
_PAUSE_S = 1.0
"""So long without odometry it is not known whether a robot drives."""


def robot_figures(robot: RobotRecording) -> Mapping[str, float | int | None]:
    """Return figures of a robot by name; None where the recording has nothing to tell them by.

    ``driven_m`` and ``moving_share`` are by odometry, ``bumps`` by the bumpers, ``nearest_return_m`` by the LiDAR; the
    others are the longest time between two messages, s.
    """
    return {
        **_driven(robot),
        "bumps": _bumps(robot),
        "nearest_return_m": _nearest(robot),
        **{
            f"longest_{name}_gap_s": _gap([one.stamp for one in found])
            for name, found in (("scan", robot.scans), ("odometry", robot.odometry), ("pose", robot.poses))
        },
    }


def _driven(robot: RobotRecording) -> dict[str, float | None]:
    odometry = robot.odometry
    if len(odometry) < 2:
        return {"driven_m": None, "moving_share": None}
    way, moving, known = 0.0, 0.0, 0.0
    for before, after in pairwise(odometry):
        seconds = to_seconds(after.stamp - before.stamp)
        if not 0.0 < seconds <= _PAUSE_S:
            continue
        metres = before.pose.distance_to(after.pose.x, after.pose.y)
        way += metres
        known += seconds
        moving += seconds if metres / seconds > _MOVING else 0.0
    return {"driven_m": round(way, 3), "moving_share": round(moving / known, 4) if known else None}


def _bumps(robot: RobotRecording) -> int | None:
    if not robot.bumpers:
        return None
    pressed = [bool(one.pressed) for one in robot.bumpers]
    return sum(now and not before for before, now in zip([False, *pressed], pressed, strict=False))


def _nearest(robot: RobotRecording) -> float | None:
    found = [float(ranges.min()) for scan in robot.scans if (ranges := scan.ranges[np.isfinite(scan.ranges)]).size]
    return round(min(found), 3) if found else None


def _gap(stamps: Sequence[int]) -> float | None:
    gaps = [after - before for before, after in pairwise(stamps)]
    return round(to_seconds(max(gaps)), 3) if gaps else None
