import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.safety.stopping import allowed_speed, stopping_distance


def test_known_distances():
    # 0.306 m/s with 0.1 s reaction at 0.9 m/s2: 0.0306 m and 0.0520 m of braking.
    assert stopping_distance(0.306, 0.1, 0.9) == pytest.approx(0.08262)
    assert stopping_distance(-0.306, 0.1, 0.9) == pytest.approx(0.08262)
    assert stopping_distance(0.0, 0.1, 0.9) == 0.0


@pytest.mark.parametrize("free", [0.0, -1.0, math.nan, -math.inf])
def test_no_room_allows_no_speed(free):
    assert allowed_speed(free, 0.1, 0.9) == 0.0


def test_infinite_room_allows_any_speed():
    assert allowed_speed(math.inf, 0.1, 0.9) == math.inf


def test_what_comes_towards_the_robot_takes_its_part_of_the_way():
    # 0.306 m/s for 0.1 s and for the 0.34 s of braking.
    assert stopping_distance(0.306, 0.1, 0.9, 0.306) == pytest.approx(0.08262 + 0.306 * 0.44)
    assert allowed_speed(0.03, 0.1, 0.9, 0.306) == 0.0
    assert 0.0 < allowed_speed(0.032, 0.1, 0.9, 0.306) < allowed_speed(0.032, 0.1, 0.9)


@given(st.floats(1e-4, 100.0), st.floats(0.0, 2.0), st.floats(0.05, 10.0), st.just(0.0) | st.floats(0.0, 5.0))
def test_one_is_the_inverse_of_the_other(speed, reaction, deceleration, closing):
    free = stopping_distance(speed, reaction, deceleration, closing)
    # What is left after the reaction may be a rounding error of what was there.
    assert allowed_speed(free, reaction, deceleration, closing) == pytest.approx(speed, rel=1e-6, abs=1e-9)
