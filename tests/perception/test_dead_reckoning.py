"""Dead reckoning: the start and odometry."""

import math

import pytest

from arena_trees.perception.dead_reckoning import DeadReckoning
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.percepts import Odometry


def odometry(number: int, x: float, y: float, yaw: float) -> Odometry:
    return Odometry(number * 50, number * 50, number, Pose2D(x, y, yaw), ZERO)


def test_it_composes_the_start_with_what_odometry_has_moved_since():
    reckoning = DeadReckoning(Pose2D(1.0, 2.0, math.pi / 2.0))
    assert reckoning.update(0, None) is None
    first = reckoning.update(50, odometry(1, 5.0, 5.0, 1.0))
    assert first is not None and first.pose == Pose2D(1.0, 2.0, math.pi / 2.0)
    moved = reckoning.update(100, odometry(2, 5.0 + math.cos(1.0), 5.0 + math.sin(1.0), 1.5))
    assert moved is not None and moved.stamp == 100
    assert (moved.pose.x, moved.pose.y, moved.pose.yaw) == pytest.approx((1.0, 3.0, math.pi / 2.0 + 0.5))
    assert reckoning.update(120, odometry(2, 9.0, 9.0, 0.0)) is moved
    assert not reckoning.lost and "odometry" in reckoning.report()["source"]


def test_a_clock_that_goes_back_begins_at_the_start_again_which_must_be_finite():
    reckoning = DeadReckoning(Pose2D(1.0, 0.0, 0.0))
    reckoning.update(50, odometry(1, 0.0, 0.0, 0.0))
    reckoning.update(100, odometry(2, 1.0, 0.0, 0.0))
    again = reckoning.update(50, odometry(1, 7.0, 0.0, 0.0))
    assert again is not None and again.pose == Pose2D(1.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="finite"):
        DeadReckoning(Pose2D(math.nan, 0.0, 0.0))
