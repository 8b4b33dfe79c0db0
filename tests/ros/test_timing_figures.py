"""How the figures of the bench on ROS follow from arrivals."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from message_recorder import Arrival
from ros_kills import BOUNDS, braking, repeat_stalled
from ros_timing import scan_latencies, tick_timing

from arena_trees.robot.geometry import Twist2D

MS = 1_000_000


def test_a_late_tick_is_jitter_and_a_missing_one_is_lost():
    regular = np.arange(0.0, 101.0) * 20 * MS
    assert tick_timing(regular) == (20.0, 0.0, 0)
    late = regular.copy()
    late[50] += 9 * MS
    period, jitter, lost = tick_timing(late)
    assert (period, lost) == (20.0, 0)
    assert jitter == pytest.approx(9.0)
    assert tick_timing(np.delete(regular, [30, 60, 61]))[2] == 3


def test_latency_runs_to_what_could_know_the_scan():
    scans = np.array([100.0, 119.5, 200.0]) * MS
    raw = np.array([100.5, 120.0, 140.0, 160.0]) * MS
    driven = np.array([105.0, 120.2, 125.0, 145.0]) * MS
    # What was commanded within 2 ms of the scan did not know it; nothing was commanded after the last scan.
    assert scan_latencies(scans, raw, driven).tolist() == [25.0, 25.5]


def test_braking_begins_where_the_slope_meets_the_speed():
    fault, brake_s, deceleration = 1000 * MS, 0.49, 0.9
    odometry = []
    for step in range(40):
        age = 0.03 + 0.05 * step
        speed = min(0.3, max(0.0, 0.3 - deceleration * (age - brake_s)))
        odometry.append(Arrival(0, 0, fault + round(age * 1000) * MS, Twist2D(speed, 0.0)))
    assert braking(odometry[:10], fault) is None
    brakes, stands = braking(odometry, fault)
    assert brakes == pytest.approx(brake_s, abs=0.005)
    assert stands == pytest.approx(0.83)


def test_a_late_stop_is_measured_again_only_where_the_machine_stalled():
    name, bound = next(iter(BOUNDS.items()))
    late, good = {name: bound + 0.03}, {name: bound}
    assert repeat_stalled(iter([late, late, good]).__next__, lambda: 0.05) == (good, 2)
    # A node that is late on a machine that was not, or not as much, is at fault.
    assert repeat_stalled(iter([late]).__next__, lambda: 0.02) == (late, 0)
    assert repeat_stalled(iter([late] * 4).__next__, lambda: 0.05) == (late, 3)
