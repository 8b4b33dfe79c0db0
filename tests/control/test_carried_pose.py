"""Poses carried on by odometry: between estimates and calm against noise, and where a robot was at an instant."""

import math

import pytest

from arena_trees.control.map_pose_tracker import MapPoseTracker
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Odometry, PoseEstimate

TICK = SECOND // 50


def odometry(now: int, pose: Pose2D, twist: Twist2D = ZERO) -> Odometry:
    return Odometry(now, now, now // TICK + 1, pose, twist)


def estimate(now: int, pose: Pose2D, ahead: int = 0) -> PoseEstimate:
    return PoseEstimate(now + ahead, now, now // TICK + 1, pose)


def test_nothing_is_known_before_both_have_come_and_a_clock_that_goes_back_begins_anew():
    carried = MapPoseTracker()
    assert carried.pose() is None
    carried.update(TICK, None, odometry(TICK, Pose2D()))
    assert carried.pose() is None
    other = MapPoseTracker()
    other.update(TICK, estimate(TICK, Pose2D()), None)
    assert other.pose() is None
    carried = MapPoseTracker()
    carried.update(SECOND, estimate(SECOND, Pose2D(1.0)), odometry(SECOND, Pose2D()))
    carried.update(0, None, odometry(0, Pose2D()))
    assert carried.pose() is None


@pytest.mark.parametrize("ahead", [0, SECOND // 10])
def test_odometry_carries_the_pose_on(ahead: int) -> None:
    """An estimate in another frame, turned by 90 degrees, whose stamp may lie ahead of its arrival."""
    carried = MapPoseTracker()
    carried.update(0, estimate(0, Pose2D(5.0, 5.0, math.pi / 2), ahead), odometry(0, Pose2D(1.0, 0.0, 0.0)))
    carried.update(SECOND, None, odometry(SECOND, Pose2D(2.0, 0.0, 0.0), Twist2D(0.3)))
    pose = carried.pose()
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((5.0, 6.0, math.pi / 2))
    carried.update(SECOND + 5 * TICK, None, None)
    assert carried.pose().y == pytest.approx(6.03)


def test_a_jump_within_bounds_takes_effect_slowly_and_a_far_one_at_once() -> None:
    carried = MapPoseTracker(calm_s=1.0, jump_m=0.4)
    for k in range(50):
        carried.update(k * TICK, estimate(k * TICK, Pose2D()), odometry(k * TICK, Pose2D()))
    carried.update(50 * TICK, estimate(50 * TICK, Pose2D(0.1)), odometry(50 * TICK, Pose2D()))
    assert 0.0 < carried.pose().x < 0.01
    for k in range(51, 400):
        carried.update(k * TICK, estimate(k * TICK, Pose2D(0.1)), odometry(k * TICK, Pose2D()))
    assert carried.pose().x == pytest.approx(0.1, abs=1e-3)
    carried.update(400 * TICK, estimate(400 * TICK, Pose2D(1.0)), odometry(400 * TICK, Pose2D()))
    assert carried.pose().x == pytest.approx(1.0)


def test_while_odometry_is_silent_estimates_are_believed_and_nothing_is_counted_twice_after() -> None:
    carried = MapPoseTracker()
    origin, step = Pose2D(2.0, 1.0, math.pi / 2), Pose2D(0.3 * 0.02)
    driven = Pose2D()
    for k in range(300):
        now, silent = k * TICK, 50 <= k < 200
        driven = driven.compose(step)
        reported = None if silent else odometry(now, driven, Twist2D(0.3))
        carried.update(now, estimate(now, origin.compose(driven)) if k % 5 == 0 else None, reported)
        late = 0.06 + 1e-9 if silent and k < 65 else 5 * 0.3 * 0.02 if silent else 1e-9
        true = origin.compose(driven)
        assert carried.pose().distance_to(true.x, true.y) <= late, k


STEP = SECOND // 20


def sample(k: int, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, v: float = 0.0, w: float = 0.0) -> Odometry:
    return Odometry(k * STEP, k * STEP, k + 1, Pose2D(x, y, wrap(yaw)), Twist2D(v, w))


def test_nothing_is_known_before_the_first_sample_and_between_samples_it_is_interpolated():
    history = OdometryBuffer()
    history.add(None)
    assert history.at(0) is None
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
