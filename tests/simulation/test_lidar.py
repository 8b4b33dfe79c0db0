"""The LiDAR against rooms whose ranges are known."""

import math

import numpy as np
import pytest
from small_world import QUIET, rabbit, room, run, wolf

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.footprint import Solid

HALF = 2.6


def scan_at(layout, pose, sensors=QUIET, *others):
    arena = Arena(layout, [wolf(pose, sensors), *others], 1)
    run(arena, 0.3)
    return arena.robots["wolf"].read().scan


def beam_angles(scan):
    """Return each beam's direction in base_link."""
    return scan.mount.yaw + scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))


def room_ranges(pose, angles):
    """Return the distances from a point to the faces of the room, by geometry."""
    x, y = pose.x, pose.y
    directions = angles + pose.yaw
    with np.errstate(divide="ignore"):
        to_x = (np.copysign(HALF, np.cos(directions)) - x) / np.cos(directions)
        to_y = (np.copysign(HALF, np.sin(directions)) - y) / np.sin(directions)
    return np.minimum(to_x, to_y)


@pytest.mark.parametrize("pose", [Pose2D(), Pose2D(1.0, -0.7, 0.6), Pose2D(-2.0, 2.0, -2.5)])
def test_an_empty_room_is_measured_as_geometry_says(pose):
    # To half of the quarter of a millimetre that the sensor reports.
    scan = scan_at(room(), pose)
    sensor = pose.compose(Pose2D(-0.04, 0.0))
    expected = room_ranges(sensor, beam_angles(scan))
    assert len(scan.ranges) == 640
    assert scan.ranges == pytest.approx(expected, abs=0.00013)


def test_beam_0_looks_to_the_right_because_the_mount_is_turned():
    # Index 0 is at -180 degrees of a sensor that is turned by +90 degrees.
    scan = scan_at(room(Solid("box", Pose2D(-0.04, -1.0), 0.2, 0.2, 0.5)), Pose2D())
    assert scan.mount == Pose2D(-0.04, 0.0, math.pi / 2)
    assert math.degrees(beam_angles(scan)[0]) == pytest.approx(-90.0)
    assert scan.ranges[0] == pytest.approx(0.9, abs=1e-5)
    assert scan.ranges[320] == pytest.approx(2.6, abs=1e-5)


def test_the_percept_made_of_a_scan_has_points_in_base_link():
    scan = Scan.from_laser(scan_at(room(Solid("box", Pose2D(1.1, 0.0), 0.2, 0.2, 0.5)), Pose2D()))
    ahead = np.abs(scan.bearing) < 0.02
    assert scan.x[ahead] == pytest.approx(1.0, abs=1e-4)
    assert scan.beams == 640


@pytest.mark.parametrize(("surface", "seen"), [("normal", 0.94), ("glass", 2.64), ("dark", 2.64)])
def test_glass_and_dark_surfaces_are_invisible(surface, seen):
    scan = scan_at(room(Solid("box", Pose2D(1.0, 0.0), 0.2, 0.6, 0.5, surface)), Pose2D())
    ahead = np.argmin(np.abs(beam_angles(scan)))
    assert scan.ranges[ahead] == pytest.approx(seen, abs=1e-4)


def test_what_is_lower_than_the_scan_plane_is_not_seen():
    scan = scan_at(room(Solid("box", Pose2D(1.0, 0.0), 0.2, 0.6, 0.19)), Pose2D())
    ahead = np.argmin(np.abs(beam_angles(scan)))
    assert scan.ranges[ahead] == pytest.approx(2.64, abs=1e-4)


def test_another_robot_is_seen_and_the_own_hull_is_not():
    scan = scan_at(room(), Pose2D(), QUIET, rabbit(Pose2D(1.0, 0.0)))
    ahead = np.argmin(np.abs(beam_angles(scan)))
    assert scan.ranges[ahead] == pytest.approx(1.04 - TURTLEBOT4.radius, abs=1e-3)
    assert scan.ranges.min() > 0.5


def test_what_is_too_near_or_too_far_has_no_return():
    scan = scan_at(room(half=10.0), Pose2D())
    assert np.isinf(scan.ranges).mean() == pytest.approx(1.0 - math.acos(10.0 / 12.0) / (math.pi / 4.0), abs=0.01)
    assert scan.ranges[np.isfinite(scan.ranges)].max() <= 12.0
    near = scan_at(room(Solid("box", Pose2D(-0.29, 0.0), 0.2, 1.0, 0.5)), Pose2D())
    behind = np.argmin(np.cos(beam_angles(near)))
    assert np.isinf(near.ranges[behind])


def test_noise_and_dropouts_have_the_stated_size():
    sensors = SensorParameters().with_changes({"lidar.noise_m": 0.02, "lidar.dropout": 0.1})
    arena = Arena(room(), [wolf(Pose2D(), sensors)], 2)
    errors, missing = [], []
    seen = 0
    while seen < 40:
        arena.step()
        scan = arena.robots["wolf"].read().scan
        if scan is not None and scan.sequence > seen:
            seen = scan.sequence
            expected = room_ranges(Pose2D(-0.04, 0.0), beam_angles(scan))
            finite = np.isfinite(scan.ranges)
            errors.append((scan.ranges - expected)[finite])
            missing.append(1.0 - finite.mean())
    errors = np.concatenate(errors)
    assert errors.mean() == pytest.approx(0.0, abs=0.001)
    assert errors.std() == pytest.approx(0.02, rel=0.05)
    assert np.mean(missing) == pytest.approx(0.1, abs=0.01)


def test_ranges_cannot_be_written_to():
    scan = scan_at(room(), Pose2D())
    assert scan.ranges.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        scan.ranges[0] = 1.0
