import math

import numpy as np
import pytest
from helpers.scans import cast, rectangle, scan, scan_of_points
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.perception.sectors import free_ahead, more_open_side, sector_min
from arena_trees.robot.geometry import Pose2D

POINTS = [(1.0, 0.0), (0.0, 2.0), (-3.0, 0.0), (0.0, -4.0)]
"""One each ahead, left, behind and right."""


@pytest.mark.parametrize(
    ("begin", "end", "nearest"),
    [
        (-30, 30, 1.0),
        (60, 120, 2.0),
        (150, 210, 3.0),
        (170, -170, 3.0),
        (-120, -60, 4.0),
        (10, 80, math.inf),
        (0, 360, 1.0),
        (60, 300, 2.0),
        (0, 0, 1.0),
        (30, -30, 2.0),
    ],
)
def test_sector_min(begin, end, nearest):
    assert sector_min(scan_of_points(POINTS), math.radians(begin), math.radians(end)) == nearest


def test_an_empty_scan_has_nothing_near():
    empty = scan([math.inf] * 361)
    assert sector_min(empty, -0.5, 0.5) == math.inf
    assert sector_min(empty, -4.0, 4.0) == math.inf
    assert more_open_side(empty) == 0
    assert free_ahead(empty) == math.inf


@pytest.mark.parametrize("bearing", [math.nan, math.inf])
def test_bearings_must_be_finite(bearing):
    with pytest.raises(ValueError, match="finite"):
        sector_min(scan_of_points(POINTS), bearing, 1.0)


@given(st.floats(-7.0, 7.0), st.floats(0.0, 6.2))
def test_sector_min_agrees_with_looking_at_each_point(begin, width):
    points = [
        (d * math.cos(a), d * math.sin(a)) for d, a in zip((1, 2, 3, 4, 5), (0.1, 1.7, 3.1, -2.2, -0.7), strict=True)
    ]
    expected = min(
        (math.hypot(x, y) for x, y in points if (math.atan2(y, x) - begin) % math.tau <= width), default=math.inf
    )
    assert sector_min(scan_of_points(points), begin, begin + width) == pytest.approx(expected)


def test_a_lidar_mounted_turned_and_upside_down_sees_the_same():
    ranges = cast(rectangle(1.0, 3.0), Pose2D(0.4, 0.0, 0.0))
    straight = scan(ranges)
    # Yawed by +90 degrees: what was beam 0 is now measured a quarter of a turn later.
    turned = scan(np.roll(ranges, -len(ranges) // 4), mount=Pose2D(0.0, 0.0, math.pi / 2))
    increment = math.tau / len(ranges)
    upside_down = scan(ranges[::-1], angle_min=math.pi - increment, angle_max=-math.pi, angle_increment=-increment)
    for seen in (straight, turned, upside_down):
        assert sector_min(seen, -0.1, 0.1) == pytest.approx(0.6, abs=1e-3)
        assert sector_min(seen, 3.0, 3.3) == pytest.approx(1.4, abs=1e-3)


def test_more_open_side():
    wall_left = cast(np.asarray([[-5.0, 0.5, 5.0, 0.5]]), Pose2D())
    wall_right = cast(np.asarray([[-5.0, -0.5, 5.0, -0.5]]), Pose2D())
    assert more_open_side(scan(wall_left)) == -1
    assert more_open_side(scan(wall_right)) == 1
    assert more_open_side(scan_of_points([(0.3, 1.0), (0.3, -0.4)])) == 1
    assert more_open_side(scan_of_points([(-0.3, 0.4)])) == 0


def test_free_ahead():
    assert free_ahead(scan_of_points([(1.0, 0.0)]), 0.2) == pytest.approx(0.8)
    assert free_ahead(scan_of_points([(1.0, 0.12)]), 0.2) == pytest.approx(0.84)
    assert free_ahead(scan_of_points([(1.0, 0.25), (-1.0, 0.0)]), 0.2) == math.inf
    assert free_ahead(scan_of_points([(0.1, 0.0)]), 0.2) == 0.0
