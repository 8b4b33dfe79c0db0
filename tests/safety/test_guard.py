import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.examples import given_often
from helpers.scans import laser, scan_of_points
from hypothesis import strategies as st

from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, Percepts, PoseEstimate, Readings
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.guard import Guard
from arena_trees.safety.parameters import GateParameters
from arena_trees.world.geofence import Geofence

FENCE = Geofence("wolf", [(-2, -2), (2, -2), (2, 2), (-2, 2)])
TICK = 20_000_000
SECOND = from_seconds(1.0)
GO = Twist2D(0.2, 0.1)


class Robot:
    """A guard with healthy sensors and a tree that drives, on a clock that a test turns."""

    def __init__(self, fence=None):
        # Its odometry keeps its place, whatever is driven.
        self.guard = Guard(VelocityGate(GateParameters(odometry_hold=0.0), fence))
        self.now = from_seconds(1000.0)
        self.command = ZERO
        self.sending = self.scanning = self.locating = True
        self.percepts = Percepts(self.now)
        self.number = 0
        self.rng = np.random.default_rng(1)
        self.run(1.0)
        assert self.guard.text == "ok"
        self.command = GO
        self.run(1.0)

    def tick(self):
        self.now += TICK
        self.number += 1
        now, number = self.now, self.number
        percepts = replace(self.percepts, now=now, odometry=Odometry(now, now, number, Pose2D(), ZERO))
        if self.scanning:
            percepts = replace(percepts, scan=scan_of_points([(3.0, self.rng.uniform())], now, number))
        if self.locating:
            percepts = replace(percepts, pose=PoseEstimate(now, now, number, Pose2D()))
        if self.sending:
            self.guard.commands.take(self.command, now, now, now)
        self.percepts = percepts
        return self.guard.step(percepts)

    def run(self, seconds):
        for _ in range(round(seconds * 50)):
            decision = self.tick()
        return decision


def test_before_anything_has_come_it_says_what_is_missing():
    guard = Guard(VelocityGate())
    assert guard.text == "no command"
    assert guard.step(Percepts(0)).twist == ZERO
    assert guard.text == "no scan, no command"


def test_a_silent_tree_stops_the_robot_within_five_ticks_and_latches_if_it_drove():
    robot = Robot()
    robot.sending = False
    twists = [robot.tick().twist for _ in range(5)]
    assert twists[:4] == [GO] * 4
    assert twists[4] == ZERO
    assert robot.guard.text == "no command"
    robot.run(0.4)
    assert robot.guard.gate.latched is None
    robot.run(0.2)
    assert robot.guard.text == "latched: tree died while moving"
    robot.sending = True
    assert robot.run(2.0).twist == ZERO


def test_a_tree_that_said_goodbye_leaves_no_latch():
    robot = Robot()
    robot.command = ZERO
    robot.run(0.1)
    robot.sending = False
    robot.run(10.0)
    assert robot.guard.text == "no command"


def test_after_a_reset_nothing_moves_until_the_tree_has_stood():
    robot = Robot()
    robot.guard.latch("operator stop: service")
    assert robot.run(1.0).twist == ZERO
    assert robot.guard.reset() is None
    assert robot.run(3.0).twist == ZERO
    assert robot.guard.text == "waiting until the tree commands a standstill"
    robot.command = ZERO
    robot.run(0.1)
    assert robot.guard.text == "ok"
    robot.command = GO
    assert robot.run(1.0).twist == GO


@pytest.mark.parametrize("latched", [False, True], ids=["stood", "died"])
def test_a_tree_that_comes_back_must_stand_before_it_drives(latched):
    robot = Robot()
    if not latched:
        robot.command = ZERO
        robot.run(0.1)
    robot.sending = False
    robot.run(10.0)
    assert (robot.guard.gate.latched is not None) == latched
    assert robot.guard.reset() is None
    robot.tick()
    assert robot.guard.text == "no command"
    # One zero is no standstill, whatever somebody commanded before.
    robot.sending, robot.command = True, ZERO
    robot.tick()
    robot.command = GO
    assert robot.run(1.0).twist == ZERO
    assert robot.guard.text == "waiting until the tree commands a standstill"
    robot.command = ZERO
    robot.run(0.1)
    robot.command = GO
    assert robot.run(1.0).twist == GO


def test_an_alarm_latches_and_the_reset_is_refused_while_it_stands():
    robot = Robot()
    robot.guard.alarm("wheels", "wheels disabled (e_stop)")
    assert robot.tick().twist == ZERO
    assert robot.guard.text == "latched: wheels disabled (e_stop)"
    assert robot.guard.reset() == "wheels disabled (e_stop)"
    robot.guard.alarm("wheels", None)
    assert robot.run(1.0).twist == ZERO
    assert robot.guard.text == "latched: wheels disabled (e_stop)"
    since = robot.now - robot.guard.latched_at
    assert since == pytest.approx(SECOND, abs=2 * TICK)
    assert robot.guard.reset() is None
    robot.tick()
    assert robot.guard.latched_at is None


def test_a_reset_without_a_latch_stops_nothing():
    robot = Robot()
    assert robot.guard.reset() is None
    assert robot.tick().twist == GO


def test_holds_stop_and_end_by_themselves():
    robot = Robot()
    robot.guard.hold("dock", "docked")
    robot.guard.hold("publishers", "another publisher on cmd_vel: /x")
    assert robot.run(1.0).twist == ZERO
    assert robot.guard.text == "docked, another publisher on cmd_vel: /x"
    robot.guard.hold("dock", None)
    assert robot.tick().twist == ZERO
    robot.guard.hold("publishers", None)
    robot.guard.hold("publishers", None)
    assert robot.run(1.0).twist == GO


def test_a_pause_is_one_step_long():
    robot = Robot()
    robot.guard.pause("parameters changed")
    assert robot.tick().twist == ZERO
    assert robot.guard.text == "parameters changed"
    assert robot.tick().twist != ZERO


def test_a_command_that_is_not_finite_latches():
    robot = Robot()
    robot.command = Twist2D(math.nan, 0.0)
    assert robot.tick().twist == ZERO
    assert robot.guard.text == "latched: command not finite"


@pytest.mark.parametrize("asleep", [0.2, 0.6, 0.9])
def test_a_gate_that_slept_obeys_nothing_from_before(asleep):
    robot = Robot()
    robot.now += from_seconds(asleep)
    robot.sending = False
    # What was held up in the queues comes now, with its old stamp.
    robot.guard.commands.take(GO, robot.now - from_seconds(asleep / 2), robot.now - from_seconds(asleep / 2), robot.now)
    assert robot.tick().twist == ZERO
    assert robot.guard.standing[0] == "gate slept"
    assert robot.run(0.2).twist == ZERO
    robot.sending = True
    assert robot.run(2.0).twist == GO


@pytest.mark.parametrize("held_up", [1.1, 15.0])
def test_a_gate_that_hung_latches_and_goes_on_after_a_reset_and_a_standstill(held_up):
    """Nobody knows what has become of the robot meanwhile."""
    robot = Robot()
    robot.now += from_seconds(held_up)
    assert robot.run(2.0).twist == ZERO
    assert robot.guard.text == "latched: gate hung"
    assert robot.guard.reset() is None
    assert robot.run(1.0).twist == ZERO
    robot.command = ZERO
    robot.run(0.1)
    robot.command = GO
    assert robot.run(1.0).twist == GO


@pytest.mark.parametrize("silent", [0.02, 2.0, 60.0])
def test_a_new_gate_lets_a_tree_that_it_hears_driving_stand_first(silent):
    robot = Robot()
    robot.guard = Guard(VelocityGate(GateParameters(odometry_hold=0.0)))
    robot.sending = False
    robot.run(silent)
    robot.sending = True
    assert robot.run(5.0).twist == ZERO
    assert robot.guard.text == "waiting until the tree commands a standstill"
    robot.command = ZERO
    robot.run(0.1)
    robot.command = GO
    assert robot.run(1.0).twist == GO


def test_a_gate_that_slept_does_not_take_its_own_absence_for_the_death_of_the_tree():
    robot = Robot()
    robot.now += from_seconds(0.9)
    robot.sending = False
    assert robot.run(0.4).twist == ZERO
    assert robot.guard.text == "no command"
    # But a tree that is silent after that too died meanwhile.
    assert robot.run(0.4).twist == ZERO
    assert robot.guard.text == "latched: tree died while moving"


def test_a_tree_that_halted_while_the_gate_slept_did_not_die():
    robot = Robot()
    robot.now += from_seconds(0.9)
    robot.sending = False
    robot.guard.commands.take(ZERO, robot.now, robot.now - from_seconds(0.5), robot.now)
    assert robot.run(2.0).twist == ZERO
    assert robot.guard.text == "no command"


def test_two_trees_stop_the_robot_until_one_is_gone():
    robot = Robot()
    robot.sending = False
    for number in range(1, 6):
        for own in (number, number + 900):
            robot.guard.commands.take(GO, robot.now + own, robot.now, robot.now, own)
        assert (robot.tick().twist == ZERO) == (number >= 4)
    assert robot.guard.text == "two trees command the robot"
    robot.sending = True
    assert robot.run(2.0).twist == GO


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("late", [0, SECOND], ids=["in_time", "late"])
def test_a_rival_that_is_not_finite_latches(value, late):
    robot = Robot()
    for number in range(1, 8):
        # One that repeats itself is not obeyed, and holds the robot as one of two.
        robot.guard.commands.take(Twist2D(value, 0.0), 5, robot.now - late, robot.now, number + 900)
        robot.guard.commands.take(GO, robot.now + number, robot.now, robot.now, number)
        robot.tick()
    assert robot.guard.text.startswith("latched: command not finite")
    assert robot.run(2.0).twist == ZERO
    assert robot.guard.reset() is None
    robot.command = ZERO
    robot.run(0.1)
    assert robot.guard.text == "ok"


def test_localisation_that_stays_lost_latches_and_cannot_be_reset_before_it_is_back():
    robot = Robot(FENCE)
    robot.locating = False
    assert robot.run(0.6).twist == ZERO
    assert robot.guard.text == "localisation lost"
    robot.locating = True
    assert robot.run(1.0).twist == GO
    robot.locating = False
    robot.run(5.7)
    assert robot.guard.text == "latched: localisation lost"
    assert robot.guard.reset() == "localisation lost"
    robot.locating = True
    robot.tick()
    assert robot.guard.reset() is None


def test_a_robot_that_was_never_localised_waits_without_a_latch():
    guard = Guard(VelocityGate(fence=FENCE))
    for tick in range(50 * 20):
        guard.step(Percepts(tick * TICK))
    assert guard.gate.latched is None
    assert "localisation lost" in guard.standing


def test_malformed_scans_stop_at_the_third():
    robot = Robot()
    percept_filter = PerceptFilter()
    verdicts = []
    for number in range(1, 5):
        robot.now += TICK
        broken = laser([1.0] * 9, robot.now, number, angle_increment=math.nan)
        percept_filter.take(Readings(robot.now, scan=broken))
        robot.guard.commands.take(GO, robot.now, robot.now, robot.now)
        robot.guard.step(replace(robot.percepts, now=robot.now), percept_filter.malformed_scans)
        verdicts.append(robot.guard.text)
    assert verdicts == ["ok", "ok", "scans malformed", "scans malformed"]
    percept_filter.take(Readings(robot.now, scan=laser([1.0] * 9, robot.now, 9)))
    assert percept_filter.malformed_scans == 0


steps = st.fixed_dictionaries(
    {
        "gap": st.sampled_from([TICK, TICK, TICK, 3 * TICK, SECOND]),
        "linear": st.sampled_from([0.0, 0.2, -0.1, 9.0, math.nan, math.inf]),
        "stamp": st.sampled_from([0, 0, 0, -TICK, -SECOND, SECOND]),
        "sent": st.sampled_from([True, True, False]),
        "scan": st.sampled_from([True, True, False]),
        "hold": st.sampled_from([None, None, None, "docked"]),
        "alarm": st.sampled_from([None, None, None, None, "button"]),
        "pause": st.sampled_from([False, False, False, True]),
        "reset": st.sampled_from([False, False, False, True]),
    }
)


@given_often(200, st.lists(steps, min_size=1, max_size=12), st.booleans())
def test_whatever_comes_any_stop_is_zero_and_what_comes_out_is_finite(sequence, fenced):
    robot = Robot(FENCE if fenced else None)
    guard, limits = robot.guard, GateParameters()
    standing = None
    for number, given_step in enumerate(sequence):
        robot.now += given_step["gap"]
        now = robot.now
        if given_step["scan"]:
            fresh = scan_of_points([(3.0, robot.rng.uniform())], now, 1000 + number)
            robot.percepts = replace(robot.percepts, scan=fresh)
        robot.percepts = replace(robot.percepts, now=now, pose=PoseEstimate(now, now, 1000 + number, Pose2D()))
        if given_step["sent"]:
            stamp = now + given_step["stamp"]
            guard.commands.take(Twist2D(given_step["linear"], 0.5), stamp, stamp, now)
        guard.hold("dock", given_step["hold"])
        guard.alarm("button", given_step["alarm"])
        if given_step["pause"]:
            guard.pause("parameters changed")
        if given_step["reset"]:
            refused = guard.reset()
            assert (refused is None) == (guard.gate.latched is None)
        decision = guard.step(robot.percepts)
        twist = decision.twist
        assert math.isfinite(twist.linear) and -limits.max_reverse <= twist.linear <= limits.max_linear
        assert math.isfinite(twist.angular) and abs(twist.angular) <= limits.max_angular
        stopped = (
            given_step["hold"] or given_step["alarm"] or given_step["pause"] or guard.gate.latched or guard.standing
        )
        slept = given_step["gap"] == SECOND
        if stopped or slept:
            assert twist == ZERO
            assert guard.text != "ok"
        assert (guard.latched_at is None) == (guard.gate.latched is None)
        # A latch ends by a reset only.
        assert standing is None or given_step["reset"] or guard.gate.latched == standing
        standing = guard.gate.latched
