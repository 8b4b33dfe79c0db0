"""What is on a robot's way: the nearest of it, and nothing that is beside it."""

import math

import numpy as np
import pytest
from helpers.scans import scan_of_points

from arena_trees.perception.traffic import nearest_on_way, unaccounted
from arena_trees.robot.geometry import Pose2D

BASE = Pose2D(1.0, 2.0, math.pi / 2)
STOPS = [0.25 + 0.05 * k for k in range(36)]


def straight() -> list[Pose2D]:
    return [BASE.compose(Pose2D(stop)) for stop in STOPS]


def bend() -> list[Pose2D]:
    """Return a quarter circle to the left, radius 1 m."""
    return [BASE.compose(Pose2D(math.sin(stop), 1.0 - math.cos(stop), stop)) for stop in STOPS]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([], None),
        ([(1.0, 0.0)], 1.0),
        ([(1.0, 0.0), (0.6, 0.2), (1.5, -0.1)], 0.6),
        ([(1.0, 0.25), (0.7, -0.3)], None),
        ([(-0.5, 0.0), (0.1, 0.0), (2.2, 0.0)], None),
    ],
    ids=["nothing", "ahead", "the nearest", "beside", "behind, too near, too far"],
)
def test_on_a_straight_way(points, expected):
    found = nearest_on_way(scan_of_points(points), BASE, straight(), STOPS, 0.24)
    assert found == (None if expected is None else pytest.approx(expected))


def test_on_a_bend_progress_is_along_it_and_without_a_way_there_is_nothing():
    # A quarter of the circle ahead, seen to the front left, and a wall that is straight ahead.
    on_arc = (math.sin(1.2), 1.0 - math.cos(1.2))
    scan = scan_of_points([on_arc, (1.3, 0.0)])
    assert nearest_on_way(scan, BASE, bend(), STOPS, 0.24) == pytest.approx(1.2, abs=0.01)
    assert nearest_on_way(scan_of_points([(1.0, 0.0)]), BASE, [], [], 0.24) is None


@pytest.mark.parametrize(
    ("known", "radius", "number"),
    [([], 0.3, 2), ([(0.0, 0.3)], 0.25, 1), ([(0.0, 0.3), (-0.4, 0.0)], 0.25, 0), ([(5.0, 5.0)], 0.25, 2)],
)
def test_what_is_in_the_square_and_near_nothing_known_is_counted(known, radius, number):
    # The robot stands 1 m south of the middle and looks north.
    base = Pose2D(0.0, -1.0, math.pi / 2.0)
    points = scan_of_points([(1.2, 0.1), (1.05, 0.45), (1.9, 0.0), (0.3, 0.0), (1.0, 0.7)])
    assert unaccounted(points, base, 0.5, np.array(known).reshape(-1, 2), radius) == number


def test_an_empty_scan_shows_nobody():
    assert unaccounted(scan_of_points([]), BASE, 0.5, np.zeros((0, 2)), 0.25) == 0
