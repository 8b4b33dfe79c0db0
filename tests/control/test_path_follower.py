"""The path follower: within the wheels' limits from anywhere, and at the goal in the end."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.navigation.path_follower import FollowerParameters, PathFollower
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.safety.reckoning import advance

LIMITS = FollowerParameters()
coordinates = st.floats(-3.0, 3.0)
poses = st.builds(Pose2D, coordinates, coordinates, st.floats(-math.pi, math.pi))
paths = st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=8)


@given(poses, paths, st.booleans())
def test_no_wheel_is_asked_for_more_than_it_can_and_the_robot_never_reverses(pose, path, stop) -> None:
    twist = PathFollower().follow(pose, path, stop=stop)
    assert twist.is_finite
    assert 0.0 <= twist.linear <= LIMITS.max_linear
    assert abs(twist.angular) <= LIMITS.max_angular
    assert twist.linear + abs(twist.angular) * LIMITS.half_track <= LIMITS.max_wheel


@given(poses, paths)
def test_the_aim_lies_on_the_path_and_is_its_end_near_the_end(pose, path) -> None:
    follower = PathFollower()
    x, y = follower.aim(pose, path)
    assert min(_gap((x, y), a, b) for a, b in zip(path, [*path[1:], path[-1]], strict=True)) < 1e-6
    at_end = Pose2D(*path[-1])
    assert math.dist(follower.aim(at_end, path[-1:]), path[-1]) == 0.0


def _gap(p, a, b) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    squared = dx * dx + dy * dy
    t = 0.0 if squared == 0.0 else max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / squared))
    return math.hypot(a[0] + t * dx - p[0], a[1] + t * dy - p[1])


@given(poses, coordinates, coordinates)
def test_a_straight_way_is_driven_to_its_end(pose, x, y) -> None:
    follower, path = PathFollower(), [(pose.x, pose.y), (x, y)]
    for _ in range(50 * 60):
        twist = follower.follow(pose, path)
        if twist == ZERO:
            break
        pose = advance(pose, twist, 0.02)
    assert pose.distance_to(x, y) <= LIMITS.goal_tolerance


def test_a_corner_is_followed_within_a_hands_breadth_and_at_speed() -> None:
    path = [(k / 10.0, 0.0) for k in range(21)] + [(2.0, k / 10.0) for k in range(1, 21)]
    follower, pose, worst, ticks = PathFollower(), Pose2D(), 0.0, 0
    while pose.distance_to(2.0, 2.0) > 0.1:
        pose = advance(pose, follower.follow(pose, path), 0.02)
        worst = max(worst, min(math.dist((pose.x, pose.y), point) for point in path))
        ticks += 1
    assert worst < 0.15
    assert ticks * 0.02 < 1.1 * 4.0 / LIMITS.max_linear


def test_what_lies_behind_is_turned_to_on_the_spot_and_the_side_is_kept() -> None:
    follower, path = PathFollower(), [(0.0, 0.0), (-1.0, 0.0)]
    sides = {
        math.copysign(1.0, follower.follow(Pose2D(0.0, 0.0, yaw), path).angular) for yaw in (-0.05, 0.05, -0.03, 0.04)
    }
    assert sides == {-1.0}
    assert follower.follow(Pose2D(), path).linear == 0.0


def test_it_stops_at_the_goal_or_runs_through_it_and_stands_there_and_without_a_path():
    path, pose = [(0.0, 0.0), (1.0, 0.0)], Pose2D(0.93, 0.0)
    assert PathFollower().follow(pose, path).linear == pytest.approx(math.sqrt(2.0 * 0.6 * 0.07), rel=0.01)
    slow = PathFollower(FollowerParameters(deceleration=0.1))
    assert slow.follow(pose, path).linear == pytest.approx(math.sqrt(2.0 * 0.1 * 0.07))
    assert slow.follow(pose, path, stop=False).linear == pytest.approx(0.306, rel=0.01)
    assert PathFollower().follow(Pose2D(), []) == ZERO
    assert PathFollower().follow(Pose2D(), [(1.0, 0.0), (0.03, 0.0)]) == Twist2D()
