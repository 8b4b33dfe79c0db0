"""Laws that follow walls, on scans of walls made by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.scans import Segments, cast, clearance, scan, scan_of_points
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.wall_curve import WallCurve, drive_along
from arena_trees.control.wall_layers import keep_clear, keep_distance, round_corner, wander
from arena_trees.control.wall_pid import WallPid, WallPidSettings
from arena_trees.control.wall_rays import WallRays
from arena_trees.control.wall_rules import RuleSettings, follow_by_rules
from arena_trees.control.wheel_speed import within_wheels
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.scan import Scan

IDEAL, REACH, GAP = 1.75, 1.1, 1.05
RULES = RuleSettings(IDEAL, 0.45, 1.75, 2.094)
PID = WallPidSettings(IDEAL, 1.75, 2.094, 1.0, 0.0, 1.0)
SQUARE = np.asarray([[0.0, 0.0, 6.0, 0.0], [6.0, 0.0, 6.0, 6.0], [6.0, 6.0, 0.0, 6.0], [0.0, 6.0, 0.0, 0.0]])
"""A block of 6 x 6 m; its corners are convex from outside and concave from inside."""
LONG = np.asarray([[-50.0, 0.0, 50.0, 0.0]])


def look(walls: Segments, pose: Pose2D, seed: int = 0, noise: float = 0.0, lost: float = 0.0, beams: int = 90) -> Scan:
    """Return what a LiDAR sees, with noise (m), and without a share of its rays."""
    random = np.random.default_rng(seed)
    ranges = cast(walls, pose, beams) + noise * random.standard_normal(beams)
    ranges[random.random(beams) < lost] = math.inf
    return scan(np.maximum(ranges, 0.06))


def drive(walls: Segments, pose: Pose2D, side: float, seconds: float, noise: float, seed: int) -> list[float]:
    """Return the distances (m) from the walls of a point that follows them for a time, with a scan in each step."""
    found, dt = [], 0.05
    for step in range(round(seconds / dt)):
        curve = WallCurve.fitted(look(walls, pose, seed + step, noise, 0.05), GAP)
        course = curve.course(side, IDEAL, REACH)
        twist = drive_along(course, REACH, 1.75, 2.094, math.radians(40.0))
        half = twist.angular * dt / 2.0
        pose = pose.compose(Pose2D(twist.linear * dt * math.cos(half), twist.linear * dt * math.sin(half), 2.0 * half))
        found.append(clearance(walls, pose))
    return found


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_ours_keeps_its_distance_round_a_block_on_either_side(side, noise):
    far = drive(SQUARE, Pose2D(3.0, -2.5, 2.0), side, 30.0, noise, 1)
    assert max(abs(distance - IDEAL) for distance in far[60:]) < 0.15


def test_ours_keeps_its_distance_within_a_room():
    inside = np.asarray(
        [[-5.0, -4.0, 5.0, -4.0], [5.0, -4.0, 5.0, 4.0], [5.0, 4.0, -5.0, 4.0], [-5.0, 4.0, -5.0, -4.0]]
    )
    far = drive(inside, Pose2D(0.0, 0.0, 0.4), -1.0, 30.0, 0.05, 5)
    assert max(abs(distance - IDEAL) for distance in far[80:]) < 0.3


@given(st.floats(0.5, 4.0), st.floats(-math.pi, math.pi), st.sampled_from([-1.0, 1.0]))
def test_a_left_wall_is_a_right_wall_in_a_mirror(distance, yaw, side):
    here = look(LONG, Pose2D(0.0, distance, yaw))
    mirrored = scan_of_points(list(zip(here.x.tolist(), (-here.y).tolist(), strict=True)))
    one = WallCurve.fitted(here, GAP).course(side, IDEAL, REACH)
    other = WallCurve.fitted(mirrored, GAP).course(-side, IDEAL, REACH)
    assert one is not None and other is not None
    assert math.cos(one + other) == pytest.approx(1.0, abs=1e-3)


@given(st.floats(0.8, 6.0), st.floats(-math.pi, math.pi), st.integers(0, 1000))
def test_the_fitted_distance_is_that_of_the_wall_despite_noise(distance, yaw, seed):
    curve = WallCurve.fitted(look(LONG, Pose2D(0.0, distance, yaw), seed, 0.03, 0.05, beams=640), GAP)
    assert curve.nearest()[0] == pytest.approx(distance, abs=0.08)


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_a_curve_is_carried_on_as_a_scan_would_be(x, y, yaw):
    pose = Pose2D(0.0, 2.0, 0.3)
    curve = WallCurve.fitted(look(LONG, pose), GAP).seen_from(Pose2D(x, y, yaw))
    wanted = math.hypot(x, y)  # The point where it was seen from, as it is seen now.
    place = np.asarray([[0.0, 0.0]])
    back = Pose2D(x, y, yaw).relative(Pose2D())
    assert curve.distances(np.asarray([[back.x, back.y]]))[0] == pytest.approx(2.0, abs=0.02)
    assert np.hypot(back.x, back.y) == pytest.approx(wanted)
    assert curve.distances(place)[0] >= 0.0


def test_nothing_to_follow_is_no_course():
    curve = WallCurve.fitted(scan([math.inf] * 90), GAP)
    assert curve.empty and curve.course(-1.0, IDEAL, REACH) is None
    assert curve.distances(np.zeros((1, 2)))[0] == math.inf


def test_from_far_it_goes_to_the_wall_and_from_too_near_away():
    for distance, bearing in ((5.0, -math.pi / 2.0), (0.4, math.pi / 2.0)):
        course = WallCurve.fitted(look(LONG, Pose2D(0.0, distance, 0.0)), GAP).course(-1.0, IDEAL, REACH)
        assert course == pytest.approx(bearing, abs=0.1)


@given(st.floats(-math.pi, math.pi), st.floats(0.1, 5.0))
def test_no_arc_is_faster_than_it_may_be(course, speed):
    twist = drive_along(course, REACH, speed, 2.094, math.radians(40.0))
    assert 0.0 <= twist.linear <= speed and abs(twist.angular) <= 2.094 + 1e-9
    assert twist.angular * course >= 0.0


@given(st.floats(-2.0, 2.0), st.floats(-4.0, 4.0))
def test_wheels_keep_the_arc(linear, angular):
    twist = within_wheels(Twist2D(linear, angular), 0.306, 0.1165)
    assert abs(twist.linear) + 0.1165 * abs(twist.angular) <= 0.306
    assert twist.linear * angular == pytest.approx(twist.angular * linear)


def rays(front=math.inf, beside=math.inf, between=math.inf, mean=3.0, **more) -> WallRays:
    near = {"nearest": min(front, beside, between), "aside": math.pi / 2.0, "ahead": front}
    return WallRays(front, beside, between, mean, **{**near, "sector": min(front, between), "stamp": 0, **more})


def test_rays_are_those_of_the_report_and_mirror_with_the_side():
    right = WallRays.of(look(LONG, Pose2D(0.0, 2.0, 0.0)))
    left = WallRays.of(look(LONG, Pose2D(0.0, 2.0, math.pi)), side=1.0)
    for seen in (right, left):
        # The nearest rays of 4 degrees lie up to 2 degrees beside.
        assert seen.beside == pytest.approx(2.0, abs=0.01)
        assert seen.between == pytest.approx(2.0 / math.cos(math.radians(30.0)), abs=0.1)
        assert seen.front == math.inf and seen.nearest == pytest.approx(2.0, abs=0.01)
        assert seen.aside == pytest.approx(math.pi / 2.0, abs=math.radians(3.0))
    assert WallRays.of(scan([math.inf] * 90)).mean == math.inf


@pytest.mark.parametrize(
    ("seen", "twist", "case"),
    [
        (rays(front=1.7, beside=1.0), Twist2D(0.0, 2.094), "blocked"),
        (rays(), Twist2D(0.0, -2.094), "no wall"),
        (rays(beside=2.0, between=1.5), Twist2D(0.7 * 1.75, 0.5), "curve"),
        (rays(beside=2.75, between=3.2), Twist2D(0.5 * 1.75, -1.0), "far"),
        (rays(beside=1.25, between=1.5), Twist2D(0.5 * 1.75, 0.5), "near"),
        (rays(beside=1.65, between=1.9), Twist2D(1.75, 0.35), "ideal"),
    ],
)
def test_rules_have_five_cases_in_their_order(seen, twist, case):
    found, name = follow_by_rules(seen, RULES)
    assert name == case
    assert (found.linear, found.angular) == pytest.approx((twist.linear, twist.angular))


def turned(law: WallPid, settings: WallPidSettings, *means: float) -> float:
    """Return the yaw rate (rad/s) after means a tenth of a second apart."""
    twist = Twist2D()
    for number, mean in enumerate(means, 1):
        twist = law.update(rays(mean=mean, stamp=number * SECOND // 10), settings)
    return twist.angular


def test_as_written_the_pd_law_turns_to_the_wall_from_too_near_and_corrected_away():
    corrected = WallPidSettings(IDEAL, 1.75, 2.094, 1.0, 0.0, 1.0, corrected=True)
    assert turned(WallPid(), PID, 1.25, 1.25, 1.25) == pytest.approx(-0.5)
    assert turned(WallPid(), corrected, 1.25, 1.25, 1.25) == pytest.approx(0.5)
    # Too far, they are one law.
    assert turned(WallPid(), PID, 2.6, 2.6, 2.6) == pytest.approx(turned(WallPid(), corrected, 2.6, 2.6, 2.6))


def test_corrected_the_derivative_does_not_jump():
    step, jump = (1.75, 1.75, 1.80), (1.75, 1.75, 2.75)
    corrected = WallPidSettings(IDEAL, 1.75, 2.094, 0.0, 0.0, 1.0, corrected=True)
    written = WallPidSettings(IDEAL, 1.75, 2.094, 0.0, 0.0, 1.0)
    assert turned(WallPid(), written, *step) == pytest.approx(-0.5)
    assert turned(WallPid(), corrected, *step) == pytest.approx(-0.3)
    # No wall comes nearer, or goes, as fast as that.
    assert turned(WallPid(), written, *jump) == pytest.approx(-2.094)
    assert turned(WallPid(), corrected, *jump) == pytest.approx(-0.6 * 0.35 * 1.75)


def test_corrected_the_mean_counts_within_a_band_and_turns_to_the_wall_no_faster_than_round_its_end():
    settings = WallPidSettings(IDEAL, 1.75, 20.0, 1.0, 0.0, 1.0, corrected=True)
    band = 0.5 * 1.75
    assert turned(WallPid(), settings, 1.0, 1.0) == pytest.approx(IDEAL - 1.0)
    assert turned(WallPid(), settings, 6.0, 6.0) == pytest.approx(-band)
    # Beyond it a jump is none.
    assert turned(WallPid(), settings, 6.0, 6.0, 4.0) == pytest.approx(-band)
    assert turned(WallPid(), replace(settings, corrected=False), 6.0, 6.0, 4.0) > 0.0
    settings = WallPidSettings(IDEAL, 1.4, 2.094, 5.0, 0.0, 5.0, corrected=True)
    assert turned(WallPid(), settings, 6.0, 6.0) == pytest.approx(-1.4 / IDEAL)
    assert turned(WallPid(), settings, 0.6, 0.6) == pytest.approx(2.094)
    assert turned(WallPid(), replace(settings, corrected=False), 6.0, 6.0) == pytest.approx(-2.094)


def test_the_integral_adds_up_over_scans_and_not_over_calls():
    settings = WallPidSettings(IDEAL, 1.75, 2.094, 0.0, 1.0, 0.0, corrected=True)
    law = WallPid()
    first = turned(law, settings, 1.25, 1.25, 1.25)
    assert first == pytest.approx(0.1)
    for _ in range(50):
        assert law.update(rays(mean=1.25, stamp=3 * SECOND // 10), settings).angular == first
    law.reset()
    assert turned(law, settings, 1.25, 1.25, 1.25) == pytest.approx(first)


def test_what_is_ahead_overrides_the_pd_law():
    blocked = WallPid().update(rays(front=1.6, mean=5.0), PID)
    assert (blocked.linear, blocked.angular) == pytest.approx((1.75 * (1.0 - 1.0 / 1.6), 2.094))
    assert WallPid().update(rays(front=0.8, mean=5.0), PID).linear < 0.0
    assert WallPid().update(rays(mean=math.inf), PID) == Twist2D(0.0, 2.094)
    # A corner between the two rays is seen by the corrected law alone.
    corner = rays(mean=5.0, sector=1.2)
    assert WallPid().update(corner, PID).linear == 1.75
    corrected = WallPidSettings(IDEAL, 1.75, 2.094, 1.0, 0.0, 1.0, corrected=True)
    assert WallPid().update(corner, corrected).linear < 0.4


def test_layers_leave_the_robot_to_the_next():
    beside = rays(beside=IDEAL, between=2.0)
    assert keep_clear(rays(front=1.0), RULES) == Twist2D(0.0, 2.094)
    assert keep_clear(beside, RULES) is None and round_corner(beside, RULES) is None
    assert keep_distance(beside, RULES) == Twist2D(1.75, 0.0)
    ended = round_corner(rays(beside=5.0, nearest=IDEAL), RULES)
    assert ended is not None and ended.angular < 0.0 < ended.linear
    assert keep_distance(rays(), RULES) is None
    assert wander(rays(), RULES) == Twist2D(1.75, 0.0)
    far, near = keep_distance(rays(beside=2.5), RULES), keep_distance(rays(beside=1.2), RULES)
    assert far is not None and near is not None and far.angular < 0.0 < near.angular
