"""Properties of the velocity gate: for any inputs in any state, and in closed loop."""

import math
from itertools import product

import numpy as np
import pytest
from helpers.bench import Bench
from helpers.examples import given_often
from helpers.failures import all_failures
from helpers.scans import cast, clearance, laser, rectangle, scan_of_points
from hypothesis import strategies as st

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry, Percepts, PoseEstimate
from arena_trees.robot.scan import Scan
from arena_trees.safety.gate import STOPS, GateInputs, GateState, VelocityGate, latch, limits_of, reset, step
from arena_trees.safety.parameters import GateParameters
from arena_trees.world.geofence import Geofence

P = GateParameters()
SQUARE = Geofence("square", [(-2, -2), (2, -2), (2, 2), (-2, 2)])
HOOK = Geofence("hook", [(-2, -2), (2, -2), (2, 2), (1, 2), (1, -1), (-1, -1), (-1, 2), (-2, 2)])
FENCES = st.sampled_from([SQUARE, HOOK])

anything = st.floats() | st.floats(-3.0, 3.0) | st.floats(-1e-6, 1e-6)
times = st.integers(0, 3_000_000_000) | st.integers(-(2**63), 2**63)
stamps = {"stamp": times, "arrival": times, "sequence": st.integers(0, 4)}
twists = st.builds(Twist2D, anything, anything)
poses = st.builds(Pose2D, anything, anything, anything)
near = st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), max_size=6)
some_round = st.sampled_from(
    [{}, *({"angle_min": first, "angle_max": first + 0.8, "angle_increment": 0.1} for first in (-0.4, 2.0))]
)
scans = st.builds(scan_of_points, near, times, st.integers(0, 4)) | st.builds(
    lambda ranges, now, number, view: Scan.from_laser(laser((ranges * 9)[:9] if view else ranges, now, number, **view)),
    st.lists(st.sampled_from([0.0, 0.02, 0.2, 0.3, 1.0, 12.0, math.inf, math.nan]), min_size=1, max_size=9),
    times,
    st.integers(0, 4),
    some_round,
)
all_percepts = st.builds(
    Percepts,
    now=times,
    scan=st.none() | scans,
    odometry=st.none() | st.builds(Odometry, pose=poses, twist=twists, **stamps),
    pose=st.none() | st.builds(PoseEstimate, pose=poses, **stamps),
    bumpers=st.none() | st.builds(Bumpers, pressed=st.sampled_from([frozenset(), frozenset({"bump_left"})]), **stamps),
)
all_inputs = st.builds(
    GateInputs,
    percepts=all_percepts,
    command=st.none() | twists,
    fault=st.sampled_from([None, None, None, None, "fault"]),
)


def check_limits(twist):
    assert math.isfinite(twist.linear)
    assert math.isfinite(twist.angular)
    assert -P.max_reverse <= twist.linear <= P.max_linear
    assert abs(twist.angular) <= P.max_angular
    assert abs(twist.linear) + abs(twist.angular) * P.half_track <= P.max_wheel + 1e-12


@given_often(300, st.lists(all_inputs, min_size=1, max_size=8), st.none() | FENCES)
def test_any_inputs_in_any_state(sequence, fence):
    state = GateState()
    for inputs in sequence:
        before = state
        state, twist, reasons = step(P, limits_of(fence), before, inputs)
        check_limits(twist)
        assert state.twist == twist
        if STOPS.intersection(reasons):
            assert twist == ZERO
        if inputs.command is None or not inputs.command.is_finite or inputs.fault is not None:
            assert twist == ZERO
        if before.latched is not None:
            assert state.latched == before.latched
        if state.latched is not None:
            assert reasons[0] == "latched"
            assert twist == ZERO
        if before.now is not None and inputs.percepts.now < before.now:
            assert twist == ZERO
        # Nothing makes a robot faster than it was told to go, or turns it round.
        if twist != ZERO:
            assert abs(twist.linear) <= abs(inputs.command.linear)
            assert twist.linear * inputs.command.linear >= 0.0
            assert abs(twist.angular) <= abs(inputs.command.angular)
            assert twist.angular * inputs.command.angular >= 0.0
        assert reset(state).twist == ZERO
        assert reset(state).latched is None
        assert latch(state, "why").latched == (state.latched or "why")


def settled(fence, pose, points=((5.0, 0.0),), now=0):
    """Return the state of a healthy robot that has stood for a while, and its percepts."""
    state = GateState()
    percepts = Percepts(now)
    for tick in range(15):
        at = now + tick * 20_000_000
        percepts = Percepts(
            at,
            scan_of_points(points, at, tick + 1),
            Odometry(at, at, tick + 1, Pose2D(), ZERO),
            PoseEstimate(at, at, tick + 1, pose),
        )
        state, _, _ = step(P, limits_of(fence), state, GateInputs(percepts, ZERO))
    return state, percepts


def tried(fence, pose, command, points=((5.0, 0.0),)):
    """Return what comes out, a second later, for a command that is held."""
    state, percepts = settled(fence, pose, points)
    twist = ZERO
    for _ in range(50):
        state, twist, _ = step(P, limits_of(fence), state, GateInputs(percepts, command))
        # Time stands for the percepts, so that the robot stays where it is, but not for acceleration.
        state = state._replace(now=state.now - 20_000_000)
    return twist


@given_often(60, st.tuples(st.floats(-4, 4), st.floats(-4, 4)), st.floats(-math.pi, math.pi), FENCES)
def test_from_any_breach_some_motion_inward_remains(place, yaw, fence):
    pose = Pose2D(*place, yaw)
    before = fence.signed_distance(*place)
    if before > 0.0:
        return
    assert abs(tried(fence, pose, Twist2D(0.0, 1.0)).angular) == 1.0
    assert tried(fence, pose, Twist2D(0.0, -1.0)).angular == -1.0
    for command in (Twist2D(0.15, 0.0), Twist2D(-0.15, 0.0)):
        step_on = math.copysign(1e-3, command.linear)
        ahead = (place[0] + step_on * math.cos(yaw), place[1] + step_on * math.sin(yaw))
        won = (fence.signed_distance(*ahead) - before) / 1e-3
        twist = tried(fence, pose, command)
        if won > 0.06:
            assert twist.linear * command.linear > 0.0
        if won < 0.04:
            assert twist.linear == 0.0
    # Whatever the heading, turning to the way inside makes driving there possible.
    way = pose.bearing_to(*fence.way_inside(*place))
    assert tried(fence, Pose2D(*place, yaw + way), Twist2D(0.15, 0.0)).linear > 0.02
    assert tried(fence, Pose2D(*place, yaw + way + math.pi), Twist2D(-0.15, 0.0)).linear < -0.02


@given_often(
    100,
    st.lists(st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)), min_size=1, max_size=5),
    st.floats(-0.2, 0.35),
    st.floats(-2.0, 2.0),
)
def test_rotation_is_left_and_nothing_near_is_approached(points, linear, angular):
    command = Twist2D(linear, angular)
    twist = tried(None, Pose2D(), command, points)
    if abs(linear) < 1e-6:
        assert abs(twist.angular) == min(abs(angular), P.max_angular)
    direction = math.copysign(1.0, twist.linear) if twist.linear else 0.0
    for x, y in points:
        distance = math.hypot(x, y)
        # The hull must never close in on a point nearer than the margin that a stop leaves.
        if P.body_radius <= distance < P.hull_radius + P.side_margin and direction * x > 1e-3:
            raise AssertionError(f"{twist} moves the hull onto {(x, y)}")


commands = st.lists(st.tuples(st.floats(-0.4, 0.6), st.floats(-2.5, 2.5), st.integers(5, 60)), min_size=3, max_size=12)


@given_often(25, commands, st.floats(-math.pi, math.pi), st.integers(0, 2**32 - 1))
def test_whatever_is_commanded_nothing_is_hit(plan, yaw, seed):
    """A cluttered room with walls and boxes, driven through with wild commands."""
    rng = np.random.default_rng(seed)
    boxes = [rectangle(0.15, 0.1, *rng.uniform(-1.2, 1.2, 2)) for _ in range(4)]
    start = next(
        pose
        for pose in (Pose2D(*rng.uniform(-1.1, 1.1, 2), yaw) for _ in range(1000))
        if clearance(np.concatenate(boxes), pose) > 0.25
    )
    walls = np.concatenate([rectangle(1.4), *boxes])
    bench = Bench(VelocityGate(P), walls, start)
    bench.settle()
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            bench.step(Twist2D(linear, angular))
            assert clearance(walls, bench.pose) > P.hull_radius


@given_often(25, commands, st.floats(-math.pi, math.pi), FENCES)
def test_whatever_is_commanded_the_fence_is_kept(plan, yaw, fence):
    bench = Bench(VelocityGate(P, fence), rectangle(6.0), Pose2D(0.0, -1.85, yaw))
    bench.settle()
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            bench.step(Twist2D(linear, angular))
            assert fence.signed_distance(bench.pose.x, bench.pose.y) > 0.0


@given_often(25, commands, st.floats(-math.pi, math.pi), st.tuples(st.floats(-4, 4), st.floats(-4, 4)), FENCES)
def test_outside_the_robot_never_gets_farther_away(plan, yaw, place, fence):
    before = best = fence.signed_distance(*place)
    if before > 0.0:
        return
    bench = Bench(VelocityGate(P, fence), rectangle(8.0), Pose2D(*place, yaw))
    bench.settle()
    for linear, angular, ticks in plan:
        for _ in range(ticks):
            bench.step(Twist2D(linear, angular))
            now = fence.signed_distance(bench.pose.x, bench.pose.y)
            best = max(best, min(now, 0.0))
            # What rolls on while braking in a turn costs millimetres, never more.
            assert now > best - 0.02


@pytest.mark.parametrize("apart", [90, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("linear", [0.306, -0.15])
def test_the_fence_margin_is_left_after_a_stop(linear, apart):
    with all_failures() as checked:
        for degrees, angular in product(range(-180, 180, apart), (0.0, 0.4, -0.4, 1.2)):
            with checked(f"at {degrees} degrees, {angular} rad/s"):
                check_the_fence_margin(linear, angular, degrees)


def check_the_fence_margin(linear, angular, degrees):
    bench = Bench(VelocityGate(P, HOOK), rectangle(6.0), Pose2D(1.5, -1.5, math.radians(degrees)))
    bench.settle()
    least = math.inf
    for _ in range(400):
        bench.step(Twist2D(linear, angular))
        least = min(least, HOOK.signed_distance(bench.pose.x, bench.pose.y))
    assert least > P.fence_margin - 0.02
    if abs(bench.twist.linear) < 0.01:
        assert least < P.fence_margin + 0.05


def test_a_wall_alongside_and_a_narrow_gap_do_not_stop_a_robot():
    wall = np.asarray([[-3.0, 0.25, 3.0, 0.25]])
    gap = np.concatenate([rectangle(0.2, 1.0, 0.0, 1.3), rectangle(0.2, 1.0, 0.0, -1.3)])
    for walls in (np.concatenate([wall, rectangle(4.0)]), np.concatenate([gap, rectangle(4.0)])):
        bench = Bench(VelocityGate(P), walls, Pose2D(-1.0, 0.0, 0.0))
        bench.settle()
        reasons = {reason for _ in range(400) for reason in bench.step(Twist2D(0.3, 0.0)).reasons}
        assert not reasons
        assert bench.pose.x > 1.2


def test_a_robot_drives_round_a_corner_beside_a_wall():
    """An arc about a wall's end, 0.30 m from the centre all the way."""
    walls = np.concatenate([np.asarray([[0.0, 0.3, -2.0, 0.3]]), rectangle(4.0)])
    bench = Bench(VelocityGate(P), walls, Pose2D(-1.0, 0.0, 0.0))
    bench.settle()
    while bench.pose.x < 0.0:
        bench.step(Twist2D(0.15, 0.0))
    for _ in range(round(math.pi / 0.5 * 50)):
        decision = bench.step(Twist2D(0.15, 0.5))
        assert decision.reasons == ()
    assert bench.pose.y > 0.5


def test_before_a_wall_the_robot_stands_at_the_margin():
    bench = Bench(VelocityGate(P), rectangle(1.0), Pose2D())
    bench.settle()
    for _ in range(400):
        bench.step(Twist2D(0.5, 0.0))
    left = clearance(rectangle(1.0), bench.pose) - P.hull_radius
    assert 0.05 < left < 0.12
    assert bench.step(Twist2D(0.5, 0.0)).twist.linear < 0.01


class Meeting(Bench):
    """A robot in whose way a box comes towards it at a speed (m/s) in the odom frame, from 2 m ahead."""

    def meet(self, speed: float, command: float, yaw: float) -> float:
        """Return how fast the robot moves ahead in the tick in which the box touches it."""
        box = rectangle(0.15, 1.5, 2.0)
        for _ in range(5000):
            if clearance(box, self.pose) <= P.hull_radius:
                return self.twist.linear
            self.walls = box
            self.step(Twist2D(command, yaw))
            box = box - np.array([speed, 0.0, speed, 0.0]) * 0.02
        raise AssertionError("they never met")


@given_often(25, st.floats(0.05, 0.4), st.floats(0.02, 0.306), st.floats(-0.1, 0.1))
def test_a_robot_stands_before_what_comes_towards_it_no_faster_than_allowed_for(others, command, yaw):
    bench = Meeting(VelocityGate(GateParameters(others_speed=others)), rectangle(2.0), Pose2D())
    bench.settle()
    assert bench.meet(others, command, yaw) < 1e-3


def test_a_robot_that_allows_for_none_drives_into_what_comes_towards_it():
    bench = Meeting(VelocityGate(P), rectangle(2.0), Pose2D())
    bench.settle()
    assert bench.meet(0.306, 0.306, 0.0) > 0.02


def test_casting_and_clearance_of_the_bench_are_right():
    ranges = cast(rectangle(1.0, 2.0), Pose2D(0.5, 0.0, 0.0))
    assert math.isclose(ranges[320], 0.5, rel_tol=1e-6)
    assert math.isclose(ranges[0], 1.5, rel_tol=1e-6)
    assert math.isclose(ranges[480], 2.0, rel_tol=1e-6)
    assert math.isclose(clearance(rectangle(1.0, 2.0), Pose2D(0.5, 0.0, 0.0)), 0.5)
