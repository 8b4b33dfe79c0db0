"""The curve along a wall: its distances and its nearest point are those that shapely finds."""

import math

import numpy as np
import pytest
import shapely

from arena_trees.control.wall_curve import WallCurve


def curve_of(rng: np.random.Generator, pieces: int) -> WallCurve:
    """Return random pieces, the last of them a point."""
    begin, end = rng.uniform(-2.0, 2.0, (2, pieces, 2))
    end[-1] = begin[-1]
    return WallCurve(begin, end)


def lines(curve: WallCurve) -> list[shapely.LineString]:
    return [shapely.LineString(pair) for pair in zip(curve.begin, curve.end, strict=True)]


@pytest.mark.parametrize("pieces", [1, 2, 9])
def test_distances_and_the_nearest_point(pieces: int):
    rng = np.random.default_rng(pieces)
    for _ in range(40):
        curve, points = curve_of(rng, pieces), rng.uniform(-3.0, 3.0, (12, 2))
        away = shapely.distance(shapely.points(points)[:, None], np.array(lines(curve))[None, :]).min(axis=1)
        assert curve.distances(points) == pytest.approx(away, abs=1e-5)
        far, bearing = curve.nearest()
        place = shapely.Point(far * math.cos(bearing), far * math.sin(bearing))
        assert far == pytest.approx(shapely.distance(shapely.Point(0.0, 0.0), np.array(lines(curve))).min(), abs=1e-5)
        assert min(line.distance(place) for line in lines(curve)) < 1e-5


def test_what_begins_or_ends_near_is_kept():
    curve = WallCurve(np.array([[0.5, 0.0], [3.0, 0.0], [3.0, 3.0]]), np.array([[4.0, 0.0], [0.0, 0.9], [4.0, 4.0]]))
    near = curve.within(1.0)
    assert near.begin.tolist() == [[0.5, 0.0], [3.0, 0.0]]
    assert near.end.tolist() == [[4.0, 0.0], [0.0, 0.9]]
    assert curve.within(0.4).empty
    assert curve.within(0.4).distances(np.zeros((2, 2))).tolist() == [math.inf, math.inf]
    assert curve.within(0.4).nearest() == (math.inf, 0.0)


def test_a_course_is_the_same_whether_the_nearest_point_is_known_or_not():
    x = np.linspace(-3.0, 3.0, 61)
    points = np.stack((x, np.full(61, 0.4)), axis=1)
    wall = WallCurve(points[:-1], points[1:])
    for distance in (0.1, 0.4, 0.6, 2.0):
        assert wall.course(1.0, distance, 0.3) == wall.course(1.0, distance, 0.3, wall.nearest())
    assert wall.course(1.0, 0.4, 0.3) == pytest.approx(0.0, abs=1e-6)
    right = WallCurve(wall.begin * (1.0, -1.0), wall.end * (1.0, -1.0))
    assert right.course(-1.0, 0.4, 0.3) == pytest.approx(0.0, abs=1e-6)
