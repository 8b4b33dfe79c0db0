import math

import numpy as np
import pytest
from helpers.examples import given_often
from helpers.scans import scan_of_points
from hypothesis import assume
from hypothesis import strategies as st

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.safety.obstacle import free_path, obstacle_limit, reach, remember
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reckoning import advance
from arena_trees.safety.stopping import stopping_distance

AHEAD = Twist2D(0.3, 0.0)
BACK = Twist2D(-0.15, 0.0)
PARAMETERS = GateParameters()
STILL = Twist2D()


def limit(points, command, *, moved=None, twist=STILL, age_s=0.0, others=0.0):
    """Return the limit for a scan taken at the origin, with the robot moved since."""
    parameters = PARAMETERS.with_changes({"others_speed": others})
    obstacles = remember(parameters, scan_of_points(points), Pose2D(), STILL, 0)
    return obstacle_limit(parameters, obstacles, moved or Pose2D(), twist, command, round(age_s * 1e9))


def free_by_walking(points, curvature, radius, reach=0.5, step=1e-3):
    """Return how far the circle goes, found by walking the arc: the slow and obvious way."""
    way, distances = 0.0, [math.hypot(*p) for p in points]
    while way < reach:
        here = advance(Pose2D(), Twist2D(1.0, curvature), way)
        now = [here.distance_to(*p) for p in points]
        if any(d < radius and d < before - 1e-9 for d, before in zip(now, distances, strict=True)):
            return way
        way, distances = way + step, now
    return math.inf


def test_nothing_near_limits_nothing():
    assert limit([], AHEAD) == 0.3
    assert limit([(3.0, 0.0)], AHEAD) == 0.3


def test_the_robot_stops_before_what_is_ahead():
    # 0.19 m of hull and side margin, 0.05 m left at the end.
    speed = limit([(0.30, 0.0)], AHEAD)
    assert 0.0 < speed < 0.3
    assert stopping_distance(speed, 0.1, 0.9) == pytest.approx(0.30 - 0.19 - 0.05)
    assert limit([(0.24, 0.0)], AHEAD) == 0.0
    assert limit([(-0.24, 0.0)], AHEAD) == 0.3
    assert limit([(-0.24, 0.0)], BACK) == 0.0


def test_what_is_beside_does_not_matter():
    wall = [(x, 0.25) for x in np.linspace(-1, 1, 101)]
    gap = [(x, side) for x in np.linspace(-0.5, 1, 76) for side in (-0.3, 0.3)]
    for points in (wall, gap):
        assert limit(points, AHEAD) == 0.3
        assert limit(points, BACK) == 0.15


def test_a_point_within_the_hull_blocks_only_motion_towards_it():
    assert limit([(0.15, 0.02)], AHEAD) == 0.0
    assert limit([(0.15, 0.02)], Twist2D(0.05, 1.5)) == 0.0
    assert limit([(0.15, 0.02)], BACK) == 0.15
    assert limit([(-0.15, 0.02)], AHEAD) == 0.3


def test_the_robots_own_body_is_ignored():
    assert limit([(0.12, 0.0)], AHEAD) == 0.3


def test_points_are_moved_by_odometry_since_the_scan():
    assert limit([(0.45, 0.0)], AHEAD, age_s=0.3) == 0.3
    nearer = limit([(0.45, 0.0)], AHEAD, moved=Pose2D(0.15, 0.0, 0.0), age_s=0.3)
    assert 0.0 < nearer < 0.3
    turned = limit([(0.15, 0.21)], AHEAD, moved=Pose2D(0.0, 0.0, 0.6), age_s=0.3)
    assert turned < 0.3
    assert limit([(0.15, 0.21)], AHEAD, age_s=0.3) == 0.3


def test_an_odometry_reset_does_not_move_the_points_away():
    assert limit([(0.24, 0.0)], AHEAD, moved=Pose2D(-40.0, 3.0, 1.0), age_s=0.1) == 0.0


def test_a_turn_that_no_base_makes_moves_no_point_away_and_may_have_brought_one_near():
    about = Pose2D(0.0, 0.0, math.pi)
    assert limit([(0.24, 0.0)], AHEAD, moved=about, age_s=0.1) == 0.0
    assert limit([(-0.24, 0.0)], AHEAD, moved=about, age_s=0.1) == 0.0
    assert limit([(-0.24, 0.0)], AHEAD, age_s=0.1) == 0.3


def test_what_moved_in_no_possible_way_may_have_come_nearer():
    """Of 0.45 m of way, 5 cm and what 0.46 m/s make of the scan's age may be gone."""
    reset = {"moved": Pose2D(-40.0, 3.0, 1.0), "age_s": 0.4}
    assert limit([(0.45, 0.0)], AHEAD, **reset) < limit([(0.45, 0.0)], AHEAD, age_s=0.4)


def test_an_older_scan_is_trusted_less():
    assert limit([(0.3, 0.0)], AHEAD, age_s=0.4) < limit([(0.3, 0.0)], AHEAD)


def test_what_may_come_towards_the_robot_takes_its_way_while_it_brakes():
    speed = limit([(0.4, 0.0)], AHEAD, others=0.3)
    assert 0.0 < speed < limit([(0.4, 0.0)], AHEAD)
    assert stopping_distance(speed, 0.1, 0.9, 0.3) == pytest.approx(0.4 - 0.19 - 0.05)
    # What is farther away than all of it, and what is used up before the robot brakes.
    assert limit([(0.6, 0.0)], AHEAD, others=0.3) == 0.3
    assert limit([(0.19 + 0.05 + 0.029, 0.0)], AHEAD, others=0.3) == 0.0


def test_what_may_come_towards_the_robot_takes_its_way_while_the_scan_ages():
    aged = limit([(0.5, 0.0)], AHEAD, others=0.3, age_s=0.2)
    assert aged == pytest.approx(limit([(0.5 - 0.3 * 0.2, 0.0)], AHEAD, others=0.3))
    # What comes more slowly than a scan is trusted less is allowed for anyhow.
    slow = limit([(0.4, 0.0)], AHEAD, others=0.05, age_s=0.2)
    assert slow == pytest.approx(limit([(0.4 - 0.1 * 0.2, 0.0)], AHEAD, others=0.05))


def test_a_point_is_kept_from_as_far_away_as_it_may_matter():
    near, far = (reach(PARAMETERS.with_changes({"others_speed": speed}), 0.5) for speed in (0.0, 0.3))
    assert far - near == pytest.approx(0.3 * (0.1 + 0.306 / 0.9) + (0.3 - 0.1) * 1.0)


def test_the_arc_that_the_base_is_on_counts_too():
    pole = [(0.2, 0.14)]
    turning_away = Twist2D(0.2, -1.5)
    assert limit(pole, turning_away) == 0.2
    assert limit(pole, turning_away, twist=Twist2D(0.2, 0.5)) < 0.15


@given_often(
    200,
    st.lists(st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)), min_size=1, max_size=4),
    st.floats(-8.0, 8.0),
)
def test_free_path_agrees_with_walking(points, curvature):
    radius = 0.19
    # One inside and behind is left to the step in which it comes to lie ahead.
    assume(all(x > 2e-3 or math.hypot(x, y) > radius + 3e-3 for x, y in points))
    # Points on the rim are decided by rounding either way, so the circle is a little wider on either side.
    free = free_path(np.array([p[0] for p in points]), np.array([p[1] for p in points]), curvature, radius)
    wider = free_path(np.array([p[0] for p in points]), np.array([p[1] for p in points]), curvature, radius + 2e-3)
    walked = free_by_walking(points, curvature, radius + 1e-3)
    assert wider - 5e-3 <= walked
    assert walked <= free + 2.5e-2 or free > 0.45
