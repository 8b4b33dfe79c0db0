"""Directions that lose all returns at once are not free: low sun, a hand on the LiDAR."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from helpers.bench import TICK, Bench
from helpers.examples import given_often
from helpers.scans import BEAMS, cast, clearance, laser, rectangle, scan
from hypothesis import strategies as st

from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.scan import Scan
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.lost_returns import look
from arena_trees.safety.parameters import GateParameters

P = GateParameters()
ROOM = rectangle(3.0)
AHEAD = Twist2D(0.3, 0.0)
BEARINGS = -math.pi + math.tau / BEAMS * np.arange(BEAMS)
PERIOD = 7 * TICK


@dataclass
class BlindedBench(Bench):
    """Its LiDAR has no returns from some directions of the odom frame.

    Attributes:
        middle: of the blind directions, rad
        half: of their width, rad; 0 for none
    """

    middle: float = 0.0
    half: float = 0.0

    def altered(self, percepts):
        if self.tick % 7 or not self.half:
            return percepts
        return replace(percepts, scan=Scan.from_laser(laser(self.measured(), percepts.now, self.tick + 1)))

    def measured(self):
        blind = np.abs((BEARINGS + self.pose.yaw - self.middle + math.pi) % math.tau - math.pi) < self.half
        return np.where(blind, np.inf, cast(self.walls, self.pose))


def bench(walls=ROOM, pose=None, **parameters):
    made = BlindedBench(VelocityGate(GateParameters(**parameters)), walls, pose or Pose2D())
    made.settle()
    return made


def run(made, command, ticks):
    return [made.step(command) for _ in range(ticks)]


def test_a_robot_stands_before_a_direction_that_went_blind_and_goes_on_when_it_is_seen_again():
    made = bench(pose=Pose2D(-2.0, 0.0))
    assert {one.reasons for one in run(made, AHEAD, 60)} == {()}
    made.half = 0.4
    run(made, AHEAD, 10)
    stopped = made.pose.x
    for decision in run(made, AHEAD, 90):
        assert decision.reasons == ("unseen",)
        assert decision.twist.linear <= 0.0 or made.pose.x < stopped + 0.06
    assert made.twist == Twist2D()
    # It may turn, go back, and go where it sees.
    assert {one.reasons for one in run(made, Twist2D(-0.1, 0.0), 20)} == {()}
    made.half = 0.0
    run(made, AHEAD, 7)
    assert {one.reasons for one in run(made, AHEAD, 30)} == {()}


def test_what_stays_blind_holds_it_for_a_while_only():
    made = bench(pose=Pose2D(-2.0, 0.0), blind_memory=3.0)
    made.half = 0.4
    held = [bool(decision.reasons) for decision in run(made, AHEAD, 250)]
    assert 140 <= sum(held) <= 165
    assert not any(held[165:])
    assert made.pose.x > -1.9


def test_a_robot_that_turns_with_the_sun_before_it_stays_held():
    """The blind sector is fixed to the robot, as a smear on the LiDAR is: its edges move over the room."""
    made = bench(blind_memory=3.0)
    made.half = 0.5
    for _ in range(400):
        made.middle = made.pose.yaw
        decision = made.step(Twist2D(0.1, 0.6))
    assert decision.reasons == ("unseen",)
    assert made.pose.distance_to(0.0, 0.0) < 0.05


def test_a_robot_that_comes_at_it_out_of_the_blind_is_not_driven_into():
    box = rectangle(0.15, 0.15, 0.8, 0.0)
    made = bench(walls=np.concatenate([ROOM, box]))
    made.half = 0.6
    for _ in range(230):
        made.step(AHEAD)
        assert clearance(box, made.pose) > 0.3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lost", [0.05, 0.5, 0.9, 0.98])
def test_returns_that_stay_away_by_chance_make_nothing_blind(lost, seed):
    rng = np.random.default_rng(seed)
    memory, blind = None, 0
    for number in range(300):
        ranges = np.where(rng.random(BEAMS) < lost, np.inf, 2.0)
        memory = look(memory, scan(ranges, number * PERIOD, number + 1), Pose2D(0.0, 0.0, 0.01 * number), 5.0)
        blind += memory.blind
    assert blind <= 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lost", [0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("beams", [1, 3, 6])
def test_walls_of_which_little_returns_do_not_stay_blind_when_the_sun_has_gone(beams, lost, seed):
    """Sectors that are silent now and then must not hold each other blind; beams may be lost several at a time."""
    rng = np.random.default_rng(seed)
    memory, blind = None, []
    for number in range(400):
        ranges = np.where(np.repeat(rng.random(BEAMS // beams + 1) < lost, beams)[:BEAMS], np.inf, 2.0)
        # What is ahead returns everything, until the sun stands there for a second.
        ranges[np.abs(BEARINGS) < 1.0] = np.inf if 20 <= number < 28 else 2.0
        memory = look(memory, scan(ranges, number * PERIOD, number + 1), Pose2D(), 5.0)
        blind.append(memory.blind)
    assert all(blind[20:28])
    assert sum(blind) <= 90


@pytest.mark.parametrize("distance", [0.4, 0.7, 1.5])
def test_a_robot_that_drives_off_in_an_open_field_leaves_nothing_blind(distance):
    memory = None
    for number in range(100):
        bearing = -2.0 + 0.3 / distance * 0.14 * number
        half = math.asin(0.17 / distance)
        off = np.abs([wrap(one - bearing) for one in BEARINGS])
        ranges = np.where(off < half, distance, np.inf)
        memory = look(memory, scan(ranges, number * PERIOD, number + 1), Pose2D(), 5.0)
        assert not memory.blind


@given_often(60, st.floats(-math.pi, math.pi), st.floats(0.3, 2.5), st.floats(-math.pi, math.pi), st.floats(0.0, 0.6))
def test_a_sector_is_blind_where_it_has_no_returns_whatever_the_heading(middle, width, yaw, lost):
    rng = np.random.default_rng(0)
    memory = None
    for number in range(6):
        ranges = np.where(rng.random(BEAMS) < lost, np.inf, 2.0)
        if number == 5:
            ranges[np.abs((BEARINGS + yaw - middle + math.pi) % math.tau - math.pi) < width / 2.0] = np.inf
        memory = look(memory, scan(ranges, number * PERIOD, number + 1), Pose2D(0.0, 0.0, yaw), 5.0)
    bearings = middle - yaw + np.array([-0.5, 0.0, 0.5]) * (width - 0.2)
    expected = width > math.radians(30.0)
    if expected:
        assert not memory.contains(np.cos(bearings), np.sin(bearings)).any()
    opposite = middle - yaw + math.pi
    assert memory.contains(np.array([math.cos(opposite)]), np.array([math.sin(opposite)])).all()


def test_a_clock_that_was_set_back_leaves_nothing_blind_for_ever():
    full, gap = np.full(BEAMS, 2.0), np.where(np.abs(BEARINGS) < 0.4, np.inf, 2.0)
    memory = look(None, scan(full, 10**12), Pose2D(), 5.0)
    memory = look(memory, scan(gap, 10**12 + PERIOD), Pose2D(), 5.0)
    assert memory.blind
    assert not look(memory, scan(gap, 10**9), Pose2D(), 5.0).blind


def test_what_was_blind_for_long_and_saw_once_can_be_blind_again():
    full, gap = np.full(BEAMS, 2.0), np.where(np.abs(BEARINGS) < 0.26, np.inf, 2.0)
    memory = None
    for number, ranges in enumerate([full] * 5 + [gap] * 25 + [full, gap]):
        memory = look(memory, scan(ranges, number * PERIOD, number + 1), Pose2D(), 5.0)
    assert memory.blind


def test_directions_without_beams_are_the_views_affair():
    """A LiDAR that looks ahead loses what it turns away from, and nothing of it is blind."""
    memory = None
    for number in range(80):
        count = BEAMS // 2
        angles = {"angle_min": -math.pi / 2, "angle_max": -math.pi / 2 + (count - 1) * math.tau / BEAMS}
        message = laser(np.full(count, 2.0), number * PERIOD, number + 1, angle_increment=math.tau / BEAMS, **angles)
        memory = look(memory, Scan.from_laser(message), Pose2D(0.0, 0.0, 0.25 * number), 5.0)
        assert not memory.blind
