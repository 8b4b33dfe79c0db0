import math
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena_trees.robot.errors import ConfigError
from arena_trees.world.geofence import Geofence

SQUARE = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
HOOK = [(-2, -2), (2, -2), (2, 2), (1, 2), (1, -1), (-1, -1), (-1, 2), (-2, 2)]
"""A U: two arms, 1 m wide, around a notch that the centroid is in."""

position = st.tuples(st.floats(-4, 4), st.floats(-4, 4))


@pytest.mark.parametrize(
    ("points", "where", "reason"),
    [
        ([], "fences.wolf", "at least 3"),
        ([(0, 0), (2, 0)], "fences.wolf", "has 2 different points"),
        ([(0, 0), (2, 0), (0, 0)], "fences.wolf", "has 2 different points"),
        ([(0, 0), (2, 0), (2, math.nan), (0, 2)], "fences.wolf.2.1", "finite number"),
        ([(0, 0), (math.inf, 0), (2, 2)], "fences.wolf.1.0", "finite number"),
        ([(0, 0), (10**400, 0), (2, 2)], "fences.wolf.1.0", "number"),
        ([(0, 0), (1e9, 0), (2, 2)], "fences.wolf.1.0", "less than or equal to 100000"),
        ([(0, 0), (2, 0), (2, 0), (0, 2)], "fences.wolf.2", "point 2 repeats point 1"),
        ([(0, 0), (2, 0), (2, 2), (2, 0)], "fences.wolf.3", "point 3 repeats point 1"),
        ([(0, 0), (2, 2), (2, 0), (0, 2)], "fences.wolf", "itself at x, y = 1 1"),
        ([(0, 0), (4, 0), (2, 0), (2, 2)], "fences.wolf", "touches itself at x, y = 4 0"),
        ([(0, 0), (4, 0), (4, 4), (2, 0)], "fences.wolf", "touches itself at x, y = 2 0"),
        ([(0, 0), (1, 1), (2, 2)], "fences.wolf", "no area"),
        ([(0, 0), (0.5, 0), (0.5, 5), (0, 5)], "fences.wolf", "does not fit"),
        ([(math.cos(a), math.sin(a)) for a in np.linspace(0, 6, 1001)], "fences.wolf", "at most 1000 items"),
        ("square", "fences.wolf", "valid tuple"),
        (7, "fences.wolf", "valid tuple"),
        ([(0, 0), (2, 0, 1), (2, 2)], "fences.wolf.1", "at most 2 items"),
        ([(0, 0), "20", (2, 2)], "fences.wolf.1", "valid tuple"),
        ([(0, 0), (True, 0), (2, 2)], "fences.wolf.1.0", "valid number"),
        ([(0, 0), None, (2, 2)], "fences.wolf.1", "valid tuple"),
    ],
)
def test_refused_with_reason_and_index(points, where, reason):
    with pytest.raises(ConfigError) as caught:
        Geofence("wolf", points, file="arena.yaml", key="fences.wolf")
    assert caught.value.key == where
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"arena.yaml: {where}: ")
    assert "\n" not in str(caught.value)


def test_robot_radius_must_make_sense():
    with pytest.raises(ConfigError, match="radius"):
        Geofence("wolf", SQUARE, robot_radius=math.nan)


@pytest.mark.parametrize(("radius", "margin"), [(0.0, 0.0), (0.0, 1e-6), (5e-4, 0.0)])
def test_a_robot_without_size_and_margin_has_no_fence(radius, margin):
    with pytest.raises(ConfigError, match=r"arena.yaml: fences.wolf: .*0.001 m together") as caught:
        Geofence("wolf", SQUARE, radius, margin, file="arena.yaml", key="fences.wolf")
    assert "\n" not in str(caught.value)


@given(st.sampled_from(SQUARE), st.floats(-math.pi, math.pi), st.floats(-17.0, -1.0))
def test_there_is_a_way_inside_from_beside_any_corner(corner, angle, power):
    fence = Geofence("wolf", SQUARE, 0.0, 1e-3)
    far = 10.0**power
    target = fence.way_inside(corner[0] + far * math.cos(angle), corner[1] + far * math.sin(angle))
    assert fence.inside(*target)


def test_closing_point_and_sense_of_rotation_do_not_matter():
    closed = Geofence("a", [*SQUARE, SQUARE[0]])
    clockwise = Geofence("b", SQUARE[::-1])
    assert closed.points == tuple((float(x), float(y)) for x, y in SQUARE)
    assert closed.signed_distance(0.5, 0) == clockwise.signed_distance(0.5, 0) == 1.5
    assert closed.area == 16.0
    assert closed.centroid == (0.0, 0.0)


def test_a_thousand_points_load_quickly():
    points = [(3 * math.cos(a), 3 * math.sin(a)) for a in np.linspace(0, math.tau, 1000, endpoint=False)]
    started = time.process_time()
    fence = Geofence("round", points)
    assert time.process_time() - started < 0.5
    assert fence.signed_distance(0, 0) == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize(
    ("x", "y", "distance"), [(0, 0, 2), (1.5, 0, 0.5), (2, 0, 0), (3, 0, -1), (3, 3, -math.sqrt(2)), (-5, -2, -3)]
)
def test_signed_distance(x, y, distance):
    fence = Geofence("wolf", SQUARE)
    assert fence.signed_distance(x, y) == pytest.approx(distance)
    assert fence.inside(x, y) is (distance > 0)


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 1e308])
def test_nowhere_is_never_inside(x):
    fence = Geofence("wolf", SQUARE)
    for place in ((x, 0.0), (0.0, x)):
        assert fence.signed_distance(*place) < -1e6
        assert fence.inside(*place) is False
        assert all(map(math.isfinite, fence.way_inside(*place)))


@given(st.lists(position, min_size=1, max_size=5))
def test_many_distances_are_those_of_each(places):
    fence = Geofence("hook", HOOK)
    many = fence.signed_distances([x for x, _ in places], [y for _, y in places])
    assert many.tolist() == [fence.signed_distance(x, y) for x, y in places]


@given(position)
def test_the_way_inside_leads_to_a_safe_place(place):
    fence = Geofence("hook", HOOK)
    target = fence.way_inside(*place)
    assert fence.signed_distance(*target) >= fence.inset - 1e-3
    if fence.signed_distance(*place) > fence.inset:
        assert target == pytest.approx(place)


def test_the_way_inside_is_not_the_centroid_where_that_is_outside():
    fence = Geofence("hook", HOOK)
    assert not fence.inside(*fence.centroid)
    assert fence.way_inside(0.8, 1.0) == pytest.approx((1.27, 1.0))
    assert fence.way_inside(-0.8, 1.0) == pytest.approx((-1.27, 1.0))
    assert fence.way_inside(0.0, -0.9) == pytest.approx((0.0, -1.27))


@settings(max_examples=200)
@example((1.0, 3.0))
@example((0.533203125, 0.333984375))
@given(position)
def test_outside_the_way_inside_first_leads_towards_the_fence(place):
    """Also beside an arm too slim for the robot, where the nearest safe place lies along or across the fence."""
    slim = [(-2, -2), (2, -2), (2, 0), (0.2, 0), (0.2, 3), (-0.2, 3), (-0.2, 0), (-2, 0)]
    for points in (SQUARE, HOOK, slim):
        fence = Geofence("wolf", points)
        before = fence.signed_distance(*place)
        if before > -1e-3:
            continue
        target = fence.way_inside(*place)
        way = math.dist(place, target)
        ahead = [a + (b - a) * 1e-4 / way for a, b in zip(place, target, strict=True)]
        assert fence.signed_distance(*ahead) > before
        assert fence.inside(*target)
