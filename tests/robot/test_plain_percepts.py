"""Percepts made of plain numbers and arrays."""

import math

import numpy as np
import pytest

import arena_trees as at
from arena_trees.robot.errors import ScanError
from arena_trees.robot.keys import FIELDS
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.percepts import Percepts, sequence_names
from arena_trees.robot.stamped import Stamped

NAMES = {"angle_min": -math.pi, "angle_increment": math.tau / 8, "range_min": 0.1, "range_max": 12.0}


def test_a_scan_of_a_list_has_the_points_that_returned():
    laser = at.LaserScan.from_ranges([1.0, math.nan, math.inf, 0.0, 2.0, 0.05, 12.0, 3.0], at.SECOND, **NAMES)
    scan = at.Scan.from_laser(laser)
    assert (laser.stamp, laser.arrival, laser.sequence) == (at.SECOND, at.SECOND, at.SECOND)
    assert laser.angle_max == pytest.approx(math.pi - math.tau / 8)
    assert scan.distance == pytest.approx([1.0, 2.0, 3.0])
    assert scan.x == pytest.approx([-1.0, 2.0, -3.0 * math.sqrt(0.5)])


def test_a_scan_keeps_its_ranges_when_the_array_changes():
    ranges = np.ones(8)
    laser = at.LaserScan.from_ranges(ranges, 0, **NAMES)
    ranges[:] = 5.0
    assert laser.ranges.tolist() == [1.0] * 8


@pytest.mark.parametrize(
    ("ranges", "changes", "said"),
    [
        ([], {}, "0 beams"),
        ([[1.0]], {}, r"shape \(1, 1\)"),
        (["near"], {}, "no numbers"),
        ([-1.0], {}, "negative"),
        ([1.0], {"angle_increment": 0.0}, "angle_increment is 0"),
        ([1.0], {"angle_min": math.nan}, "not finite"),
        ([1.0], {"range_max": math.inf}, "not finite"),
        ([1.0], {"range_min": 13.0}, "limits"),
        ([1.0], {"mount": at.Pose2D(math.nan)}, "mount is not finite"),
    ],
)
def test_a_bad_scan_is_refused(ranges, changes, said):
    with pytest.raises(ScanError, match=said):
        at.LaserScan.from_ranges(ranges, 0, **{**NAMES, **changes})


def test_odometry_and_pose_of_numbers():
    odometry = at.Odometry.from_values(1, x=1.0, y=2.0, yaw=3.0, linear=0.1, angular=-0.2, arrival=2, sequence=7)
    assert odometry == at.Odometry(1, 2, 7, at.Pose2D(1.0, 2.0, 3.0), at.Twist2D(0.1, -0.2))
    assert at.PoseEstimate.from_values(5, x=1.0, y=2.0, yaw=3.0) == at.PoseEstimate(5, 5, 5, at.Pose2D(1.0, 2.0, 3.0))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("key", ["x", "y", "yaw", "linear", "angular"])
def test_numbers_that_are_not_finite_are_refused(key: str, bad: float):
    numbers = {"x": 0.0, "y": 0.0, "yaw": 0.0, "linear": 0.0, "angular": 0.0, key: bad}
    with pytest.raises(at.ConfigError, match=rf"^Odometry\.{key}: must be finite \(got {bad}\)$"):
        at.Odometry.from_values(0, **numbers)


def test_a_snapshot_lists_the_numbers_of_its_percepts_in_the_order_of_their_names():
    numbers = {name: 10 + place for place, name in enumerate(sequence_names()) if name != "inbox"}
    came = {name: Stamped(0, 0, number) for name, number in numbers.items()}
    own = {name: percept for name, percept in came.items() if name in FIELDS}
    snapshot = Percepts(0, **own, inbox=Inbox(sequence=5), more={n: p for n, p in came.items() if n not in FIELDS})
    assert snapshot.sequences() == tuple({**numbers, "inbox": 5}[name] for name in sequence_names())
    assert Percepts(0).sequences() == (0,) * len(sequence_names())
