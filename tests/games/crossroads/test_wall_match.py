"""Scans laid on the walls of a crossing."""

import math

import numpy as np
import pytest
from helpers.crossing_drive import FLOOR, HULL, outlines, see

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import CrossingParameters, Movement
from arena_trees.games.crossroads.layout.words import Approach, Turn
from arena_trees.games.crossroads.localisation.wall_match import REACH, WallMatch, WallMatcher
from arena_trees.robot.geometry import Pose2D, wrap

MATCHER = WallMatcher(FLOOR)
LONG = CrossingFloor(CrossingParameters(size=12.0))
WIDE = 0.4
NONE = np.zeros(0)


def place(rng: np.random.Generator, turn: Turn) -> Pose2D:
    """Return a pose anywhere on the way through the crossing, a little beside it."""
    path = Movement(Approach.SOUTH, turn, FLOOR.crossing).path
    aside = Pose2D(0.0, rng.normal(0.0, 0.04), rng.normal(0.0, 0.08))
    return path.pose(float(rng.uniform(-1.9, path.length + 1.0))).compose(aside)


def robots(rng: np.random.Generator, pose: Pose2D) -> tuple[tuple[float, float], ...]:
    """Return up to four robots around a pose, no nearer to walls than they come."""
    around = zip(rng.uniform(0.5, 1.5, 4), rng.uniform(-math.pi, math.pi, 4), strict=True)
    places = [(pose.x + far * math.cos(angle), pose.y + far * math.sin(angle)) for far, angle in around]
    return tuple((x, y) for x, y in places if min(abs(x), abs(y)) < 0.675 - HULL - 0.18)


def error(match: WallMatch, expected: Pose2D, pose: Pose2D) -> np.ndarray:
    x, y, yaw = match.correction
    return np.array([expected.x + x - pose.x, expected.y + y - pose.y, wrap(expected.yaw + yaw - pose.yaw)])


@pytest.mark.parametrize("turn", list(Turn))
def test_a_robot_that_was_put_down_badly_is_found(turn):
    for seed in range(1000, 1040):
        rng = np.random.default_rng(seed)
        pose = place(rng, turn)
        angle = float(rng.uniform(-math.pi, math.pi))
        turned = math.radians(8.0) * float(rng.choice([-1, 1]))
        expected = Pose2D(pose.x + 0.15 * math.cos(angle), pose.y + 0.15 * math.sin(angle), pose.yaw + turned)
        scan = see(pose, rng, robots(rng, pose))
        match = MATCHER.match(scan.x, scan.y, expected, WIDE)
        assert np.abs(error(match, expected, pose)[:2]).max() < 0.012
        assert abs(error(match, expected, pose)[2]) < math.radians(0.3)
        assert match.rms < 0.015


def test_errors_are_no_larger_than_the_information_says():
    squares, errors = [], []
    for seed in range(1000, 1150):
        rng = np.random.default_rng(seed)
        pose = place(rng, Turn.LEFT)
        expected = pose.compose(Pose2D(*rng.normal(0.0, 0.01, 2), rng.normal(0.0, 0.01)))
        scan = see(pose, rng, robots(rng, pose))
        match = MATCHER.match(scan.x, scan.y, expected)
        errors.append(error(match, expected, pose))
        squares.append(float(errors[-1] @ match.information @ errors[-1]))
        assert np.linalg.eigvalsh(match.information).min() > -1e-6
    assert np.mean(squares) < 1.0
    assert np.sqrt(np.mean(np.square(errors), axis=0))[:2].max() < 0.003


def test_more_beams_do_not_make_it_certain():
    """Neighbouring beams hit the same piece of wall: the floor of what is known is far above what counting gives."""
    pose = Pose2D(0.3, -0.2, math.pi / 2)
    scan = see(pose, np.random.default_rng(1000))
    match = MATCHER.match(scan.x, scan.y, pose)
    many = MATCHER.match(np.tile(scan.x, 4), np.tile(scan.y, 4), pose)
    for found in (match, many):
        sigmas = np.sqrt(np.diag(np.linalg.inv(found.information)))
        assert (sigmas >= (0.004, 0.004, 0.003)).all()
    assert np.linalg.eigvalsh(many.information).max() < 1.5 * np.linalg.eigvalsh(match.information).max()


@pytest.mark.parametrize("yaw", [math.pi / 2, 0.4])
def test_along_a_corridor_walls_tell_nothing(yaw):
    rng = np.random.default_rng(1000)
    pose = Pose2D(0.28, -8.0, yaw)
    expected = Pose2D(0.25, -8.06, yaw + 0.02)
    scan = see(pose, rng, walls=outlines(LONG))
    match = WallMatcher(LONG).match(scan.x, scan.y, expected)
    assert error(match, expected, pose)[0] == pytest.approx(0.0, abs=0.004)
    assert error(match, expected, pose)[2] == pytest.approx(0.0, abs=0.004)
    assert match.correction[1] == pytest.approx(0.0, abs=1e-6)
    assert np.abs(match.information[1]).max() == pytest.approx(0.0, abs=1e-6)
    assert match.information[0, 0] > 1e4


def test_other_robots_are_no_walls():
    pose = Pose2D(0.3, -1.5, math.pi / 2)
    near_walls = ((0.675 - HULL - 0.18, -0.9), (-0.675 + HULL + 0.18, -1.9), (0.3, -2.1))
    bare, full = (see(pose, np.random.default_rng(1000), discs) for discs in ((), near_walls))
    expected = pose.compose(Pose2D(0.01, 0.02, 0.01))
    alone = MATCHER.match(bare.x, bare.y, expected)
    among = MATCHER.match(full.x, full.y, expected)
    assert among.points < alone.points - 50
    assert error(among, expected, pose) == pytest.approx(error(alone, expected, pose), abs=0.004)


def test_the_wall_across_a_crossing_of_three_arms_is_one():
    floor = CrossingFloor(CrossingParameters(approaches=3, size=3.0))
    pose = Pose2D(0.3, -1.2, math.pi / 2)
    scan = see(pose, np.random.default_rng(1000), walls=outlines(floor))
    expected = pose.compose(Pose2D(0.1, -0.1, 0.1))
    match = WallMatcher(floor).match(scan.x, scan.y, expected, WIDE)
    assert error(match, expected, pose) == pytest.approx(0.0, abs=0.005)


def test_where_too_little_is_on_walls_nothing_is_said():
    pose = Pose2D(0.3, -1.5, math.pi / 2)
    scan = see(pose, np.random.default_rng(1000))
    assert MATCHER.match(NONE, NONE, pose) is None
    assert MATCHER.match(scan.x[:20], scan.y[:20], pose) is None
    around = np.linspace(-math.pi, math.pi, 600)
    assert MATCHER.match(0.3 * np.cos(around), 0.3 * np.sin(around), pose) is None
    # The robot is outside, between the arms, where no road is.
    assert MATCHER.match(scan.x, scan.y, Pose2D(1.8, 1.8, math.pi / 4)) is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        MATCHER.match(NONE, NONE, Pose2D(bad))
    with pytest.raises(ValueError, match="finite"):
        MATCHER.match(NONE, NONE, Pose2D(), bad)


def test_the_same_scan_gives_the_same_match():
    pose = Pose2D(0.3, -1.0, 1.5)
    scan = see(pose, np.random.default_rng(1000))
    one, other = (WallMatcher(FLOOR).match(scan.x, scan.y, Pose2D(0.35, -1.0, 1.5), REACH) for _ in range(2))
    assert one.correction == other.correction
    assert (one.information == other.information).all()


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_robots_all_around_hide_the_walls_and_contradict_nothing(seed):
    rng = np.random.default_rng(seed)
    pose = Pose2D(*rng.uniform(-0.15, 0.15, 2), float(rng.uniform(-math.pi, math.pi)))
    around = [pose.compose(Pose2D(0.0, 0.0, 2.0 * math.pi * k / 6)).compose(Pose2D(0.42, 0.0)) for k in range(6)]
    scan = see(pose, rng, tuple((one.x, one.y) for one in around))
    assert MATCHER.match(scan.x, scan.y, pose) is None
    assert not MATCHER.contradicts(scan.x, scan.y, pose)


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_a_robot_that_is_elsewhere_sees_through_walls(seed):
    rng = np.random.default_rng(seed)
    pose = Pose2D(0.3, float(rng.uniform(-1.8, -0.9)), math.pi / 2.0)
    scan = see(pose, rng, ())
    assert MATCHER.contradicts(scan.x, scan.y, Pose2D(pose.x, pose.y, pose.yaw + math.pi / 2.0))
    assert not MATCHER.contradicts(scan.x, scan.y, pose)
    assert not MATCHER.contradicts(NONE, NONE, pose)
