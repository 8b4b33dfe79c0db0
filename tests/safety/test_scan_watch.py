import math

import numpy as np
import pytest
from helpers.scans import scan

from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.percepts import Odometry
from arena_trees.safety.scan_watch import ScanWatch

RNG = np.random.default_rng(5)
PERIOD = 132_000_000


class Feed:
    def __init__(self):
        self.watch = ScanWatch()
        self.number = 0

    def observe(self, ranges, place=None, malformed=0):
        self.number += 1
        now = self.number * PERIOD
        odometry = Odometry(now, now, self.number, place or Pose2D(), ZERO)
        return self.watch.observe(scan(ranges, now, self.number), odometry, malformed)


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


def test_three_malformed_scans_in_a_row_stop_until_three_are_good():
    feed = Feed()
    assert feed.observe(picture()) is None
    assert [feed.watch.observe(None, None, malformed) for malformed in (1, 2, 3)] == [None, None, "scans malformed"]
    assert [feed.observe(picture()) for _ in range(3)] == ["scans malformed", "scans malformed", None]


def test_without_odometry_nothing_is_known_of_motion():
    watch, same = ScanWatch(), picture()
    for number in range(30):
        assert watch.observe(scan(same, number * PERIOD, number + 1), None, 0) is None
