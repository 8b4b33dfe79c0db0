"""Odometry that jumps, or lies: what a scan showed stays where it was, for all that odometry says."""

import math
from dataclasses import replace

import pytest
from helpers.bench import TICK, Bench
from helpers.examples import given_often
from helpers.scans import clearance, rectangle
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, Percepts
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reckoning import OdometryTrack, reckon
from arena_trees.world.geofence import Geofence

P = GateParameters()
WALLS = rectangle(3.0)


class JumpingBench(Bench):
    """A bench whose odometry jumps, and whose scans stay out for a while; what is driven is the truth."""

    shift = Pose2D()
    deaf_until = 0

    def jump(self, jump: Pose2D, silence: int) -> None:
        """Let odometry tell other places from now on, and let no scan come for so many ticks."""
        self.shift = self.shift.compose(jump)
        self.deaf_until = self.tick + silence

    def altered(self, percepts: Percepts) -> Percepts:
        """Return what the gate is told in place of the percepts."""
        odometry, scan = percepts.odometry, percepts.scan
        if odometry is not None and odometry is not self.percepts.odometry:
            odometry = replace(odometry, pose=self.shift.compose(odometry.pose))
        if self.tick < self.deaf_until:
            scan = self.percepts.scan
        return replace(percepts, odometry=odometry, scan=scan)


def facing_a_wall(gap: float, **options: object) -> JumpingBench:
    """Return a robot whose hull is that far (m) from a wall ahead."""
    bench = JumpingBench(VelocityGate(P, **options), WALLS, Pose2D(3.0 - P.hull_radius - gap, 0.0, 0.0))
    bench.settle()
    return bench


def test_half_a_turn_that_no_base_makes_opens_no_way_into_the_wall():
    """The wall is 7 cm ahead of the hull, odometry turns by 180 degrees, and scans are out for half a second."""
    bench = facing_a_wall(0.07)
    before = bench.pose.x
    bench.jump(Pose2D(0.0, 0.0, math.pi), 25)
    for _ in range(60):
        bench.step(Twist2D(0.306, 0.0))
    assert bench.pose.x - before < 0.02 + 1e-9
    assert clearance(WALLS, bench.pose) >= P.hull_radius + P.obstacle_margin - 1e-3


turns = st.floats(-math.pi, math.pi) | st.sampled_from([math.pi, math.pi / 2, -math.pi / 2])
jumps = (
    st.builds(Pose2D, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), turns)
    | st.builds(Pose2D, st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), turns)
    | st.builds(Pose2D, st.just(0.0), st.just(0.0), turns)
    | st.builds(Pose2D, st.floats(-0.1, 0.1), st.floats(-0.1, 0.1), st.floats(-0.3, 0.3))
)


@given_often(
    150,
    st.floats(0.02, 0.6),
    st.lists(st.tuples(jumps, st.integers(0, 30), st.integers(8, 40)), min_size=1, max_size=4),
    st.sampled_from([Twist2D(0.306, 0.0), Twist2D(0.2, 0.3), Twist2D(0.15, -0.8), Twist2D(0.05, 0.0)]),
)
def test_whatever_jumps_the_hull_meets_no_wall(gap, plan, command):
    """Jumps in x, y and yaw, great and small, each with scans missing for up to 0.6 s."""
    bench = facing_a_wall(gap)
    for jump, silence, ticks in plan:
        bench.jump(jump, silence)
        for _ in range(ticks):
            bench.step(command)
            assert clearance(WALLS, bench.pose) > P.hull_radius


@given_often(60, jumps, st.integers(3, 20))
def test_a_jump_of_odometry_moves_no_fence(jump, ticks):
    """The fence is 0.2 m ahead, and no pose comes in the half second in which poses still count."""
    fence = Geofence("square", [(-2, -2), (2, -2), (2, 2), (-2, 2)])
    bench = JumpingBench(VelocityGate(P, fence), rectangle(6.0), Pose2D(1.8, 0.0, 0.0))
    bench.settle()
    bench.lost = True
    bench.jump(jump, 0)
    for _ in range(ticks):
        bench.step(Twist2D(0.306, 0.0))
        assert fence.signed_distance(bench.pose.x, bench.pose.y) > 0.0


def odometry(tick: int, pose: Pose2D, twist: Twist2D = ZERO) -> Odometry:
    return Odometry(tick * TICK, tick * TICK, tick + 1, pose, twist)


def reckoned(poses, twist=ZERO):
    """Return the base's poses where odometry tells these, one a tick."""
    base, track, found = Pose2D(), None, []
    for tick, pose in enumerate(poses):
        base, _, track = reckon(P, base, twist, track, odometry(tick, pose, twist), tick * TICK, 0.02)
        found.append(base)
    return found, track


def test_the_base_is_where_odometry_says_as_long_as_a_base_moves_like_that():
    driven = [Pose2D(3.0 + 0.006 * tick, 1.0, 0.02 * tick) for tick in range(50)]
    found, track = reckoned(driven, Twist2D(0.3, 1.0))
    assert found == driven
    assert track == OdometryTrack(49 * TICK, None)


@given(jumps)
def test_after_a_jump_the_base_goes_on_from_where_it_was(jump):
    before = [Pose2D(0.006 * tick, 0.0, 0.0) for tick in range(20)]
    after = [jump.compose(Pose2D(0.006 * tick, 0.0, 0.0)) for tick in range(20, 40)]
    found, _ = reckoned(before + after, Twist2D(0.3, 0.0))
    # What is believed at once is no more than 5 cm and 0.2 rad.
    assert found[-1].distance_to(0.006 * 39, 0.0) < 0.05 + 0.2 * 0.12
    assert abs(found[-1].yaw) < 0.2


@pytest.mark.parametrize("twist", [Twist2D(5.0, 0.0), Twist2D(-5.0, 50.0), Twist2D(0.0, -50.0)])
def test_a_false_twist_carries_the_base_nowhere(twist):
    base, track = Pose2D(), None
    for tick in range(20):
        # One message alone, which grows old.
        told = odometry(0, Pose2D(), twist if tick else ZERO)
        base, _, track = reckon(P, base, ZERO, track, told, tick * TICK, 0.02)
    assert base.distance_to(0.0, 0.0) < 0.25
    assert abs(base.yaw) < 0.9
