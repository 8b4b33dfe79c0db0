"""The bump memory: what was run into twice at one place is there, for a while."""

from __future__ import annotations

import math

import pytest

from arena_trees.control.bump_memory import BumpMemory
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D

HERE = Pose2D(1.0, 2.0, math.pi / 2.0)
AHEAD = ("bump_front_center",)


def memory() -> BumpMemory:
    return BumpMemory(0.17, 0.15, 60.0)


def test_one_bump_is_none_and_a_second_one_there_an_obstacle_before_the_hull() -> None:
    felt = memory()
    assert felt.feel(0, AHEAD, HERE)
    assert not felt.feel(SECOND // 50, AHEAD, HERE)
    assert felt.obstacles(HERE) == ()
    assert not felt.feel(SECOND, (), HERE)
    assert felt.feel(2 * SECOND, AHEAD, HERE)
    assert felt.obstacles(HERE) == (pytest.approx((0.32, 0.0, 0.15)),)
    # Turned by a quarter to the left, the robot has it on its right.
    assert felt.obstacles(Pose2D(1.0, 2.0, math.pi)) == (pytest.approx((0.0, -0.32, 0.15)),)


def test_a_bumper_that_stays_pressed_counts_again() -> None:
    felt = memory()
    counted = [felt.feel(tick * SECOND // 50, AHEAD, HERE) for tick in range(120)]
    assert sum(counted) == 3
    assert len(felt.obstacles(HERE)) == 1


def test_bumps_at_two_places_are_two_things() -> None:
    felt = memory()
    felt.feel(0, AHEAD, HERE)
    felt.feel(SECOND // 50, (), HERE)
    felt.feel(SECOND // 25, AHEAD, Pose2D(1.0, 3.0, math.pi / 2.0))
    assert felt.obstacles(HERE) == ()


@pytest.mark.parametrize(("zones", "bearing"), [(("bump_left",), 72.0), (("bump_front_right", "bump_right"), -54.0)])
def test_it_lies_where_the_bumper_was_pressed(zones: tuple[str, ...], bearing: float) -> None:
    felt = memory()
    for now in (0, SECOND):
        felt.feel(now, zones, Pose2D())
    ((x, y, _),) = felt.obstacles(Pose2D())
    assert math.degrees(math.atan2(y, x)) == pytest.approx(bearing)


def test_it_is_forgotten_after_a_while_and_when_the_clock_goes_back() -> None:
    felt = memory()
    for now in (100 * SECOND, 102 * SECOND):
        felt.feel(now, AHEAD, HERE)
    felt.feel(162 * SECOND, (), HERE)
    assert len(felt.obstacles(HERE)) == 1
    felt.feel(162 * SECOND + 1, (), HERE)
    assert felt.obstacles(HERE) == ()
    for now in (200 * SECOND, 202 * SECOND, 10 * SECOND):
        felt.feel(now, AHEAD, HERE)
    assert felt.obstacles(HERE) == ()
