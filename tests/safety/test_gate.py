import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.bench import TICK, Bench
from helpers.scans import laser, rectangle, scan_of_points
from pydantic import ValidationError

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry, Percepts, PoseEstimate
from arena_trees.robot.scan import Scan
from arena_trees.safety.gate import GateInputs, GateState, VelocityGate, latch, limits_of, reset, step
from arena_trees.safety.parameters import GateParameters
from arena_trees.world.geofence import Geofence

SQUARE = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
GO = Twist2D(0.2, 0.1)
FAR = [(3.0, 0.0)]


class Feed:
    """Hands a gate healthy percepts, but for what a test changes."""

    def __init__(self, fence=None, pose=None):
        # Its odometry keeps its place, whatever is driven.
        self.gate = VelocityGate(GateParameters(odometry_hold=0.0), fence)
        self.now = 0
        self.pose = pose or Pose2D()
        self.points = FAR
        self.scanning = self.locating = True
        self.percepts = Percepts(0)

    def tick(self, command=GO, fault=None, **changes):
        now, number = self.now, self.now // TICK + 1
        percepts = replace(self.percepts, now=now)
        if self.scanning:
            percepts = replace(percepts, scan=scan_of_points(self.points, now, number))
        if self.locating:
            percepts = replace(percepts, pose=PoseEstimate(now, now, number, self.pose))
        percepts = replace(percepts, odometry=Odometry(now, now, number, Pose2D(), ZERO))
        self.percepts = replace(percepts, **changes)
        self.now += TICK
        return self.gate.decide(self.percepts, command, fault)

    def run(self, seconds, command=GO, **changes):
        decision = self.tick(command, **changes)
        for _ in range(round(seconds * 50) - 1):
            decision = self.tick(command, **changes)
        return decision


def test_a_healthy_command_passes_whole():
    feed = Feed()
    assert feed.run(1.0).twist == GO
    assert feed.tick().reasons == ()


def test_speed_grows_no_faster_than_the_base_and_stops_at_once():
    feed = Feed()
    feed.run(0.3, ZERO)
    first = feed.tick(Twist2D(0.3, 0.0))
    assert first.twist.linear == pytest.approx(0.9 * 0.02)
    assert first.reasons == ()
    assert feed.run(0.5, Twist2D(0.3, 0.0)).twist.linear == 0.3
    assert feed.tick(Twist2D(0.1, 0.0)).twist.linear == 0.1
    assert feed.tick(Twist2D(-0.15, 0.0)).twist.linear == pytest.approx(-0.9 * 0.02)
    assert feed.tick(ZERO).twist == ZERO


def test_no_command_is_a_stop_with_its_reason():
    feed = Feed()
    feed.run(1.0)
    decision = feed.tick(None)
    assert (decision.twist, decision.reasons, decision.latched) == (ZERO, ("no command",), None)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("linear", [True, False])
def test_a_command_that_is_not_finite_latches(number, linear):
    feed = Feed()
    feed.run(1.0)
    decision = feed.tick(Twist2D(number, 0.0) if linear else Twist2D(0.0, number))
    assert decision.twist == ZERO
    assert decision.reasons == ("latched",)
    assert decision.latched == feed.gate.latched == "command not finite"
    assert feed.run(3.0).twist == ZERO


def test_a_fault_latches_until_reset_and_the_first_reason_stays():
    feed = Feed()
    feed.run(1.0)
    assert feed.tick(fault="wolf: update raised KeyError").twist == ZERO
    assert feed.tick(fault="another").latched == "wolf: update raised KeyError"
    assert feed.run(2.0).reasons == ("latched",)
    feed.gate.reset()
    assert feed.gate.latched is None
    assert feed.tick(None).twist == ZERO
    assert feed.run(1.0).twist == GO


def test_an_operator_stop_latches_at_once():
    feed = Feed()
    feed.run(1.0)
    feed.gate.operator_stop("red button")
    assert feed.gate.latched == "operator stop: red button"
    assert feed.tick().twist == ZERO


def test_reset_never_moves():
    state = latch(GateState(twist=GO), "why")
    assert reset(state).twist == ZERO
    assert reset(GateState(twist=GO)).twist == ZERO
    feed = Feed()
    feed.run(1.0)
    feed.gate.operator_stop("why")
    feed.gate.reset()
    assert abs(feed.tick().twist.linear) <= 0.9 * 0.02 + 1e-12


def test_no_scan_is_a_stop_until_returns_have_been_fresh():
    feed = Feed()
    feed.scanning = False
    assert feed.run(1.0).reasons == ("no scan",)
    feed.scanning = True
    assert feed.tick().reasons == ("scan stale",)
    assert feed.run(0.1).twist == ZERO
    assert feed.run(0.5).twist == GO


def test_a_scan_gap_stops_and_clears_by_itself():
    feed = Feed()
    feed.run(1.0)
    feed.scanning = False
    assert feed.run(0.48).twist == GO
    assert feed.run(0.06).reasons == ("scan stale",)
    assert feed.run(12.0).twist == ZERO
    feed.scanning = True
    assert feed.run(0.18).twist == ZERO
    assert feed.run(0.5).twist == GO


@pytest.mark.parametrize("code", [math.inf, math.nan, 0.0, 12.0, 65.535])
def test_scans_without_a_return_do_not_renew_the_age(code):
    feed = Feed()
    feed.run(1.0)
    known = feed.percepts.scan
    feed.scanning = False
    reasons = []
    for _ in range(40):
        known = Scan.from_laser(laser([code] * 361, feed.now, feed.now // TICK + 1), known)
        reasons.append(feed.tick(scan=known).reasons)
    assert reasons[20] == ()
    assert reasons[-1] == ("scan stale",)


def test_a_scan_without_a_return_does_not_clear_an_obstacle():
    feed = Feed()
    feed.points = [(0.23, 0.0)]
    assert feed.run(1.0).reasons == ("obstacle",)
    blank = Scan.from_laser(laser([math.inf] * 361, feed.now, 999), feed.percepts.scan)
    feed.scanning = False
    decision = feed.tick(scan=blank)
    assert (decision.twist.linear, decision.reasons) == (0.0, ("obstacle",))


def test_a_late_message_is_as_old_as_its_stamp():
    feed = Feed()
    feed.run(1.0)
    late = scan_of_points(FAR, feed.now, 7)
    assert feed.tick(scan=replace(late, stamp=feed.now - from_seconds(3.0))).reasons == ("scan stale",)


def test_the_clock_going_back_is_no_reason_to_move():
    feed = Feed(Geofence("wolf", SQUARE))
    feed.run(1.0)
    feed.now -= from_seconds(0.5)
    old = feed.percepts
    decision = feed.gate.decide(replace(old, now=feed.now), GO)
    assert decision.twist == ZERO
    assert decision.reasons[0] == "clock went back"
    # The old messages now lie in the future, however long they are repeated.
    for _ in range(20):
        feed.now += TICK
        assert feed.gate.decide(replace(old, now=feed.now), GO).twist == ZERO
    assert feed.run(1.0).twist == GO


def test_a_clock_that_stands_gives_no_acceleration():
    feed = Feed()
    feed.run(0.5, ZERO)
    for _ in range(50):
        decision = feed.gate.decide(feed.percepts, GO)
    assert decision.twist == ZERO


def test_obstacle_takes_only_the_motion_towards_it():
    feed = Feed()
    feed.points = [(0.22, 0.0)]
    feed.run(1.0, ZERO)
    decision = feed.run(0.5, Twist2D(0.15, 1.0))
    assert decision.twist == Twist2D(0.0, 1.0)
    assert decision.reasons == ("obstacle",)
    assert feed.run(0.5, Twist2D(-0.1, 0.0)).twist == Twist2D(-0.1, 0.0)


def test_bumper_blocks_forward_only():
    feed = Feed()
    feed.run(1.0)
    pressed = Bumpers(0, 0, 1, frozenset({"bump_front_left"}))
    decision = feed.tick(bumpers=pressed)
    assert (decision.twist.linear, decision.twist.angular, decision.reasons) == (0.0, 0.1, ("bumper",))
    assert feed.run(0.5, Twist2D(-0.1, 0.0)).twist.linear == -0.1
    assert feed.run(0.5, bumpers=Bumpers(0, 0, 2, frozenset())).twist == GO


def test_without_a_fence_no_pose_is_needed():
    feed = Feed()
    feed.locating = False
    assert feed.run(1.0).twist == GO


def test_with_a_fence_a_lost_pose_is_a_stop():
    feed = Feed(Geofence("wolf", SQUARE))
    feed.locating = False
    assert feed.run(1.0).reasons == ("localisation lost",)
    feed.locating = True
    assert feed.run(1.0).twist == GO
    feed.locating = False
    assert feed.run(0.48).twist == GO
    assert feed.run(0.06).reasons == ("localisation lost",)
    feed.locating = True
    feed.pose = Pose2D(math.nan, 0.0, 0.0)
    assert feed.tick().reasons == ("localisation lost",)


@pytest.mark.parametrize("jump", [Pose2D(0.6, 0.0, 0.0), Pose2D(0.0, 0.0, 0.7)])
def test_a_jump_of_the_pose_stops_for_a_second(jump):
    feed = Feed(Geofence("wolf", SQUARE))
    feed.run(1.0)
    feed.pose = jump
    assert feed.tick().reasons == ("localisation jumped",)
    assert feed.run(0.9).twist == ZERO
    assert feed.run(0.5).twist == GO


def test_a_small_jump_is_accepted():
    feed = Feed(Geofence("wolf", SQUARE))
    feed.run(1.0)
    feed.pose = Pose2D(0.3, 0.1, 0.2)
    assert feed.tick().reasons == ()


def test_a_pose_stamped_ahead_ages_by_its_arrival():
    feed = Feed(Geofence("wolf", SQUARE))
    feed.run(1.0)
    feed.locating = False
    ahead = PoseEstimate(feed.now + from_seconds(1.0), feed.now, 5000, Pose2D())
    assert feed.run(0.48, pose=ahead).twist == GO
    assert feed.run(0.06, pose=ahead).reasons == ("localisation lost",)


def test_caps_are_those_of_the_create_3():
    feed = Feed()
    fast = feed.run(1.5, Twist2D(1.5, 0.0))
    assert (fast.twist, fast.reasons) == (Twist2D(0.306, 0.0), ("speed cap",))
    assert feed.run(1.5, Twist2D(-1.0, 0.0)).twist == Twist2D(-0.15, 0.0)
    assert feed.run(1.5, Twist2D(0.0, -9.0)).twist == Twist2D(0.0, -1.9)
    both = feed.run(1.5, Twist2D(0.306, 1.9)).twist
    assert both.linear + both.angular * 0.1165 == pytest.approx(0.306)
    assert both.linear / both.angular == pytest.approx(0.306 / 1.9)


def test_reasons_come_worst_first():
    feed = Feed(Geofence("wolf", SQUARE))
    feed.scanning = feed.locating = False
    assert feed.tick(None, "fault").reasons == ("latched", "no scan", "localisation lost", "no command")
    feed = Feed(Geofence("wolf", SQUARE), Pose2D(1.95, 0.0, 0.0))
    feed.points = [(0.22, 0.0)]
    feed.run(1.0)
    pressed = Bumpers(0, 0, 1, frozenset({"bump_front_center"}))
    decision = feed.tick(Twist2D(2.0, 0.0), bumpers=pressed)
    assert decision.reasons == ("obstacle", "bumper", "fence", "speed cap")
    assert decision.twist == ZERO


def test_step_is_a_function_of_what_it_is_given():
    fence = Geofence("wolf", SQUARE)
    bench = Bench(VelocityGate(GateParameters(), fence), rectangle(2.6), Pose2D(1.5, 0.3, 0.4))
    for _ in range(60):
        bench.step(Twist2D(0.3, 0.2))
    before = bench.gate.state
    inputs = GateInputs(bench.percepts, Twist2D(0.3, 0.2))
    again = [step(bench.gate.parameters, limits_of(fence), before, inputs) for _ in range(2)]
    assert again[0][1:] == again[1][1:]
    assert before is bench.gate.state


@pytest.mark.parametrize("linear", [0.306, -0.15])
@pytest.mark.parametrize("cap", [0.05, 0.1, 0.2])
def test_outside_its_fence_a_robot_comes_back_at_the_speed_of_a_breach(linear, cap):
    """A metre outside and on the straight way in, so that nothing but this cap takes speed away."""
    parameters = GateParameters(breach_speed=cap)
    heading = math.pi if linear > 0.0 else 0.0
    bench = Bench(VelocityGate(parameters, Geofence("wolf", SQUARE)), rectangle(6.0), Pose2D(3.0, 0.0, heading))
    bench.settle()
    for _ in range(50):
        decision = bench.step(Twist2D(linear, 0.0))
        assert abs(decision.twist.linear) <= cap
    assert bench.gate.decide(bench.percepts, Twist2D(linear, 0.0)).twist.linear == pytest.approx(
        math.copysign(min(cap, abs(linear)), linear)
    )
    assert decision.reasons == (("fence",) if cap < abs(linear) else ())


def test_inside_its_fence_a_robot_is_not_held_to_the_speed_of_a_breach():
    bench = Bench(VelocityGate(GateParameters(breach_speed=0.05), Geofence("wolf", SQUARE)), rectangle(6.0), Pose2D())
    bench.settle()
    for _ in range(40):
        decision = bench.step(Twist2D(0.306, 0.0))
    assert decision.twist.linear == pytest.approx(0.306)


def test_a_new_fence_is_measured_afresh():
    wide, tight = Geofence("wide", [(9 * x, 9 * y) for x, y in SQUARE]), Geofence("tight", SQUARE)
    feed = Feed(wide, Pose2D(1.9, 0.0, 0.0))
    assert feed.run(1.0).reasons == ()
    feed.gate.limits = limits_of(tight)
    assert feed.tick().reasons == ("fence",)


def test_body_must_be_smaller_than_hull():
    with pytest.raises(ValidationError, match="body_radius"):
        GateParameters(body_radius=0.2)
    assert np.isclose(GateParameters(body_radius=0.1).body_radius, 0.1)
