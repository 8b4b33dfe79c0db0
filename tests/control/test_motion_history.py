"""The motion history: where the robot was when an image was taken."""

import math

import pytest

from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Odometry

STEP = SECOND // 20


def sample(k: int, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, v: float = 0.0, w: float = 0.0) -> Odometry:
    return Odometry(k * STEP, k * STEP, k + 1, Pose2D(x, y, wrap(yaw)), Twist2D(v, w))


def test_nothing_is_known_before_the_first_sample() -> None:
    history = OdometryBuffer()
    history.add(None)
    assert history.at(0) is None


def test_between_samples_it_is_interpolated() -> None:
    history = OdometryBuffer()
    history.add(sample(0, 0.0, 0.0, 0.0))
    history.add(sample(1, 0.1, -0.2, 0.4))
    found = history.at(STEP // 4)
    assert (found.x, found.y, found.yaw) == pytest.approx((0.025, -0.05, 0.1))


def test_before_the_oldest_sample_it_is_the_oldest() -> None:
    history = OdometryBuffer(length=3)
    for k in range(10):
        history.add(sample(k, x=0.1 * k))
    assert history.at(0) == Pose2D(pytest.approx(0.7), 0.0, 0.0)  # type: ignore[arg-type]


def test_yaw_is_unwrapped_over_whole_turns() -> None:
    history = OdometryBuffer()
    for k in range(100):
        history.add(sample(k, yaw=0.3 * k))
    late, early = history.at(99 * STEP), history.at(60 * STEP)
    assert late.yaw - early.yaw == pytest.approx(0.3 * 39)
    middle = history.at(90 * STEP + STEP // 2)
    assert late.yaw - middle.yaw == pytest.approx(0.3 * 8.5)


@pytest.mark.parametrize("w", [0.0, 1.2, -1.2])
def test_after_the_newest_sample_it_is_carried_on_along_the_arc(w: float) -> None:
    history = OdometryBuffer()
    history.add(sample(0, yaw=math.pi / 2, v=0.3, w=w))
    found = history.at(SECOND // 10)
    turn = w * 0.1
    x = -0.3 * 0.1 * (0.0 if w == 0.0 else (1.0 - math.cos(turn)) / turn)
    y = 0.3 * 0.1 * (1.0 if w == 0.0 else math.sin(turn) / turn)
    assert (found.x, found.y, found.yaw) == pytest.approx((x, y, math.pi / 2 + turn), abs=1e-4)


def test_a_robot_without_odometry_is_thought_to_stand() -> None:
    history = OdometryBuffer()
    history.add(sample(0, v=0.3))
    soon, late = history.at(SECOND // 5), history.at(60 * SECOND)
    assert soon == late
    assert soon == Pose2D(pytest.approx(0.06), 0.0, 0.0)  # type: ignore[arg-type]


def test_old_and_repeated_samples_are_ignored() -> None:
    history = OdometryBuffer()
    history.add(sample(2, x=0.2))
    history.add(sample(1, x=9.0))
    history.add(sample(2, x=9.0))
    assert history.at(2 * STEP) == Pose2D(0.2, 0.0, 0.0)
