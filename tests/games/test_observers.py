"""Observers and the judge's figures, on hand-made records."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Point, Polygon

from arena_trees.games.observers import (
    BreachObserver,
    ContactObserver,
    SignChaseObserver,
    StillnessObserver,
    encloses,
)
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Tracking
from arena_trees.robot.record import TickRecord

TICK = SECOND // 50
SQUARE = ((-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0))
HOOK = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 4.0), (2.0, 2.0), (0.0, 2.0))


def record(tracking: Tracking | None = None, cues: tuple[str, ...] = (), active: str = "Chase") -> TickRecord:
    return TickRecord("wolf", 0, 0, (), (), (), ZERO, ZERO, (), b"", active, cues, tracking)


def tracking(raw: float, predicted: float, state: str = "chase") -> Tracking:
    return Tracking(state, raw, raw, 0.0, predicted, 250, 0.02)


@settings(max_examples=200, deadline=None)
@given(x=st.floats(-5, 5), y=st.floats(-5, 5), polygon=st.sampled_from([SQUARE, HOOK, HOOK[::-1]]))
def test_encloses_agrees_with_shapely(x: float, y: float, polygon: tuple[tuple[float, float], ...]):
    other = Polygon(polygon)
    if other.exterior.distance(Point(x, y)) > 1e-9:
        assert encloses(polygon, x, y) is other.contains(Point(x, y))


def test_breaches_are_entries_into_the_outside_and_a_start_there_is_none():
    observer = BreachObserver(SQUARE)
    for x in (0.0, 1.9, 2.1, 2.2, 1.9, -2.5, 0.0):
        observer.observe(Pose2D(x, 0.0), 0.02)
    assert observer.breaches == 2
    assert observer.outside_s == pytest.approx(0.06)
    observer = BreachObserver(SQUARE)
    for x in (2.3, 2.1, 1.9, 2.1):
        observer.observe(Pose2D(x, 0.0), 0.02)
    assert observer.breaches == 1


def test_contacts_are_counted_by_episode_and_kind():
    observer = ContactObserver(("wolf", "rabbit"))
    observer.observe(0, [("wolf", "box_1")])
    observer.observe(10 * TICK, [("box_1", "wolf")])
    observer.observe(10 * TICK + SECOND, [("wolf", "box_1"), ("wolf", "wall"), ("wolf", "rabbit"), ("rabbit", "wolf")])
    assert observer.collisions == 3
    assert observer.robot_contacts == 1
    assert observer.first == (0, ("box_1", "wolf"))


def test_a_long_touch_is_one_episode():
    observer = ContactObserver(("wolf",))
    for tick in range(200):
        observer.observe(tick * TICK, [("wolf", "wall")])
    assert observer.collisions == 1


@pytest.mark.parametrize(
    ("speeds", "delay"),
    [([0.3, 0.2, 0.1, 0.0, 0.0], 0.06), ([0.3, 0.0, 0.02, 0.0], 0.06), ([0.0, 0.009], 0.0), ([0.3, 0.3], None)],
)
def test_stillness_is_the_last_tick_of_motion(speeds: list[float], delay: float | None):
    observer = StillnessObserver(SECOND)
    for tick, speed in enumerate(speeds, start=1):
        observer.observe(SECOND + tick * TICK, [ZERO, Twist2D(-speed, 0.0)])
    assert observer.delay_s == (None if delay is None else pytest.approx(delay))


def test_a_turn_is_motion():
    observer = StillnessObserver(0)
    observer.observe(TICK, [Twist2D(0.0, -0.05)])
    assert observer.delay_s is None


def test_errors_are_taken_against_the_true_column():
    columns = iter([100.0, 150.0, -125.0, None, math.nan])
    observer = SignChaseObserver()
    observer.observe(record(tracking(raw=125.0, predicted=112.5)), lambda: next(columns))
    observer.observe(record(tracking(raw=125.0, predicted=126.0)), lambda: next(columns))
    observer.observe(record(tracking(raw=0.0, predicted=0.0)), lambda: next(columns))
    observer.observe(record(tracking(raw=0.0, predicted=0.0)), lambda: next(columns))
    observer.observe(record(tracking(raw=0.0, predicted=0.0)), lambda: next(columns))
    observer.observe(record(tracking(raw=0.0, predicted=0.0, state="search")), lambda: next(columns))
    observer.observe(record(), lambda: next(columns))
    assert (observer.ticks, observer.outside_ticks, observer.hidden_ticks) == (3, 1, 2)
    assert observer.raw_sum == pytest.approx((25.0 + 25.0 + 125.0) / 125.0)
    assert observer.filtered_sum == pytest.approx((12.5 + 24.0 + 125.0) / 125.0)
    assert observer.deadband_ticks == 1


def test_a_tick_without_a_truth_is_no_tick_without_sight():
    observer = SignChaseObserver()
    observer.observe(record(tracking(1.0, 1.0), cues=("LOST",)), None)
    assert (observer.values()["all_chase_ticks"], observer.lost) == (0, 1)


def test_losses_are_what_the_chase_says():
    observer = SignChaseObserver()
    observer.observe(record(tracking(1.0, 1.0), cues=("CHASE",)), lambda: 1.0)
    observer.observe(record(cues=("LOST",), active="Search"), lambda: 1.0)
    observer.observe(record(cues=("CATCH",)), lambda: 1.0)
    assert observer.lost == 1
