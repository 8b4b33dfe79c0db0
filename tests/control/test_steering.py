"""Clear headings and heading control."""

import math

import numpy as np
import pytest
from helpers.scans import scan_of_points
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.heading import drive_towards, slow_in_turns, turn_rate
from arena_trees.control.steering import clear_heading, steer_clear
from arena_trees.robot.geometry import Twist2D

REACH, HALF = 0.5, 0.2


def test_it_is_exactly_the_wanted_heading_where_that_is_clear():
    assert clear_heading(scan_of_points([]), 0.7, REACH, HALF) == 0.7
    assert clear_heading(scan_of_points([(-0.3, 0.0), (2.0, 0.0)]), 0.0, REACH, HALF) == 0.0
    assert clear_heading(scan_of_points([(0.0, 0.45)]), -0.3, REACH, HALF) == -0.3


@pytest.mark.parametrize(("y", "sign"), [(0.1, -1.0), (-0.1, 1.0)])
def test_it_goes_round_on_the_shorter_side(y: float, sign: float) -> None:
    heading = clear_heading(scan_of_points([(0.4, y)]), 0.0, REACH, HALF)
    assert 0.0 < sign * heading <= math.radians(20.0) + 1e-9


def test_a_wall_ahead_is_driven_along_and_there_is_no_heading_where_all_is_blocked():
    wall = [(0.3, 0.02 * k) for k in range(-40, 41)]
    heading = clear_heading(scan_of_points(wall), 0.0, REACH, HALF)
    assert math.radians(60.0) < abs(heading) <= math.pi / 2 + 1e-9
    ring = [(0.3 * math.cos(a), 0.3 * math.sin(a)) for a in np.linspace(-math.pi, math.pi, 90)]
    assert clear_heading(scan_of_points(ring), 0.0, REACH, HALF) is None


def test_the_target_itself_is_no_obstacle() -> None:
    hull = [(0.4 + 0.15 * math.cos(a), 0.15 * math.sin(a)) for a in np.linspace(-math.pi, math.pi, 30)]
    assert clear_heading(scan_of_points(hull), 0.0, REACH, HALF) != 0.0
    assert clear_heading(scan_of_points(hull), 0.0, REACH, HALF, ignore=(0.4, 0.0, 0.16)) == 0.0


def test_what_no_scan_shows_is_driven_round() -> None:
    scan = scan_of_points([])
    round_it = clear_heading(scan, 0.0, REACH, HALF, obstacles=[(0.45, 0.0, 0.17)])
    assert round_it is not None and math.degrees(abs(round_it)) == pytest.approx(60.0)
    assert clear_heading(scan, 0.0, REACH, HALF, obstacles=[(0.9, 0.0, 0.17), (-0.4, 0.0, 0.17)]) == 0.0
    # From so near there is no way on but along it.
    beside = clear_heading(scan, math.radians(60.0), REACH, HALF, obstacles=[(0.3, 0.0, 0.17)])
    assert beside is not None and beside >= math.radians(80.0)


@given(
    st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), max_size=12),
    st.floats(-math.pi, math.pi),
)
def test_the_corridor_of_the_answer_is_free(points: list[tuple[float, float]], bearing: float) -> None:
    heading = clear_heading(scan_of_points(points), bearing, REACH, HALF)
    if heading is None:
        assert points
        return
    assert abs(math.remainder(heading - bearing, math.tau)) <= math.pi / 2 + 1e-9
    for x, y in points:
        along = math.cos(heading) * x + math.sin(heading) * y
        across = abs(math.cos(heading) * y - math.sin(heading) * x)
        assert not (1e-9 < along < REACH - 1e-9 and across < HALF - 1e-9)


def test_the_yaw_rate_is_document_000s() -> None:
    assert turn_rate(0.2, 1.8, 1.2) == pytest.approx(0.36)
    assert turn_rate(-2.0, 1.8, 1.2) == -1.2
    with pytest.raises(ValueError, match="NaN"):
        turn_rate(math.nan, 1.8, 1.2)


@pytest.mark.parametrize(
    ("angular", "speed"), [(0.0, 0.3), (0.6, 0.3 * (1 - 0.45 * 0.5)), (-1.2, 0.3 * 0.55), (5.0, 0.3 * 0.55)]
)
def test_a_turn_takes_its_share_of_the_speed(angular: float, speed: float) -> None:
    assert slow_in_turns(0.3, angular, 1.2, 0.45) == pytest.approx(speed)


def test_beyond_the_gate_the_robot_only_turns_and_its_speed_is_never_negative():
    assert drive_towards(0.56, 0.22, 1.8, 1.2, 0.55, 0.45) == Twist2D(0.0, pytest.approx(1.008))  # type: ignore[arg-type]
    twist = drive_towards(-0.5, 0.22, 1.8, 1.2, 0.55, 0.45)
    assert twist.angular == pytest.approx(-0.9)
    assert twist.linear == pytest.approx(0.22 * (1.0 - 0.45 * 0.75))
    assert slow_in_turns(0.3, 1.2, 1.2, 1.0) == 0.0


def test_it_steers_round_what_is_in_the_way_and_turns_where_no_way_is_free() -> None:
    ring = [(0.3 * math.cos(0.05 * k), 0.3 * math.sin(0.05 * k)) for k in range(126)]
    assert steer_clear(None, 0.2, 0.3, 1.5) == drive_towards(0.2, 0.3, 3.0, 1.5, math.pi / 2, 0.5)
    assert steer_clear(scan_of_points([(0.4, 0.1)]), 0.0, 0.3, 1.5).angular < 0.0
    assert steer_clear(scan_of_points([(0.4, 0.1)]), 0.0, 0.3, 1.5, ignore=(0.4, 0.1, 0.2)) == Twist2D(0.3, 0.0)
    assert steer_clear(scan_of_points(ring), -0.5, 0.3, 1.5) == Twist2D(0.0, -0.75)
