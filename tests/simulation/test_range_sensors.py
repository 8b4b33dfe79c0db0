"""Single-beam range sensors and the LiDAR against rooms whose distances are known."""

import math
from dataclasses import replace

import numpy as np
import pytest
from small_world import QUIET, rabbit, room, run, wolf

from arena_trees.recording.play import play
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan
from arena_trees.sensors.ranges.sensor import check
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.world.body import TURTLEBOT4, Body, RangeMount
from arena_trees.world.footprint import Solid

MOUNTS = (
    RangeMount(name="front_left", x=0.14, y=0.08, yaw_deg=0.0),
    RangeMount(name="left", x=0.0, y=0.15, yaw_deg=90.0),
    RangeMount(name="back", x=-0.14, y=0.0, yaw_deg=180.0),
)
BEAMS = Body(lidar=False, ranges=MOUNTS)
EXACT = {"ranges.noise_m": 0.0, "ranges.dropout": 0.0}


def sensed(layout, pose, changes=None, *others, body=BEAMS, seconds=0.3):
    sensors = QUIET.with_changes({**EXACT, **(changes or {})})
    arena = Arena(layout, [replace(wolf(pose, sensors), body=body), *others], 1)
    run(arena, seconds)
    return arena.robots["wolf"].read()


def distances(readings):
    return [reading.distance for reading in readings.ranges.readings]


def test_each_beam_measures_from_its_own_mount_along_its_own_direction():
    readings = sensed(room(), Pose2D(1.0, -0.5, 0.0))
    ranges = check(readings.ranges)
    assert readings.scan is None
    assert [reading.name for reading in ranges.readings] == ["front_left", "left", "back"]
    assert distances(readings) == pytest.approx([2.6 - 1.14, 2.6 + 0.5 - 0.15, 2.6 + 0.86], abs=0.0006)
    assert ranges["front_left"].hit == pytest.approx((1.6, 0.08), abs=0.0006)
    turned = sensed(room(), Pose2D(0.0, 0.0, math.pi / 2))
    assert distances(turned) == pytest.approx([2.46, 2.45, 2.46], abs=0.0006)


def test_numbers_are_whole_millimetres_in_single_precision_as_their_message_carries_them():
    for distance in distances(sensed(room(), Pose2D(0.123, 0.456, 0.789), {"ranges.noise_m": 0.05})):
        assert distance == float(np.float32(distance))
        assert distance * 1000.0 == pytest.approx(round(distance * 1000.0), abs=1e-3)


def test_beams_see_what_a_lidar_sees():
    for surface, expected in (("normal", 0.46), ("glass", 2.46), ("dark", 2.46)):
        box = Solid("box", Pose2D(0.7, 0.0), 0.2, 0.6, 0.5, surface)
        assert distances(sensed(room(box), Pose2D()))[0] == pytest.approx(expected, abs=0.0006)
    other = rabbit(Pose2D(1.0, 0.08, 0.0))
    assert distances(sensed(room(), Pose2D(), None, other))[0] == pytest.approx(1.0 - 0.17 - 0.14, abs=0.0006)


def test_what_is_out_of_reach_has_no_echo_and_what_is_too_near_is_as_near_as_can_be():
    far = sensed(room(), Pose2D(), {"ranges.range_max": 2.0})
    assert distances(far) == [math.inf] * 3
    assert {reading.limit for reading in far.ranges.readings} == {2.0}
    near = sensed(room(), Pose2D(2.42, 0.0, 0.0), {"ranges.range_min": 0.08})
    assert distances(near)[0] == pytest.approx(0.08)
    assert distances(sensed(room(), Pose2D(), {"ranges.dropout": 1.0})) == [math.inf] * 3


def test_measurements_come_at_their_rate_and_after_their_latency():
    arena = Arena(room(), [replace(wolf(Pose2D(), QUIET), body=BEAMS)], 1)
    seen = {}
    while arena.now < 10 * 10**9:
        arena.step()
        ranges = arena.robots["wolf"].read().ranges
        if ranges is not None:
            seen.setdefault(ranges.sequence, (ranges, arena.now))
    assert 198 <= len(seen) <= 200
    for ranges, now in seen.values():
        assert ranges.arrival - ranges.stamp == 20_000_000
        assert 0 <= now - ranges.arrival <= 20_000_000


def test_a_robot_without_lidar_or_ranges_casts_no_ray(monkeypatch):
    cast = []
    one_by_one = RayCaster.lidar
    monkeypatch.setattr(
        RayCaster, "lidar", lambda self, *rest: cast.append(len(rest[2])) or one_by_one(self, *rest)
    )  # fmt: skip
    assert sensed(room(), Pose2D(), body=Body(lidar=False)).ranges is None
    assert cast == []
    sensed(room(), Pose2D())
    assert set(cast) == {1}


def test_range_sensors_disturb_no_other_sensor():
    """Their noise is drawn from a stream of their own."""
    noisy = SensorParameters()
    seen = []
    for body in (Body(), Body(ranges=MOUNTS)):
        arena = Arena(room(), [replace(wolf(Pose2D(), noisy), body=body), rabbit(Pose2D(1.5, 1.0, 0.0), noisy)], 7)
        run(arena, 1.0)
        seen.append([robot.read() for robot in arena.robots.values()])
    for before, after in zip(*seen, strict=True):
        assert np.array_equal(before.scan.ranges, after.scan.ranges)
        assert replace(before, scan=None) == replace(after, scan=None, more=before.more)


def test_a_game_is_played_by_beams_alone_until_they_fall_silent():
    """The rabbit would stand for ever for want of scans, were its gate that of a robot with a LiDAR."""
    body = {"lidar": False, "ranges": [mount.model_dump() for mount in MOUNTS]}
    changes = {"robots.rabbit.body": body, "duration_s": 4.0}
    faults = [{"robot": "rabbit", "sensor": "ranges", "at_s": 2.0}]

    def limited(**more):
        result = play("wolf_rabbit", changes={**changes, **more}, trials=1, seed=3)
        return result.trials[0].trajectories["rabbit"]

    whole, silenced = limited(), limited(faults=faults)
    reasons = {reason for at, one in zip(whole.time, whole.limited, strict=True) if at > 0.5 for reason in one}
    assert not reasons & {"no scan", "scan stale", "no ranges", "ranges stale"}
    assert math.dist(whole.pose[-1, :2], whole.pose[0, :2]) > 0.1
    late = [one for at, one in zip(silenced.time, silenced.limited, strict=True) if at > 2.6]
    assert late and all("ranges stale" in one for one in late)


HALF = 2.6


def scan_at(layout, pose, sensors=QUIET, *others):
    arena = Arena(layout, [wolf(pose, sensors), *others], 1)
    run(arena, 0.3)
    return arena.robots["wolf"].read().scan


def beam_angles(scan):
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
