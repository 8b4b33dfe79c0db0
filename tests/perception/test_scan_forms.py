"""Scans in all their forms, made by hand and recorded, through percepts, sectors, writer and gate."""

import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest
from helpers.scans import RANGE_MAX, laser

from arena_trees.perception.sectors import free_ahead, more_open_side, sector_min
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, Readings
from arena_trees.robot.scan import LaserScan
from arena_trees.safety.gate import STOPS, VelocityGate
from arena_trees.safety.parameters import GateParameters

TICK = 20_000_000
SPIN = Twist2D(0.0, 0.5)
CREEP = Twist2D(0.05, 0.0)
DATA = Path(os.environ.get("ARENA_TREES_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")) / "bags"
BAGS = ["danpark_drive_square", "danpark_finite-state-controller", "danpark_obstacle-avoider"]


class Robot:
    """A writer and a gate, fed with one message after the other."""

    def __init__(self):
        self.writer = PerceptionBlackboardWriter("wolf")
        # What it commands is not what the robots of the recordings did.
        self.gate = VelocityGate(GateParameters(odometry_hold=0.0))

    def tick(self, now, scan, odometry=None, command=SPIN):
        percepts = self.writer.write(Readings(now, scan, odometry), ())
        decision = self.gate.decide(percepts, command)
        assert decision.twist.is_finite
        if decision.twist != command:
            # Acceleration is the one limit that needs no reason.
            growing = abs(decision.twist.linear) + abs(decision.twist.angular) > 0.0
            assert growing or decision.reasons
        if percepts.scan is not None:
            check_sectors(percepts.scan)
        return decision

    def run(self, ranges, seconds, begin=0, period=7, **changes):
        """Feed equal scans for a while; return the last decision."""
        scan = None
        for tick in range(begin, begin + round(seconds * 50)):
            if (tick - begin) % period == 0:
                scan = laser(ranges, tick * TICK, tick + 1, **changes)
            decision = self.tick(tick * TICK, scan)
        return decision


def check_sectors(scan):
    for values in (scan.x, scan.y, scan.bearing, scan.distance):
        assert np.isfinite(values).all()
    for begin in (-3.0, -0.5, 2.5):
        nearest = sector_min(scan, begin, begin + 1.0)
        assert nearest > 0.0
        assert not math.isnan(nearest)
    assert not math.isnan(free_ahead(scan))
    assert more_open_side(scan) in (-1, 0, 1)


@pytest.fixture
def robot():
    made = Robot()
    yield made
    made.writer.close()


def test_37_returns_among_361_beams_are_a_healthy_scan(robot):
    ranges = np.full(361, np.inf)
    ranges[::10] = 1.5
    assert np.isfinite(ranges).sum() == 37
    decision = robot.run(ranges, 1.5, angle_min=-math.pi, angle_max=math.pi, angle_increment=math.radians(1.0))
    assert (decision.twist, decision.reasons) == (SPIN, ())


def test_37_beams_whose_angles_say_361_are_refused(robot):
    decision = robot.run(
        np.full(37, 1.5), 1.4, angle_min=-math.pi, angle_max=math.pi, angle_increment=math.radians(1.0)
    )
    assert robot.writer.refusals == {"scan: malformed": 10}
    assert decision.reasons == ("no scan",)


@pytest.mark.parametrize("code", [0.0, math.nan, math.inf, RANGE_MAX, 64.0])
def test_a_scan_with_nothing_but_codes_is_no_scan(robot, code):
    assert robot.run(np.full(361, code), 2.0).reasons == ("no scan",)
    assert not robot.writer.refusals


@pytest.mark.parametrize("code", [0.0, math.nan, math.inf, RANGE_MAX, 64.0])
def test_codes_are_nothing_near_ray_by_ray(robot, code):
    ranges = np.full(360, code)
    ranges[180] = 2.0
    assert robot.run(ranges, 1.5).reasons == ()
    scan = robot.writer.write(Readings(from_now := 10**12, laser(ranges, from_now, 9999)), ()).scan
    assert scan.distance.tolist() == [2.0]
    assert sector_min(scan, -0.01, 0.01) == 2.0


def test_future_stamps_are_refused_and_do_not_keep_a_robot_moving(robot):
    ranges = np.full(360, 2.0)
    robot.run(ranges, 1.0)
    for tick in range(50, 120):
        now = tick * TICK
        decision = robot.tick(now, laser(ranges, now, tick + 1, stamp=now + 500_000_000))
    assert decision.reasons == ("scan stale",)
    assert robot.writer.refusals == {"scan: stamp in the future": 70}


@pytest.mark.parametrize(
    ("ranges", "changes"),
    [
        ([], {}),
        (np.full(360, 1.0), {"angle_increment": math.nan}),
        (np.full(360, -1.0), {}),
        (np.full(359, 1.0), {"angle_max": 3.2, "angle_increment": 0.1}),
    ],
)
def test_messages_that_contradict_themselves_are_refused(robot, ranges, changes):
    assert robot.run(ranges, 0.6, **changes).reasons == ("no scan",)
    assert set(robot.writer.refusals) == {"scan: malformed"}


def test_ten_thousand_beams_are_accepted(robot):
    assert robot.run(np.full(10_000, 2.0), 0.6).reasons == ()


def test_ranges_that_are_no_numbers_are_refused(robot):
    bad = LaserScan(0, 0, 1, ["a", "b"], 0.0, 0.1, 0.1, 0.0, 5.0)
    assert robot.tick(0, bad).reasons == ("no scan",)
    assert robot.writer.refusals == {"scan: malformed": 1}


def test_a_turned_lidar_shows_the_gate_the_true_front(robot):
    """A TurtleBot 4's is yawed by +90 degrees: what is ahead of the robot is on the LiDAR's right."""
    ranges = np.full(360, 3.0)
    ranges[85:96] = 0.25
    for tick in range(60):
        now = tick * TICK
        scan = laser(ranges, now, tick + 1, mount=Pose2D(0.0, 0.0, math.pi / 2))
        decision = robot.tick(now, scan, command=Twist2D(0.1, 0.0))
    assert decision.reasons == ("obstacle",)
    ranges = np.roll(ranges, 90)
    for tick in range(60, 120):
        now = tick * TICK
        scan = laser(ranges, now, tick + 1, mount=Pose2D(0.0, 0.0, math.pi / 2))
        decision = robot.tick(now, scan, command=Twist2D(0.1, 0.0))
    assert decision.reasons == ()


def recorded(bag):
    """Return scans and odometry of a recording, each (arrival in ns, percept), from instant 0 on."""
    folder = DATA / bag
    if not folder.is_dir():
        pytest.skip(f"no recordings at {DATA}; set ARENA_TREES_DATA")
    highlevel = pytest.importorskip("rosbags.highlevel")
    typesys = pytest.importorskip("rosbags.typesys")
    scans, odometry = [], []
    with highlevel.AnyReader([folder], default_typestore=typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)) as reader:
        begin = reader.start_time
        wanted = [connection for connection in reader.connections if connection.topic in ("/scan", "/odom")]
        for connection, time, raw in reader.messages(connections=wanted):
            message = reader.deserialize(raw, connection.msgtype)
            arrival = time - begin
            stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec - begin
            if connection.topic == "/scan":
                angles = message.angle_min, message.angle_max, message.angle_increment
                limits = message.range_min, message.range_max
                scans.append(LaserScan(stamp, arrival, len(scans) + 1, message.ranges, *angles, *limits))
                continue
            at, turn = message.pose.pose.position, message.pose.pose.orientation
            moved = message.twist.twist
            pose = Pose2D(at.x, at.y, 2.0 * math.atan2(turn.z, turn.w))
            twist = Twist2D(moved.linear.x, moved.angular.z)
            odometry.append(Odometry(stamp, arrival, len(odometry) + 1, pose, twist))
    return scans, odometry


@pytest.mark.parametrize("bag", BAGS)
def test_recorded_scans_cause_no_stop_that_is_not_explained_or_lasts(robot, bag):
    scans, odometry = recorded(bag)
    stopped: list[int] = []
    scan_at = odometry_at = -1
    newest_return, age_at_stop = -(10**12), []
    for now in range(scans[0].arrival + TICK, scans[-1].arrival, TICK):
        while scan_at + 1 < len(scans) and scans[scan_at + 1].arrival <= now:
            scan_at += 1
            if np.isfinite(scans[scan_at].ranges).any():
                newest_return = scans[scan_at].arrival
        while odometry_at + 1 < len(odometry) and odometry[odometry_at + 1].arrival <= now:
            odometry_at += 1
        latest = None if odometry_at < 0 else odometry[odometry_at]
        decision = robot.tick(now, scans[scan_at], latest)
        assert decision.latched is None
        # Turning on the spot is stopped by nothing but stale scans.
        assert set(decision.reasons) <= {"scan stale", "no scan"}
        if STOPS.intersection(decision.reasons):
            stopped.append(now)
            age_at_stop.append((now - newest_return) / 1e9)
    assert not robot.writer.refusals
    ticks = (scans[-1].arrival - scans[0].arrival) / TICK
    # Every stop begins with a gap of more than half a second, or at the start, and ends 0.2 s after it.
    begins = [age for now, age in zip(stopped, age_at_stop, strict=True) if now - TICK not in stopped]
    assert all(age > 0.5 for age in begins[1:])
    assert len(stopped) < 0.2 * ticks
    assert longest_run(stopped) <= 1.2e9


@pytest.mark.parametrize("bag", BAGS)
def test_recorded_scans_let_a_robot_creep_where_they_show_room(robot, bag):
    scans, odometry = recorded(bag)
    blocked = seen = odometry_at = 0
    for scan in scans:
        while odometry_at + 1 < len(odometry) and odometry[odometry_at + 1].arrival <= scan.arrival:
            odometry_at += 1
        decision = robot.tick(scan.arrival, scan, odometry[odometry_at], CREEP)
        shown = robot.gate.state.memories[0].shown
        room = shown is None or free_ahead(robot.writer.write(Readings(scan.arrival, scan), ()).scan, 0.25) > 0.15
        if room and not STOPS.intersection(decision.reasons):
            seen += 1
            blocked += "obstacle" in decision.reasons
    assert seen > 0.5 * len(scans)
    assert blocked <= 0.02 * seen


def longest_run(instants):
    longest = run = 0
    for before, now in itertools.pairwise(instants):
        run = run + TICK if now - before == TICK else 0
        longest = max(longest, run)
    return longest
