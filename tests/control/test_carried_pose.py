"""The carried pose: odometry between estimates, calm against noise, believing what is far off at once."""

import math

import pytest

from arena_trees.control.map_pose_tracker import MapPoseTracker
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, PoseEstimate

TICK = SECOND // 50


def odometry(now: int, pose: Pose2D, twist: Twist2D = ZERO) -> Odometry:
    return Odometry(now, now, now // TICK + 1, pose, twist)


def estimate(now: int, pose: Pose2D, ahead: int = 0) -> PoseEstimate:
    return PoseEstimate(now + ahead, now, now // TICK + 1, pose)


def test_nothing_is_known_before_both_have_come() -> None:
    carried = MapPoseTracker()
    assert carried.pose() is None
    carried.update(TICK, None, odometry(TICK, Pose2D()))
    assert carried.pose() is None
    other = MapPoseTracker()
    other.update(TICK, estimate(TICK, Pose2D()), None)
    assert other.pose() is None


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


def test_a_clock_that_goes_back_begins_anew() -> None:
    carried = MapPoseTracker()
    carried.update(SECOND, estimate(SECOND, Pose2D(1.0)), odometry(SECOND, Pose2D()))
    carried.update(0, None, odometry(0, Pose2D()))
    assert carried.pose() is None
