"""Ways out: away from who chases, round what stands in the way, and out of sight."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.control.escape import EscapeSettings, Pursuer, escape_heading

NOTHING = np.zeros((0, 2))
FAST = EscapeSettings(speed=0.3, turn_rate=1.9, half_width=0.21)


def line(start: tuple[float, float], end: tuple[float, float]) -> np.ndarray:
    """Return points each 5 cm along a wall."""
    share = np.linspace(0.0, 1.0, max(2, round(math.dist(start, end) / 0.05)))[:, None]
    return (1.0 - share) * start + share * end


def off(heading: float, wanted: float) -> float:
    return abs(math.remainder(heading - wanted, math.tau))


@pytest.mark.parametrize("bearing", np.linspace(-math.pi, math.pi, 9))
def test_in_the_open_it_runs_the_other_way(bearing: float):
    chased = Pursuer(math.cos(bearing), math.sin(bearing), 0.3)
    heading, worth = escape_heading(NOTHING, [chased], FAST)
    assert off(heading, bearing + math.pi) < math.radians(50.0)
    assert 0.5 < worth < 4.0


def test_between_two_it_runs_across():
    both = [Pursuer(1.0, 0.0, 0.3), Pursuer(-1.0, 0.0, 0.3)]
    heading, _ = escape_heading(NOTHING, both, FAST)
    assert min(off(heading, math.pi / 2), off(heading, -math.pi / 2)) < math.radians(25.0)


def test_it_does_not_run_into_a_wall():
    chased = [Pursuer(-1.0, 0.0, 0.3)]
    heading, _ = escape_heading(line((0.5, -3.0), (0.5, 3.0)), chased, FAST)
    assert off(heading, 0.0) > math.radians(45.0)


def test_who_stands_at_a_wall_leaves_it():
    heading, _ = escape_heading(line((0.1, -2.0), (0.1, 2.0)), [Pursuer(-1.0, -1.0, 0.3)], FAST)
    assert off(heading, math.radians(135.0)) < math.radians(80.0)


def test_it_hides_where_that_is_worth_something():
    # A screen to the left, seen from the pursuer at the right: behind it nobody sees the robot.
    screen = line((-0.2, 0.5), (0.4, 0.5))
    chased = [Pursuer(0.5, -1.5, 0.0)]
    keen = EscapeSettings(speed=0.3, turn_rate=1.9, half_width=0.21, leg_s=4.0, open=0.0, hide=10.0)
    _, hidden = escape_heading(screen, chased, keen)
    _, open_floor = escape_heading(NOTHING, chased, keen)
    assert hidden > 10.0 > open_floor


def test_it_keeps_its_course_where_others_are_as_good():
    chased = [Pursuer(1.0, 0.0, 0.3)]
    left = escape_heading(NOTHING, chased, FAST, before=math.radians(140.0))[0]
    right = escape_heading(NOTHING, chased, FAST, before=math.radians(-140.0))[0]
    assert left >= 0.0 >= right or left == right == math.pi


@given(
    points=st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), max_size=40),
    chasers=st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4), st.floats(0, 1)), min_size=1, max_size=3),
    before=st.none() | st.floats(-math.pi, math.pi),
    hide=st.sampled_from([0.0, 0.5]),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_surroundings_have_an_answer(points, chasers, before, hide):
    given = np.array(points, dtype=np.float64).reshape(-1, 2)
    plan = EscapeSettings(speed=0.3, turn_rate=1.9, half_width=0.21, hide=hide)
    answer = escape_heading(given, [Pursuer(*one) for one in chasers], plan, before)
    assert all(math.isfinite(value) for value in answer)
    assert answer == escape_heading(given, [Pursuer(*one) for one in chasers], plan, before)
