"""The range limit: what single beams hit stops a robot, what they do not hit does not, and silence does."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from helpers.bench import TICK, Bench
from helpers.examples import given_often
from helpers.scans import cast, clearance, rectangle, scan_of_points
from hypothesis import strategies as st

from arena_trees.perception.percept_filter import PerceptFilter
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Bumpers, Odometry, Percepts, Readings
from arena_trees.safety.bumper import BumperLimit
from arena_trees.safety.frozen_scan import FrozenScanLimit
from arena_trees.safety.gate import STOPS, GateInputs, GateState, VelocityGate, limits_of, step
from arena_trees.safety.obstacle import ObstacleLimit
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.range_limit import RangeLimit
from arena_trees.safety.stuck_odometry import StuckOdometryLimit
from arena_trees.safety.unseen import UnseenLimit
from arena_trees.sensors.ranges.sensor import RangeReading, Ranges
from arena_trees.world.body import TURTLEBOT4, Body, RangeMount

P = GateParameters()
MOUNTS = (
    RangeMount(name="front_left", x=0.14, y=0.08, yaw_deg=0.0),
    RangeMount(name="front_right", x=0.14, y=-0.08, yaw_deg=0.0),
    RangeMount(name="back_left", x=-0.14, y=0.08, yaw_deg=180.0),
    RangeMount(name="back_right", x=-0.14, y=-0.08, yaw_deg=180.0),
)
LIMIT = 10.0
BEAMS = Body(lidar=False, ranges=MOUNTS)
BOTH = Body(ranges=MOUNTS)
WALL = np.asarray([[1.5, -3.0, 1.5, 3.0]])


def heard(distances, now=0, sequence=1, mounts=MOUNTS):
    """Return ranges of the mounts with these distances, m."""
    readings = (
        RangeReading(mount.name, mount.pose, distance, LIMIT)
        for mount, distance in zip(mounts, distances, strict=False)
    )
    return Ranges(now, now, sequence, tuple(readings))


@dataclass
class BeamBench(Bench):
    """A robot without LiDAR, whose beams are measured every 3 ticks; it is deaf from a tick on, and loses echoes."""

    deaf: float = math.inf
    lost: tuple[int, ...] = ()
    mounts: tuple[RangeMount, ...] = MOUNTS

    def altered(self, percepts):
        before = self.percepts.ranges
        ranges = before
        if self.tick % 3 == 0 and self.tick < self.deaf:
            distances = [float(cast(self.walls, self.pose.compose(mount.pose), 2)[1]) for mount in self.mounts]
            if self.tick in self.lost:
                distances = [math.inf] * len(self.mounts)
            ranges = heard(distances, percepts.now, self.tick + 1, self.mounts)
        return replace(percepts, scan=None, more={"ranges": ranges})


def bench(walls=WALL, pose=None, body=BEAMS, **options):
    made = BeamBench(VelocityGate(P, body=body), walls, pose or Pose2D(), **options)
    made.settle()
    return made


def test_a_body_says_which_limits_its_robot_is_held_by():
    kinds = {
        TURTLEBOT4: (ObstacleLimit, FrozenScanLimit, UnseenLimit, StuckOdometryLimit, BumperLimit),
        BEAMS: (RangeLimit, StuckOdometryLimit, BumperLimit),
        BOTH: (ObstacleLimit, FrozenScanLimit, UnseenLimit, RangeLimit, StuckOdometryLimit, BumperLimit),
        Body(lidar=False): (StuckOdometryLimit, BumperLimit),
    }
    for body, expected in kinds.items():
        assert tuple(type(limit) for limit in limits_of(body=body)) == expected
    assert {"no ranges", "ranges stale"} < STOPS


def test_a_robot_without_lidar_drives_by_its_beams_and_stands_at_the_margin():
    made = bench()
    reasons = set()
    for _ in range(500):
        reasons.update(made.step(Twist2D(0.3, 0.0)).reasons)
    assert reasons == {"range"}
    left = clearance(WALL, made.pose) - P.hull_radius
    assert P.obstacle_margin - 0.005 < left < 0.12
    # It may turn away, and back out.
    assert abs(made.step(Twist2D(0.0, 1.0)).twist.angular) > 0.0
    for _ in range(50):
        made.step(Twist2D(-0.1, 0.0))
    assert clearance(WALL, made.pose) > left + P.hull_radius + 0.05


def test_a_robot_in_a_room_larger_than_its_beams_reach_is_not_stopped():
    made = bench(np.asarray([[900.0, 0.0, 900.0, 1.0]]))
    assert not any(made.step(Twist2D(0.2, 0.5)).reasons for _ in range(200))


@given_often(
    40,
    st.floats(0.15, 0.306),
    st.floats(-0.35, 0.35),
    st.floats(0.4, 1.5),
    st.lists(st.integers(0, 500), max_size=30).map(tuple),
)
def test_whatever_a_beam_sees_head_on_is_not_hit(speed, yaw, distance, lost):
    """Also where echoes are lost, up to three in a row, and the wall is oblique."""
    lost = tuple(tick - tick % 3 for tick in lost)
    lost = tuple(tick for tick in lost if not {tick - 3, tick - 6, tick - 9} <= set(lost))
    wall = np.asarray([[distance, -9.0, distance, 9.0]])
    made = bench(wall, Pose2D(0.0, 0.0, yaw), lost=lost)
    for _ in range(500):
        decision = made.step(Twist2D(speed, 0.0))
        assert 0.0 <= decision.twist.linear <= speed
        assert clearance(wall, made.pose) > P.hull_radius


distances = st.lists(st.floats(0.0, 12.0) | st.just(math.inf) | st.floats(), min_size=4, max_size=4)


@given_often(
    150, st.lists(distances, min_size=1, max_size=6), st.floats(-0.4, 0.5), st.floats(-2.5, 2.5), st.booleans()
)
def test_beams_only_ever_make_a_robot_slower_and_leave_its_rotation(sequence, linear, angular, lidar):
    """Whatever they say, also what the percept filter would have refused."""
    command = Twist2D(linear, angular)
    free, state = GateState(), GateState()
    for tick in range(30):
        now = tick * TICK
        points = scan_of_points([(3.0, 0.0)], now, tick + 1)
        odometry = Odometry(now, now, tick + 1, Pose2D(), ZERO)
        ranges = heard(sequence[tick % len(sequence)], now, tick + 1)
        percepts = Percepts(now, points, odometry, more={"ranges": ranges})
        free, unlimited, _ = step(P, limits_of(), free, GateInputs(percepts, command))
        limits = limits_of(body=BOTH if lidar else BEAMS)
        state, twist, reasons = step(P, limits, state, GateInputs(percepts, command))
        assert twist.is_finite
        assert abs(twist.linear) <= abs(unlimited.linear) and twist.linear * linear >= 0.0
        assert twist.angular == unlimited.angular
        if all(distance >= LIMIT for reading in sequence for distance in reading):
            assert "range" not in reasons
            assert twist == unlimited


def test_a_robot_with_both_is_limited_by_both():
    for near, ahead, reason in (((0.1, 9.0, 9.0, 9.0), 5.0, "range"), ((9.0,) * 4, 0.3, "obstacle")):
        gate = VelocityGate(P, body=BOTH)
        for tick in range(30):
            now = tick * TICK
            # No two scans of a real LiDAR are alike.
            points = scan_of_points([(ahead + 0.0001 * (tick % 2), 0.0)], now, tick + 1)
            percepts = Percepts(now, points, more={"ranges": heard(near, now, tick + 1)})
            decision = gate.decide(percepts, Twist2D(0.3, 0.0))
        assert decision.reasons == (reason,)
        assert decision.twist.linear < 0.3
    assert VelocityGate(P, body=BOTH).decide(Percepts(0), ZERO).reasons == ("no scan", "no ranges")


def test_a_robot_stands_until_every_sensor_has_been_heard():
    gate = VelocityGate(P, body=BEAMS)
    for tick in range(30):
        partly = heard((9.0, 9.0, 9.0), tick * TICK, tick + 1, MOUNTS[:3])
        decision = gate.decide(Percepts(tick * TICK, more={"ranges": partly if tick > 10 else None}), Twist2D(0.2, 0.5))
        assert decision.reasons == ("no ranges",)
        assert decision.twist == ZERO


def test_silence_stops_a_robot_and_it_goes_on_when_that_has_been_over_for_a_while():
    made = bench(deaf=60)
    decisions = [made.step(Twist2D(0.2, 0.3)) for _ in range(60)]
    stopped = [index for index, decision in enumerate(decisions) if decision.reasons == ("ranges stale",)]
    # The last ranges came 0.06 s before the silence at most, 15 ticks after the bench began.
    first = 57 + 1 + round(P.ranges_timeout / 0.02) - 15
    assert stopped == list(range(first, 60))
    assert all(decisions[index].twist == ZERO for index in stopped)
    made.deaf = math.inf
    again = [made.step(Twist2D(0.2, 0.3)).reasons for _ in range(30)]
    recovery = round(P.scan_recovery / 0.02)
    assert again[recovery + 3] == ()
    assert again[:recovery] == [("ranges stale",)] * recovery


def test_an_echo_that_is_lost_is_believed_for_a_while_where_it_was():
    gate = VelocityGate(P, body=BEAMS)

    def decide(tick, distance, sequence):
        ranges = heard((distance, math.inf, math.inf, math.inf), tick * TICK, sequence)
        return gate.decide(Percepts(tick * TICK, more={"ranges": ranges}), Twist2D(0.3, 0.0)).reasons

    for tick in range(20):
        reasons = decide(tick, 0.1, tick + 1)
    assert reasons == ("range",)
    held = [decide(tick, math.inf, tick + 1) for tick in range(20, 40)]
    count = round(P.ranges_hold / 0.02)
    assert held == [("range",)] * count + [()] * (20 - count)


def test_what_is_beside_the_beams_is_unseen():
    """The limit's limit: a post between the beams of both front sensors does not stop the robot before a far wall."""
    made = bench(np.concatenate([rectangle(0.02, 0.02, 1.0, 0.0), rectangle(9.0)]))
    reasons = {reason for _ in range(150) for reason in made.step(Twist2D(0.3, 0.0)).reasons}
    assert reasons == set()


@pytest.mark.parametrize("distance", [math.nan, -0.1])
def test_a_distance_that_is_none_is_refused_before_the_gate_and_stops_it_as_silence_does(distance):
    sieve, gate = PerceptFilter(), VelocityGate(P, body=BEAMS)
    for tick in range(40):
        now = tick * TICK
        ranges = heard((9.0 if tick < 20 else distance, 9.0, 9.0, 9.0), now, tick + 1)
        decision = gate.decide(sieve.take(Readings(now, more={"ranges": ranges}), ()), Twist2D(0.2, 0.0))
        if tick in (15, 30):
            assert decision.reasons == ()
    assert decision.reasons == ("ranges stale",)
    assert sum(sieve.refusals.values()) == 20


@pytest.mark.parametrize("body", [TURTLEBOT4, BEAMS, BOTH])
def test_a_gate_that_heeds_no_obstacle_is_a_bumper_with_caps_and_a_latch(body):
    gate = VelocityGate(GateParameters(obstacles=False), body=body)

    def decide(tick, command, pressed=(), fault=None):
        now = tick * TICK
        bumpers = Bumpers(now, now, tick + 1, frozenset(pressed))
        near = Percepts(
            now,
            scan_of_points([(0.2, 0.0)], now, tick + 1),
            bumpers=bumpers,
            more={"ranges": heard((0.0,) * 4, now, tick + 1)},
        )
        return gate.decide(near if tick % 2 else Percepts(now, bumpers=bumpers), command, fault)

    assert all(decide(tick, Twist2D(0.3, 0.0)).reasons == () for tick in range(30))
    assert decide(30, Twist2D(0.3, 0.0), ("bump_left",)).reasons == ("bumper",)
    assert decide(31, Twist2D(2.0, 0.0)).reasons == ("speed cap",)
    assert decide(32, Twist2D(0.3, 0.0), fault="tree raised").twist == ZERO
    assert decide(33, Twist2D(0.3, 0.0)).latched == "tree raised"
    # Heeding them again begins with standing still.
    gate.reset()
    gate.parameters = GateParameters()
    assert decide(35, Twist2D(0.3, 0.0)).twist == ZERO


CORNERS = tuple(
    RangeMount(name=f"at_{degrees}".replace("-", "minus_"), x=x, y=y, yaw_deg=degrees)
    for degrees, x, y in ((45, 0.12, 0.12), (-45, 0.12, -0.12), (135, -0.12, 0.12), (-135, -0.12, -0.12))
)


@pytest.mark.parametrize("yaw", [0.0, 0.2, -0.3])
@pytest.mark.parametrize("linear", [0.3, -0.15])
def test_beams_that_look_to_the_corners_stop_a_robot_before_a_wall_ahead(yaw, linear):
    """No beam looks ahead; the wall is known from what the two front ones hit."""
    wall = np.asarray([[1.0, -9.0, 1.0, 9.0], [-1.0, -9.0, -1.0, 9.0]])
    made = bench(wall, Pose2D(0.0, 0.0, yaw), Body(lidar=False, ranges=CORNERS), mounts=CORNERS)
    for _ in range(500):
        decision = made.step(Twist2D(linear, 0.0))
    assert decision.reasons == ("range",)
    assert P.obstacle_margin - 0.005 < clearance(wall, made.pose) - P.hull_radius < 0.12


def test_beams_that_look_to_the_corners_let_a_robot_through_a_door_and_along_a_wall():
    door = np.asarray([[1.0, 0.35, 1.0, 9.0], [1.0, -0.35, 1.0, -9.0]])
    wall = np.asarray([[-9.0, 0.3, 9.0, 0.3], [-9.0, -5.0, 9.0, -5.0]])
    for walls in (door, wall):
        made = bench(walls, body=Body(lidar=False, ranges=CORNERS), mounts=CORNERS)
        for _ in range(700):
            made.step(Twist2D(0.3, 0.0))
        assert made.pose.x > 1.5


def test_a_beam_without_an_echo_between_two_with_one_tells_that_there_is_a_gap():
    mounts = (*CORNERS[:2], RangeMount(name="ahead", x=0.17, y=0.0, yaw_deg=0.0))
    body = Body(lidar=False, ranges=mounts)
    for ahead, reasons in ((math.inf, ()), (9.0, ()), (0.1, ("range",))):
        gate = VelocityGate(P, body=body)
        for tick in range(30):
            ranges = heard((0.3, 0.3, ahead), tick * TICK, tick + 1, mounts)
            decision = gate.decide(Percepts(tick * TICK, more={"ranges": ranges}), Twist2D(0.2, 0.0))
        assert decision.reasons == reasons
