"""Looking for lanes with the heading that odometry expects."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.crossing_drive import FLOOR, Drive
from helpers.road_pictures import Road, as_image, disturb

from arena_trees.games.crossroads.layout.words import Approach, Turn
from arena_trees.games.crossroads.localisation.lanes import CrossingLanes
from arena_trees.perception.image import Image
from arena_trees.perception.lanes.lines import LaneDetector
from arena_trees.perception.lanes.tracker import LaneWatch
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.lane import LaneLines

ROAD = Road()
LANES = CrossingLanes(FLOOR)
NORTH = math.pi / 2


def photograph(pose: Pose2D, stamp: int, rng: np.random.Generator | None = None) -> Image:
    pixels = ROAD.photograph(pose)
    return replace(as_image(pixels if rng is None else disturb(pixels, rng)), stamp=stamp, arrival=stamp)


class Listening(LaneDetector):
    """The detector, which also keeps the headings it was told to expect."""

    def __init__(self) -> None:
        super().__init__()
        self.expected: list[float | None] = []

    def detect(self, image, beyond=False, heading=None) -> LaneLines:
        self.expected.append(heading)
        return super().detect(image, beyond, heading)


def seen_by(turn: Turn, seed: int) -> list[tuple[Pose2D, LaneLines]]:
    """Return pose and lines of a drive in changing light; odometry's yaw is off, and drifts."""
    drive = Drive(Approach.SOUTH, turn, np.random.default_rng(seed), others=False)
    watch, off, found = LaneWatch(LaneDetector()), float(drive.rng.uniform(-3.0, 3.0)), []
    for progress in np.arange(-1.6, drive.path.length + 0.3, 0.08).tolist():
        pose, off = drive.pose(progress), off + drive.rng.normal(0.0, 0.003)
        image = photograph(pose, from_seconds((progress + 2.0) / 0.27), drive.rng)
        found.append((pose, watch.observe(image, Pose2D(0.0, 0.0, pose.yaw + off))))
    return found


@pytest.mark.parametrize("turn", list(Turn))
def test_through_the_crossing_lines_are_those_of_the_road_ahead_and_no_stop_line_is_anothers(turn):
    errors, stops, lost, images = [], [], 0, 0
    for pose, seen in seen_by(turn, 1000):
        images += 1
        lost += seen.heading is None
        if seen.heading is not None:
            lane = LANES.nearest(pose, seen.heading)
            errors.append((seen.offset + lane.beside(pose), wrap(pose.yaw + seen.heading - lane.heading)))
        if seen.stop_distance is not None:
            expected = LANES.nearest(pose).stop_distance(pose)
            stops.append(seen.stop_distance - expected)
    assert lost < 0.25 * images
    assert np.abs(errors).max(axis=0)[0] < 0.06
    assert np.sqrt(np.mean(np.square(errors), axis=0))[1] < math.radians(1.0)
    assert len(stops) > 8
    assert np.abs(stops).max() < 0.03


def test_the_heading_that_is_expected_turns_with_the_robot_and_with_the_road_that_crosses():
    detector = Listening()
    watch = LaneWatch(detector)
    there = Pose2D(0.3, -2.0, NORTH + 0.1)
    watch.observe(photograph(there, SECOND), Pose2D(5.0, 5.0, 2.0))
    assert detector.expected == [None]
    for turned, expected in ((0.0, -0.1), (0.2, -0.3), (-0.3, 0.2), (math.pi / 2, -0.1), (6.5, -6.6 + 2.0 * math.pi)):
        watch.observe(photograph(Pose2D(1.7, 1.7, 0.0), SECOND), Pose2D(0.0, 0.0, 2.0 + turned))
        assert detector.expected[-1] == pytest.approx(expected, abs=0.01)
        assert abs(detector.expected[-1]) <= math.pi / 4


def test_it_forgets_after_ten_seconds_without_lines_and_when_the_clock_goes_back():
    detector = Listening()
    watch = LaneWatch(detector)
    lane, nothing, base = Pose2D(0.3, -2.0, NORTH), Pose2D(1.7, 1.7, 0.0), Pose2D()
    assert watch.observe(photograph(lane, 5 * SECOND), base).heading is not None
    assert watch.observe(photograph(nothing, 15 * SECOND), base).heading is None
    assert detector.expected[-1] == pytest.approx(0.0, abs=0.01)
    watch.observe(photograph(nothing, 15 * SECOND + 1), base)
    assert detector.expected[-1] is None
    watch.observe(photograph(lane, 16 * SECOND), base)
    watch.observe(photograph(lane, 4 * SECOND), base)
    assert detector.expected[-2:] == [None, None]


def test_without_odometry_nothing_is_expected_and_nothing_learnt():
    detector = Listening()
    watch = LaneWatch(detector)
    for tick in range(3):
        image = photograph(Pose2D(0.3, -2.0, NORTH), SECOND + tick)
        assert watch.observe(image, None) == LaneDetector().detect(image)
    watch.observe(photograph(Pose2D(0.3, -2.0, NORTH), SECOND + 3), Pose2D())
    assert detector.expected == [None] * 4
