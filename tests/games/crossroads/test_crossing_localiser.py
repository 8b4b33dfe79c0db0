"""Where the robot is at a crossing: drives with odometry that drifts, scans with noise, and lines that come and go."""

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest
from helpers.crossing_drive import FLOOR, TICK, WALLS, Drive, Instant, see, thinned

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.layout.words import Approach, Turn
from arena_trees.games.crossroads.localisation.localiser import CrossingLocaliser, LocaliserParameters
from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, wrap
from arena_trees.robot.lane import LaneLine, LaneLines, MarkerDetections
from arena_trees.robot.percepts import Odometry, PoseEstimate, Readings
from arena_trees.robot.scan import Scan

NOTHING = {"lines": False, "stop_line": False, "walls": False, "markers": False}
LINES = {**NOTHING, "lines": True, "stop_line": True}
WALLS_ONLY = {**NOTHING, "walls": True}
PLACE = Pose2D(0.3, -2.0, math.pi / 2)
BARE = LocaliserParameters(**NOTHING)


def drive(seed: int, turn: Turn, **changes: float) -> Drive:
    return Drive(list(Approach)[seed % 4], turn, np.random.default_rng(seed), **changes)


def follow(way, uses, change=lambda instant: instant):
    """Return the localiser after a drive, and errors along (m), across (m) and of the yaw (rad) while it tells a pose.

    The robot was put 0.06 m (standard deviation, each way) and 4 degrees off; the first second is left out.
    """
    x, y, yaw = way.rng.normal(0.0, (0.06, 0.06, 0.07)).tolist()
    localiser = CrossingLocaliser(FLOOR, way.nominal.compose(Pose2D(x, y, yaw)), LocaliserParameters(**uses))
    errors = []
    for instant in map(change, way.run()):
        reported = localiser.update(instant.now, instant.odometry, instant.scan, instant.lane, instant.markers)
        if reported is not None and reported.stamp == instant.now > 2 * SECOND:
            off = instant.pose.relative(reported.pose)
            errors.append((off.x, off.y, off.yaw))
    return localiser, np.array(errors).reshape(-1, 3)


def rms(errors: Iterable[np.ndarray]) -> np.ndarray:
    return np.sqrt(np.mean(np.square(np.vstack(list(errors))), axis=0))


@pytest.mark.parametrize("turn", list(Turn))
@pytest.mark.parametrize(
    ("uses", "along", "across", "yaw_deg"),
    [(WALLS_ONLY, 0.006, 0.004, 0.4), ({}, 0.006, 0.006, 0.4), (LINES, 0.03, 0.015, 1.0)],
    ids=["walls", "all", "lines"],
)
def test_each_source_keeps_the_robot_in_its_lane(turn, uses, along, across, yaw_deg):
    runs = [follow(drive(seed, turn), uses) for seed in range(1000, 1003)]
    errors = [found for _, found in runs]
    assert min(map(len, errors)) > 250
    assert (rms(errors) < (along, across, math.radians(yaw_deg))).all()
    for localiser, _ in runs:
        assert not localiser.lost
        for source in ("walls", "lines", "stop_line"):
            if localiser.parameters.walls or source != "walls":
                assert localiser.used[f"{source}: refused"] <= 0.05 * localiser.used[source] + 1


@pytest.mark.parametrize("turn", list(Turn))
def test_with_odometry_alone_it_drifts_and_then_says_nothing(turn):
    localiser, errors = follow(drive(1000, turn), NOTHING)
    assert localiser.lost
    assert 20 < len(errors) < 300
    assert np.abs(errors[:, :2]).max() < 0.5
    assert localiser.used.total() == 0


@pytest.mark.parametrize("uses", [WALLS_ONLY, LINES], ids=["walls", "lines"])
def test_what_it_sees_while_odometry_is_silent_does_not_move_it_twice(uses):
    held: list[Odometry] = []

    def hush(instant: Instant) -> Instant:
        if not 4 * SECOND <= instant.now < 6 * SECOND:
            held[:] = [instant.odometry]
        return replace(instant, odometry=held[0])

    for seed in range(1000, 1003):
        localiser, errors = follow(drive(seed, Turn.STRAIGHT), uses, hush)
        assert np.abs(errors[:, 0]).max() < (0.03 if uses is WALLS_ONLY else 0.08)
        assert localiser.used["without odometry"] > 5


def test_errors_are_as_large_as_it_says():
    squares = []
    for seed in range(1000, 1008):
        way = drive(seed, list(Turn)[seed % 3])
        localiser = CrossingLocaliser(FLOOR, way.nominal, LocaliserParameters(**LINES))
        for instant in way.run():
            reported = localiser.update(instant.now, instant.odometry, instant.scan, instant.lane, instant.markers)
            if reported is not None and reported.stamp == instant.now > 2 * SECOND:
                off = instant.pose.relative(reported.pose)
                squares.append(np.square(np.array([off.x, off.y, off.yaw]) / localiser.sigma))
    assert (np.mean(squares, axis=0) < 2.5).all()


def test_a_robot_put_down_badly_is_found_at_the_first_scan():
    for seed in range(1000, 1012):
        rng = np.random.default_rng(seed)
        angle = float(rng.uniform(-math.pi, math.pi))
        start = PLACE.compose(Pose2D(0.15 * math.cos(angle), 0.15 * math.sin(angle), math.radians(8.0)))
        localiser = CrossingLocaliser(FLOOR, start)
        reported = localiser.update(SECOND, still(SECOND), see(PLACE, rng, (), WALLS, SECOND, SECOND), None, None)
        assert reported.pose.distance_to(PLACE.x, PLACE.y) < 0.015
        assert abs(wrap(reported.pose.yaw - PLACE.yaw)) < math.radians(0.5)
        assert max(localiser.sigma[:2]) < 0.01


def still(now: int, pose: Pose2D = Pose2D()) -> Odometry:  # noqa: B008 - a frozen value
    return Odometry(now, now, now // TICK, pose, ZERO)


def lane(now: int, red: float | None = None, black: float | None = None, stop: float | None = None) -> LaneLines:
    lines = (None if offset is None else LaneLine(offset, 0.0, 0.9) for offset in (red, black))
    return LaneLines(now, now, now // TICK, *lines, stop, 0.6)


def stand(
    localiser: CrossingLocaliser,
    seconds: float,
    begin: int = SECOND,
    scan: Callable[[int], Scan | None] = lambda now: None,
    seen: Callable[[int], LaneLines | None] = lambda now: None,
) -> PoseEstimate | None:
    """Let the robot stand; odometry each tick, the rest each seventh."""
    reported, newest = None, (None, None)
    for tick in range(round(seconds * 50)):
        now = begin + tick * TICK
        newest = (scan(now), seen(now)) if tick % 7 == 0 else newest
        reported = localiser.update(now, still(now), *newest, None)
    return reported


def test_lines_that_do_not_fit_are_refused():
    localiser = CrossingLocaliser(FLOOR, PLACE, BARE.with_changes({"lines": True}))
    stand(localiser, 1.0, seen=lambda now: lane(now, 0.3, -0.3))
    assert localiser.used["lines: refused"] == 0
    before = localiser.sigma
    reported = stand(localiser, 0.3, 2 * SECOND, seen=lambda now: lane(now, 0.42, None))
    assert localiser.used["lines: refused"] == 3
    assert reported.pose.x == pytest.approx(0.3, abs=0.001)
    assert localiser.sigma == pytest.approx(before, abs=0.002)


def test_where_line_after_line_is_refused_it_is_the_pose_that_is_wrong():
    """As after a false line: sure of a heading that is 8 degrees off, it must not refuse good lines for ever."""
    sure = BARE.with_changes({"lines": True, "start_yaw_sigma": 0.01})
    localiser = CrossingLocaliser(FLOOR, PLACE.compose(Pose2D(0.0, 0.0, 0.14)), sure)
    reported = stand(localiser, 3.0, seen=lambda now: lane(now, 0.3, -0.3))
    assert localiser.used["lines: refused"] >= 3
    assert reported.pose.yaw == pytest.approx(PLACE.yaw, abs=0.01)


def test_the_lane_is_the_one_that_lies_nearest():
    """In the middle of a left turn the lines are those of the exit: a quarter turn from those of the approach."""
    there = Pose2D(0.0, 0.25, math.pi / 2 + 0.9)
    localiser = CrossingLocaliser(FLOOR, there.compose(Pose2D(0.0, 0.0, 0.02)), BARE.with_changes({"lines": True}))
    # Westwards, the middle of the lane is at y = 0.3.
    seen = LaneLine(-0.25, wrap(math.pi - there.yaw), 0.9)
    reported = stand(localiser, 1.0, seen=lambda now: LaneLines(now, now, now // TICK, seen, None, None, 0.6))
    assert reported.pose.y == pytest.approx(0.25, abs=0.002)
    assert reported.pose.yaw == pytest.approx(there.yaw, abs=0.005)


@pytest.mark.parametrize(
    ("there", "used"),
    [
        (PLACE, True),
        (Pose2D(0.3, -0.5, math.pi / 2), False),
        (Pose2D(-0.3, -2.0, -math.pi / 2), False),
        (Pose2D(0.3, 1.5, math.pi / 2), False),
    ],
    ids=["before it", "inside", "leaving southwards", "leaving northwards"],
)
def test_a_stop_line_counts_only_before_it(there, used):
    localiser = CrossingLocaliser(FLOOR, there, BARE.with_changes({"stop_line": True}))
    reported = stand(localiser, 1.0, seen=lambda now: lane(now, stop=1.25))
    assert (localiser.used["stop_line"] > 0) == used
    assert (localiser.used["stop_line: refused"] > 0) != used
    assert reported.pose.y == pytest.approx(-1.95 if used else there.y, abs=0.01)
    assert localiser.stop_distances == ({} if not used else pytest.approx({"pose": 1.25, "stop_line": 1.25}, abs=0.01))


def test_a_crossing_of_three_arms_has_no_stop_line_for_those_from_the_north():
    floor = CrossingFloor(CrossingParameters(approaches=3, size=3.0))
    localiser = CrossingLocaliser(floor, Pose2D(-0.3, 0.8, -math.pi / 2), BARE.with_changes({"stop_line": True}))
    stand(localiser, 0.2, seen=lambda now: lane(now, stop=0.1))
    assert localiser.used == {"stop_line: refused": 2}


def test_sources_of_the_stopping_distance_can_be_compared():
    ends: list[dict[str, float]] = []
    for seed in range(1000, 1006):
        way = drive(seed, Turn.STRAIGHT)
        localiser = CrossingLocaliser(FLOOR, way.nominal)
        for instant in way.run():
            localiser.update(instant.now, instant.odometry, instant.scan, instant.lane, instant.markers)
            reported = localiser.stop_distances
            if {"walls", "stop_line", "marker"} <= reported.keys():
                true = way.path.pose(0.0).relative(instant.pose).x
                wanted = FLOOR.crossing.hold_distance - FLOOR.crossing.line_distance - true
                ends.append({source: distance - wanted for source, distance in reported.items()})
        assert localiser.stop_distances == {}
    assert len(ends) > 100
    for source, bound in (("pose", 0.01), ("walls", 0.015), ("stop_line", 0.03), ("marker", 0.12)):
        assert math.sqrt(np.mean([end[source] ** 2 for end in ends])) < bound


def test_markers_tell_the_way_to_the_line_and_unknown_ones_nothing():
    way = Drive(Approach.SOUTH, Turn.STRAIGHT, np.random.default_rng(1001))
    localiser = CrossingLocaliser(FLOOR, PLACE.compose(Pose2D(0.08, 0.0)), BARE.with_changes({"markers": True}))
    for tick in range(50, 100):
        now = tick * TICK
        detections = MarkerDetections(now, now, tick, way.sight(Pose2D(0.3, -2.5, math.pi / 2), 0.0))
        strange = tuple(replace(marker, number=49) for marker in detections.markers)
        assert detections.markers
        localiser.update(now, still(now), None, None, replace(detections, markers=strange))
    assert localiser.used.total() == 0
    localiser = CrossingLocaliser(FLOOR, Pose2D(0.3, -2.42, math.pi / 2), BARE.with_changes({"markers": True}))
    for tick in range(50, 100):
        now = tick * TICK
        seen = MarkerDetections(now, now, tick, way.sight(Pose2D(0.3, -2.5, math.pi / 2), 0.0))
        reported = localiser.update(now, still(now), None, None, seen)
    assert localiser.used["markers"] == 50
    assert reported.pose.y == pytest.approx(-2.5, abs=0.04)


def test_a_robot_that_was_carried_away_is_lost_and_found_where_walls_allow():
    """Pushed 0.2 m back and 0.1 m aside while its wheels stood still."""
    rng = np.random.default_rng(1000)
    localiser = CrossingLocaliser(FLOOR, PLACE)
    stand(localiser, 2.0, scan=lambda now: see(PLACE, rng, (), WALLS, now, now))
    pushed = PLACE.compose(Pose2D(-0.2, 0.1))
    reported = stand(localiser, 4.0, 3 * SECOND, scan=lambda now: see(pushed, rng, (), WALLS, now, now))
    assert localiser.used["walls: refused"] > 0
    assert reported.pose.distance_to(pushed.x, pushed.y) < 0.02


def test_a_robot_that_fits_nowhere_says_nothing_until_it_fits_again():
    rng = np.random.default_rng(1000)
    localiser = CrossingLocaliser(FLOOR, PLACE)
    stand(localiser, 2.0, scan=lambda now: see(PLACE, rng, (), WALLS, now, now))
    corners = [(0.9 * math.cos(angle), 0.9 * math.sin(angle)) for angle in np.linspace(0.0, math.tau, 25)]
    tower = np.array([[*a, *b] for a, b in itertools.pairwise(corners)])
    reported = stand(localiser, 8.0, 3 * SECOND, scan=lambda now: see(Pose2D(), rng, (), tower, now, now))
    assert localiser.lost
    assert reported.age(11 * SECOND) > 2 * SECOND
    reported = stand(localiser, 4.0, 11 * SECOND, scan=lambda now: see(PLACE, rng, (), WALLS, now, now))
    assert not localiser.lost
    assert reported.pose.distance_to(PLACE.x, PLACE.y) < 0.02
    assert reported.age(15 * SECOND) < SECOND // 10


def test_by_thin_scans_a_robot_put_down_badly_is_found():
    """As of dark walls: 25 points a scan, of which too few are on walls to be matched one by one."""
    for seed in range(1000, 1006):
        rng = np.random.default_rng(seed)
        localiser = CrossingLocaliser(FLOOR, PLACE.compose(Pose2D(0.05, -0.1, math.radians(5.0))))
        reported = stand(
            localiser, 2.0, scan=lambda now, rng=rng: thinned(see(PLACE, rng, (), WALLS, now, now), 25, rng)
        )
        assert localiser.used["walls"] > 0
        assert reported.pose.distance_to(PLACE.x, PLACE.y) < 0.03


def test_a_lost_robot_among_robots_is_found_and_never_elsewhere():
    """Pushed 0.45 m, farther than a scan alone is matched from; most of what it sees are robots."""
    there, around = Pose2D(0.3, -1.1, math.pi / 2), ((0.3, -0.55), (-0.3, -1.2), (-0.3, -0.7), (0.3, -1.75))
    unsure = LocaliserParameters(start_sigma=0.25)
    for seed in range(1000, 1004):
        rng = np.random.default_rng(seed)
        localiser = CrossingLocaliser(FLOOR, there.compose(Pose2D(-0.4, 0.2, 0.1)), unsure)
        assert localiser.lost
        for second in range(1, 12):
            scans = lambda now, rng=rng: thinned(see(there, rng, around, WALLS, now, now), 90, rng)  # noqa: E731
            reported = stand(localiser, 1.0, second * SECOND, scan=scans)
            assert localiser.lost or reported.pose.distance_to(there.x, there.y) < 0.05
        assert not localiser.lost
        assert localiser.used["search"] > 0


def test_a_clock_that_goes_back_begins_anew():
    localiser = CrossingLocaliser(FLOOR, PLACE, BARE)
    localiser.update(9 * SECOND, still(9 * SECOND), None, lane(9 * SECOND, 0.3), None)
    localiser.update(10 * SECOND, still(10 * SECOND, Pose2D(0.5)), None, None, None)
    old = (
        still(10 * SECOND, Pose2D(0.5)),
        see(PLACE, np.random.default_rng(1000), stamp=9 * SECOND, arrival=10 * SECOND),
    )
    assert localiser.update(SECOND - TICK, *old, lane(9 * SECOND, 0.3), None) is None
    reported = localiser.update(SECOND, still(SECOND, Pose2D(7.0)), old[1], None, None)
    assert reported.pose == PLACE
    assert (reported.stamp, reported.arrival, reported.sequence) == (SECOND, SECOND, 3)


def test_odometry_that_jumps_moves_nothing_but_makes_it_less_certain():
    localiser = CrossingLocaliser(FLOOR, PLACE, BARE)
    before = localiser.sigma
    localiser.update(SECOND, still(SECOND), None, None, None)
    reported = localiser.update(SECOND + TICK, still(SECOND + TICK, Pose2D(3.0, 1.0, 1.0)), None, None, None)
    assert localiser.used == {"odometry: jumped": 1}
    assert localiser.sigma[0] == pytest.approx(math.sqrt(2.0) * before[0])
    # Known to 0.14 m: that is still told. What was measured before the jump is not used any more.
    assert reported.pose == PLACE
    localiser.update(SECOND + 2 * TICK, None, None, replace(lane(SECOND, 0.3), sequence=9), None)
    assert localiser.used["too late"] == 1
    assert localiser.update(SECOND + 3 * TICK, still(SECOND + 3 * TICK), None, None, None) is reported


def test_points_from_before_a_jump_of_odometry_are_matched_no_more():
    """Each scan has too few points to be matched by itself; both together would have enough."""
    used = []
    for jump in (0.0, 0.5):
        rng = np.random.default_rng(1000)
        localiser = CrossingLocaliser(FLOOR, PLACE, LocaliserParameters(**WALLS_ONLY))
        for tick, odom in ((0, Pose2D()), (1, Pose2D(jump))):
            now = SECOND + tick * TICK
            scan = replace(thinned(see(PLACE, rng, (), WALLS, now, now), 60, rng), sequence=tick + 1)
            localiser.update(now, still(now, odom), scan, None, None)
        used.append(dict(localiser.used))
    assert used[0]["walls"] == 1
    assert "walls" not in used[1]


def test_nothing_is_told_before_odometry_and_each_of_it_gives_a_pose():
    localiser = CrossingLocaliser(FLOOR, PLACE)
    assert localiser.update(SECOND, None, None, lane(SECOND, 0.3), None) is None
    first = localiser.update(SECOND, still(SECOND), None, None, None)
    assert localiser.update(SECOND + TICK, still(SECOND), None, None, None) is first
    bad = still(SECOND + TICK, Pose2D(math.nan))
    assert localiser.update(SECOND + TICK, bad, None, None, None) is first
    later = localiser.update(SECOND + 2 * TICK, still(SECOND + 2 * TICK), None, None, None)
    assert (later.sequence, later.stamp) == (first.sequence + 1, SECOND + 2 * TICK)
    with pytest.raises(ValueError, match="finite"):
        CrossingLocaliser(FLOOR, Pose2D(math.nan))


def test_measurements_count_at_their_own_instant():
    """A scan that is a second old, from a robot that has since driven 0.25 m."""
    localiser = CrossingLocaliser(FLOOR, PLACE)
    scan = see(PLACE, np.random.default_rng(1000), (), WALLS, SECOND, 2 * SECOND)
    for tick in range(51):
        now = SECOND + tick * TICK
        reported = localiser.update(now, still(now, Pose2D(0.005 * tick)), None if tick < 50 else scan, None, None)
    assert reported.pose.y == pytest.approx(-1.75, abs=0.01)
    assert reported.pose.x == pytest.approx(0.3, abs=0.01)
    assert localiser.used == {"walls": 1}


def test_it_takes_the_place_of_a_localisation_in_the_intake():
    way = drive(1002, Turn.RIGHT)
    percept_filter = PerceptFilter(localiser=CrossingLocaliser(FLOOR, way.nominal))
    ages = []
    for instant in way.run():
        seen = {"lane": instant.lane, "markers": instant.markers}
        more = {key: reading for key, reading in seen.items() if reading is not None}
        readings = Readings(instant.now, None, instant.odometry, more=more)
        percepts = percept_filter.take(readings)
        if percepts.pose is not None:
            ages.append(to_seconds(percepts.pose.age(instant.now)))
    assert max(ages) < 0.1
    assert percept_filter.refusals.total() == 0
    assert percepts.pose.pose.distance_to(instant.pose.x, instant.pose.y) < 0.15


def test_the_same_percepts_give_the_same_poses():
    one, other = (follow(drive(1003, Turn.LEFT), {})[1] for _ in range(2))
    assert (one == other).all()
