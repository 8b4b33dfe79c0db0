"""The frozen-scan limit: a LiDAR that sends the same picture again and again while the robot moves shows nothing."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.scan import Scan
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.reasons import GateReason

__all__ = ["FrozenScanLimit", "Pictures"]

_REPEATS = 8
"""Identical scans from which a LiDAR counts as frozen."""

_MOVED = 0.05
"""Metres that the robot must have moved meanwhile, for a robot at rest may well see the same twice."""

_TURNED = 0.17
"""Radians that it may have turned instead."""

_RECOVERED = 3
"""Scans in a row, each unlike the one before, that end it."""


class Pictures(NamedTuple):
    """What the newest scans have in common.

    Attributes:
        scan: the newest
        repeats: how many in a row are identical
        began: odometry's pose when the first of them was noticed; None without odometry
        moved: whether the robot has moved since
        good: how many in a row were unlike the one before
        frozen: whether they are not to be trusted
    """

    scan: Scan
    repeats: int
    began: Pose2D | None
    moved: bool = False
    good: int = 1
    frozen: bool = False


class FrozenScanLimit(MotionLimit[Pictures]):
    """Stops a robot whose LiDAR repeats itself while it moves, as if it had hung behind a driver that stamps."""

    reason = GateReason.SCAN_FROZEN

    def observe(self, memory: Pictures | None, situation: Situation) -> Pictures | None:
        """Return what the newest scan has in common with those before."""
        scan, odometry = situation.percepts.scan, situation.percepts.odometry
        # By what the wheels have done, not by what they were commanded: without odometry nothing is known of motion.
        here = None if odometry is None else odometry.pose
        if scan is None or not situation.parameters.obstacles:
            return None
        if memory is None:
            return Pictures(scan, 1, here)
        if scan is memory.scan:
            return memory
        if not _same_picture(memory.scan, scan):
            good = memory.good + 1
            return Pictures(scan, 1, here, good=good, frozen=memory.frozen and good < _RECOVERED)
        repeats, moved = memory.repeats + 1, memory.moved or _far(memory.began, here)
        frozen = memory.frozen or (repeats >= _REPEATS and moved)
        return Pictures(scan, repeats, memory.began, moved, 0, frozen)

    def blind(self, memory: Pictures | None) -> str | None:
        """Return that the scans are frozen, or None."""
        return GateReason.SCAN_FROZEN if memory is not None and memory.frozen else None

    def limit(self, memory: Pictures | None, situation: Situation, wanted: Twist2D) -> tuple[float, Pictures | None]:
        """Return any speed: scans that are not frozen are the affair of other limits."""
        return math.inf, memory


def _same_picture(one: Scan, other: Scan) -> bool:
    # A scan without a return is the affair of the gate, which does not let it renew the age.
    return bool(
        one.distance.size
        and np.array_equal(one.distance, other.distance)
        and np.array_equal(one.bearing, other.bearing)
    )


def _far(began: Pose2D | None, now: Pose2D | None) -> bool:
    if began is None or now is None:
        return False
    return began.distance_to(now.x, now.y) >= _MOVED or abs(wrap(now.yaw - began.yaw)) >= _TURNED
