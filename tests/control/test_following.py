"""Seeing another robot's hull, tracking it, and the speed behind it."""

import math

import numpy as np
import pytest
from helpers.scans import Segments, cast, scan, scan_of_points
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.control.following import follow_directly, following_speed
from arena_trees.control.hull_finder import find_hulls, unhidden
from arena_trees.control.leader_tracker import LeaderTracker, TrackerSettings
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

RADIUS = 0.17
LONG = np.asarray([[-50.0, -0.65, 50.0, -0.65]])
SCAN = SECOND // 8


def with_hull(walls: Segments, x: float, y: float, noise: float, seed: int) -> Scan:
    """Return a scan of walls and of a hull about a place, base_link."""
    ranges = cast(walls, Pose2D()).astype(float)
    angle = -math.pi + math.tau / len(ranges) * np.arange(len(ranges))
    along, aside = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    with np.errstate(invalid="ignore"):
        hull = np.where((along > 0.0) & (np.abs(aside) < RADIUS), along - np.sqrt(RADIUS**2 - aside**2), math.inf)
    return scan(np.minimum(ranges, hull) + noise * np.random.default_rng(seed).standard_normal(len(ranges)))


def finds(x: float, y: float, noise: float, seed: int) -> bool:
    found = find_hulls(with_hull(LONG, x, y, noise, seed), RADIUS, 2.0, 0.09)
    return any(math.dist((hull.x, hull.y), (x, y)) < 0.08 for hull in found)


@given(st.floats(0.45, 1.5), st.floats(-0.1, math.pi + 0.1))
def test_a_hull_is_found_where_it_is_and_a_wall_is_none(far, bearing):
    assert finds(far * math.cos(bearing), far * math.sin(bearing), 0.0, 0)
    assert not find_hulls(with_hull(LONG, 100.0, 100.0, 0.0, 0), RADIUS, 2.0, 0.09)


@pytest.mark.parametrize(("noise", "least"), [(0.02, 58), (0.03, 55), (0.05, 40)])
def test_noise_hides_it_in_few_scans(noise, least):
    assert sum(finds(0.6 + seed / 75.0, 0.1, noise, seed) for seed in range(60)) >= least


def test_a_piece_of_a_wall_behind_something_nearer_is_no_hull():
    piece = [(1.5, y / 100.0) for y in range(-15, 16)]
    blind = [(0.7, y / 100.0) for y in range(8, 60)]
    assert len(find_hulls(scan_of_points(piece), RADIUS, 2.0, 0.09)) == 1
    assert not find_hulls(scan_of_points([*piece, *blind]), RADIUS, 2.0, 0.09)


def test_what_a_wall_hides_is_told_by_the_other_scan():
    robots = scan_of_points([(2.0, 0.0), (2.0, 1.0)])
    walls = scan_of_points([(1.0, 0.02), (3.0, 1.5)])
    assert unhidden(robots, walls, math.radians(4.0), 0.0).tolist() == [False, True]
    # A ray of the wall that got lost opens it for one direction alone, and not for its neighbours together.
    beside = scan_of_points([(1.0, 0.06)])
    assert unhidden(robots, beside, math.radians(4.0), 0.0).tolist() == [True, True]
    assert unhidden(robots, beside, math.radians(12.0), 0.0).tolist() == [False, True]


def track(settings: TrackerSettings, *places: list[tuple[float, float]]) -> LeaderTracker:
    tracker = LeaderTracker()
    for number, seen in enumerate(places):
        tracker.update(number * SCAN, seen, [0.02] * len(seen), settings)
    return tracker


def test_the_one_that_moves_is_the_leader_and_is_given_up_when_it_is_gone():
    settings = TrackerSettings(speed=0.31, acceleration=0.26, gate=0.34, moved=0.25)
    pillar = (1.0, 1.0)
    seen = [[pillar, (0.18 * number / 8, 0.0)] for number in range(24)]
    assert track(settings, *([pillar] for _ in range(24))).leader(23 * SCAN, settings) is None
    tracker = track(settings, *seen)
    leader = tracker.leader(23 * SCAN, settings)
    assert leader is not None and leader.at(23 * SCAN)[0] == pytest.approx(0.18 * 23 / 8, abs=0.02)
    assert leader.vx == pytest.approx(0.18, abs=0.03) and abs(leader.vy) < 0.02
    # Between two scans, and where one lost it, it is carried on.
    assert leader.at(25 * SCAN)[0] == pytest.approx(0.18 * 25 / 8, abs=0.03)
    for number in range(24, 32):
        tracker.update(number * SCAN, [pillar], [0.02], settings)
    assert tracker.leader(31 * SCAN, settings) is None


def test_a_leader_is_not_carried_on_for_longer_than_it_was_seen():
    settings = TrackerSettings(speed=1.8, acceleration=1.5, gate=0.9, moved=0.0, hits=2)
    brief, long = (track(settings, *([(0.18 * number, 0.0)] for number in range(scans))) for scans in (2, 24))
    assert brief.leader(SCAN + SCAN, settings) is not None
    assert brief.leader(SCAN + SCAN + 1, settings) is None
    assert long.leader(23 * SCAN + round(settings.coast_s * SECOND), settings) is not None
    assert long.leader(23 * SCAN + round(settings.coast_s * SECOND) + 1, settings) is None
    # It is still the same one where it is found again soon.
    long.update(27 * SCAN, [(0.18 * 27, 0.0)], [0.02], settings)
    leader = long.leader(27 * SCAN, settings)
    assert leader is not None and leader.hits == 25


@given(st.floats(0.1, 4.0), st.floats(0.0, 1.8))
def test_a_gap_comes_to_rest_where_it_is_wanted(gap, leader):
    for _ in range(400):
        gap += (leader - following_speed(gap, 1.0, leader, 2.0, 2.9, 1.75)) * 0.02
    assert gap == pytest.approx(1.0, abs=0.02)


@given(st.floats(0.2, 4.0), st.floats(0.0, 1.7))
def test_behind_a_robot_that_drives_the_reports_gap_is_wider(gap, leader):
    for _ in range(2000):
        gap = max(0.05, gap + (leader - follow_directly(gap, 0.0, 2.8875, 3.455, 1.0, 1.65).linear) * 0.02)
    assert gap == pytest.approx(1.0 / (1.0 - leader / 2.8875), rel=0.05)


def test_nearer_than_a_metre_the_report_backs_off():
    assert follow_directly(0.8, 0.0, 2.8875, 3.455, 1.0, 1.65).linear < 0.0
    assert follow_directly(0.1, 0.5, 2.8875, 3.455, 1.0, 1.65).linear == -2.8875
    assert follow_directly(2.0, -0.5, 2.8875, 3.455, 1.0, 1.65).angular == pytest.approx(-0.825)
