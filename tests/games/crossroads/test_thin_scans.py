"""Scans of few points, looked at together."""

import math

import numpy as np
import pytest
from helpers.crossing_drive import see, thinned

from arena_trees.games.crossroads.localisation.thin_scans import ThinScans
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

PLACE = Pose2D(0.3, -2.0, math.pi / 2)


def thin(pose: Pose2D, now: int, points: int = 40) -> Scan:
    rng = np.random.default_rng(now)
    return thinned(see(pose, rng, stamp=now, arrival=now), points, rng)


def test_a_scan_with_enough_points_is_taken_as_it_is():
    scans = ThinScans(100)
    assert scans.gathered(thin(PLACE, SECOND), Pose2D()) is None
    scan = see(PLACE, np.random.default_rng(1000), stamp=2 * SECOND)
    x, y = scans.gathered(scan, Pose2D())
    assert x is scan.x
    assert y is scan.y
    # What was kept before went with it.
    assert scans.gathered(thin(PLACE, 3 * SECOND, 70), Pose2D()) is None


def test_thin_scans_are_carried_by_odometry_and_handed_out_once():
    scans, odom = ThinScans(100), Pose2D(5.0, 1.0, 1.0)
    motion = Pose2D(0.1, 0.02, 0.2)
    one, other, last = PLACE, PLACE.compose(motion), PLACE.compose(motion).compose(motion)
    moved = [odom, odom.compose(motion), odom.compose(motion).compose(motion)]
    assert scans.gathered(thin(one, SECOND), moved[0]) is None
    assert scans.gathered(thin(other, SECOND + 1), moved[1]) is None
    x, y = scans.gathered(thin(last, SECOND + 2), moved[2])
    assert len(x) == len(y) == 120
    first = thin(one, SECOND)
    at = last.relative(one.compose(Pose2D(float(first.x[0]), float(first.y[0]))))
    assert (x[0], y[0]) == pytest.approx((at.x, at.y))
    assert scans.gathered(thin(last, SECOND + 3), moved[2]) is None


def test_old_points_are_forgotten():
    scans = ThinScans(100)
    assert scans.gathered(thin(PLACE, SECOND, 90), Pose2D()) is None
    assert scans.gathered(thin(PLACE, 4 * SECOND, 90), Pose2D()) is None
    assert scans.gathered(thin(PLACE, 5 * SECOND, 90), Pose2D()) is not None
    assert scans.gathered(thin(PLACE, 6 * SECOND, 90), Pose2D()) is None
    scans.forget()
    assert scans.gathered(thin(PLACE, 7 * SECOND, 90), Pose2D()) is None
