import math

import numpy as np
import pytest
from helpers.scans import scan

from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.percepts import Odometry, Percepts
from arena_trees.safety.frozen_scan import FrozenScanLimit
from arena_trees.safety.motion_limit import Situation
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.scan_watch import ScanWatch

RNG = np.random.default_rng(5)
PERIOD = 132_000_000


class Feed:
    def __init__(self, knows_motion=True):
        self.knows_motion = knows_motion
        self.limit = FrozenScanLimit()
        self.memory = None
        self.number = 0

    def observe(self, ranges, place=None):
        self.number += 1
        now = self.number * PERIOD
        odometry = Odometry(now, now, self.number, place or Pose2D(), ZERO) if self.knows_motion else None
        percepts = Percepts(now, scan=scan(ranges, now, self.number), odometry=odometry)
        for _ in range(3):
            # Between two scans there are several steps.
            situation = Situation(GateParameters(), percepts, Pose2D(), ZERO, None)
            self.memory = self.limit.observe(self.memory, situation)
        return self.limit.blind(self.memory)


def picture():
    return RNG.uniform(0.5, 3.0, 90)


@pytest.mark.parametrize("step", [Pose2D(0.01, 0.0, 0.0), Pose2D(0.0, 0.0, math.radians(2.0))])
def test_the_eighth_identical_scan_of_a_moving_robot_stops_it(step):
    feed, frozen, place = Feed(), picture(), Pose2D()
    feed.observe(picture())
    verdicts = []
    for _ in range(8):
        verdicts.append(feed.observe(frozen, place))
        place = place.compose(step)
    assert verdicts == [None] * 7 + ["scan frozen"]
    assert feed.observe(frozen, place) == "scan frozen"
    assert [feed.observe(picture(), place) for _ in range(3)] == ["scan frozen", "scan frozen", None]


def test_a_robot_that_moved_and_came_back_has_moved():
    feed, frozen = Feed(), picture()
    places = [0.0, 0.03, 0.06, 0.03, 0.0, 0.0, 0.0, 0.0]
    assert [feed.observe(frozen, Pose2D(x, 0.0, 0.0)) for x in places] == [None] * 7 + ["scan frozen"]


def test_a_robot_at_rest_may_see_the_same_for_ever():
    feed, same = Feed(), picture()
    assert {feed.observe(same) for _ in range(50)} == {None}
    assert feed.observe(picture(), Pose2D(1.0, 0.0, 0.0)) is None


def test_scans_that_differ_in_one_beam_are_not_frozen():
    feed, same = Feed(), picture()
    for number in range(30):
        same[number] += 0.001
        assert feed.observe(same, Pose2D(0.03 * number, 0.0, 0.0)) is None


def test_scans_without_a_return_are_left_to_the_gate():
    feed = Feed()
    assert {feed.observe([math.inf] * 90, Pose2D(0.03 * number, 0.0, 0.0)) for number in range(30)} == {None}


def test_without_odometry_nothing_is_known_of_motion():
    feed, same = Feed(knows_motion=False), picture()
    assert {feed.observe(same, Pose2D(0.03 * number, 0.0, 0.0)) for number in range(30)} == {None}


def test_a_gate_that_heeds_no_obstacles_does_not_look():
    feed, frozen = Feed(), picture()
    situation = Situation(GateParameters(obstacles=False), Percepts(1, scan=scan(frozen, 1, 1)), Pose2D(), ZERO, None)
    assert feed.limit.observe(None, situation) is None
    assert feed.limit.blind(None) is None
    assert feed.limit.limit(None, situation, ZERO) == (math.inf, None)


def test_three_malformed_scans_in_a_row_stop_until_three_are_good():
    watch = ScanWatch()
    scans = [scan(picture(), number * PERIOD, number) for number in range(1, 5)]
    assert watch.observe(scans[0], 0) is None
    assert [watch.observe(None, malformed) for malformed in (1, 2, 3)] == [None, None, "scans malformed"]
    assert [watch.observe(one, 0) for one in (scans[1], scans[1], scans[2])] == ["scans malformed"] * 3
    assert watch.observe(scans[3], 0) is None
