"""Where a LiDAR is mounted: guessed from scans and odometry, told by hand, and contradicted by transforms."""

import math
from pathlib import Path

import numpy as np
import pytest
from helpers import foreign_bags as ros
from helpers.foreign_bags import DATA, EPOCH, SECOND, Written, drive, write_bag
from helpers.scans import cast, laser, rectangle

from arena_trees.commands.bag_options import parse_mounts
from arena_trees.recording import robot_loading
from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.serialising import serialised
from arena_trees.recording.lidar_mount import guess_mount
from arena_trees.recording.loading import load_recording
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor import RosTopic, Sensor
from arena_trees.safety.reckoning import advance
from arena_trees.sensors.ranges.sensor import RangeReading, Ranges

ROOM = np.concatenate([rectangle(2.5, 1.8), rectangle(0.3, 0.2, 1.2, 0.9), rectangle(0.1, 0.4, -1.5, -0.8)])
CORRIDOR = np.asarray([[-99.0, 1.0, 99.0, 1.0], [-99.0, -1.0, 99.0, -1.0]])


def driven(
    mount: Pose2D, walls: np.ndarray = ROOM, speed: float = 0.25, seconds: int = 20
) -> tuple[list[LaserScan], list[Odometry]]:
    """Return scans (10 Hz) and odometry (20 Hz, in a frame of its own) of a drive along a bend."""
    rng = np.random.default_rng(1)
    pose, start = Pose2D(-1.5, 0.3, -0.2), Pose2D(7.0, -3.0, 1.0)
    first = pose
    scans, odometry = [], []
    for tick in range(20 * seconds):
        now = tick * SECOND // 20
        odometry.append(Odometry(now, now, tick + 1, start.compose(first.relative(pose)), Twist2D(speed, 0.0)))
        if tick % 2 == 0:
            ranges = cast(walls, pose.compose(mount), 360) + rng.normal(0.0, 0.01, 360)
            scans.append(laser(ranges, now, tick + 1))
        pose = advance(pose, Twist2D(speed, 0.35 * math.sin(tick / 60.0) if walls is ROOM else 0.0), 0.05)
    return scans, odometry


@pytest.mark.parametrize(
    "degrees", [90.0, -135.0, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.0, 180.0, 17.0))]
)
def test_the_direction_of_a_lidar_is_guessed(degrees: float):
    guess = guess_mount(*driven(Pose2D(-0.04, 0.02, math.radians(degrees))))
    assert abs(math.degrees(wrap(guess.yaw - math.radians(degrees)))) < 4.0
    assert (guess.x, guess.y) == (0.0, 0.0)


def test_what_a_recording_does_not_tell_is_not_guessed():
    assert guess_mount(*driven(Pose2D(), speed=0.0)) is None
    assert guess_mount(*driven(Pose2D(), CORRIDOR)) is None
    scans, odometry = driven(Pose2D())
    assert guess_mount(scans, []) is None
    assert guess_mount([], odometry) is None
    # Odometry that has nothing to do with the scans.
    assert guess_mount(scans, driven(Pose2D(), speed=-0.25)[1][::-1]) is None


@pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no recordings in {DATA}")
@pytest.mark.parametrize(
    "name",
    [
        "obstacle-avoider",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("drive_square", "finite-state-controller")),
    ],
)
def test_of_a_real_robots_lidar_it_guesses_nothing_or_what_its_transforms_say(name: str):
    (robot,) = load_recording(DATA / f"danpark_{name}").robots.values()
    guess = guess_mount(robot.scans, robot.odometry)
    assert guess is not None or name == "obstacle-avoider"
    assert guess is None or abs(math.degrees(wrap(guess.yaw - robot.scans[0].mount.yaw))) < 8.0


def bag(path: Path, extra: list[Written], mounted: bool = False) -> Path:
    """Write a recording of a drive in a room, whose LiDAR looks to the left."""
    scans, odometry = driven(Pose2D(0.0, 0.0, math.pi / 2))
    written = [
        ("/odom", EPOCH + one.stamp, ros.odometry(EPOCH + one.stamp, one.pose.x, one.pose.y, one.pose.yaw))
        for one in odometry
    ]
    for scan in scans:
        ranges = np.append(scan.ranges, scan.ranges[0])
        written.append(("/scan", EPOCH + scan.stamp, ros.scan(EPOCH + scan.stamp, ranges)))
    if mounted:
        written.append(("/tf_static", EPOCH, ros.transform(EPOCH, "base_link", "laser", -0.1, 0.0, 0.5)))
    return write_bag(path, written + extra)


def test_the_mount_of_a_sensor_that_is_no_lidar_is_not_guessed(tmp_path, monkeypatch):
    sonar = Sensor(
        key="sonar",
        description="a sonar",
        reading=Ranges,
        ros=RosTopic(
            topic="sonar",
            type="sensor_msgs/msg/Range",
            reading=lambda message, times, mount: Ranges(*times, (RangeReading("sonar", mount, message.range, 4.0),)),
            fields=lambda ranges: {"range": ranges["sonar"].distance},
            mounted=True,
        ),
    )
    monkeypatch.setattr(robot_loading, "sensors", lambda: {"sonar": sonar})
    heard = []
    for now in range(EPOCH, EPOCH + 20 * SECOND, SECOND // 10):
        data = serialised("sensor_msgs/msg/Range", now, "sonar_link", {"range": 1.5})
        heard.append(("/sonar", now, typestore().deserialize_cdr(data, "sensor_msgs/msg/Range")))
    robot = load_recording(bag(tmp_path / "bag", heard)).robots["robot"]
    assert {one.readings[0].mount for one in robot.more["sonar"]} == {Pose2D()}
    assert "sonar: it is not known where sonar_link is mounted; taken for the robot's middle" in robot.notes


def test_a_missing_mount_is_guessed_and_that_is_said(tmp_path):
    robot = load_recording(bag(tmp_path / "bag", [])).robots["robot"]
    assert math.degrees(robot.scans[0].mount.yaw) == pytest.approx(90.0, abs=4.0)
    (note,) = (note for note in robot.notes if "mounted" in note)
    assert note.startswith("scan: it is not known where laser is mounted; taken for the robot's middle, turned by ")
    assert note.endswith("degrees, as scans and odometry fit together")


@pytest.mark.parametrize("mounted", [False, True])
def test_a_mount_that_is_given_counts(tmp_path, mounted: bool):
    mounts = parse_mounts(["scan=-0.04,0.01,-90"])
    robot = load_recording(bag(tmp_path / "bag", [], mounted), mounts=mounts).robots["robot"]
    assert {scan.mount for scan in robot.scans} == {Pose2D(-0.04, 0.01, -math.pi / 2)}
    assert not any("mounted" in note for note in robot.notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("scan", "must have the form scan=X,Y,DEGREES"),
        ("scan=1,2", "must have the form scan=X,Y,DEGREES"),
        ("scan=0,0,nan", "must be at most 10 m"),
        ("scan=0,nan,0", "must be at most 10 m"),
        ("scan=0,0,inf", "must be at most 10 m"),
        ("odom=0,0,0", "is none of scan, robot_scan"),
        ("tb1.scan=0,0,0", "there is no such robot; there are robot"),
    ],
)
def test_a_mount_that_makes_no_sense_is_refused(tmp_path, given: str, said: str):
    path = write_bag(tmp_path / "bag", drive(0.2))
    with pytest.raises(ConfigError, match=said):
        load_recording(path, mounts=parse_mounts([given]))


def test_two_static_transforms_that_contradict_each_other_are_told(tmp_path):
    again = [("/tf_static", EPOCH + SECOND, ros.transform(EPOCH, "base_link", "laser", -0.1, 0.0, 0.0))]
    assert not any("contradict" in note for note in load(tmp_path / "same", again).notes)
    other = [("/tf_static", EPOCH + SECOND, ros.transform(EPOCH, "base_link", "laser", -0.1, 0.0, math.pi))]
    robot = load(tmp_path / "other", other)
    (note,) = (note for note in robot.notes if "contradict" in note)
    assert "laser is at (-0.10, +0.00) +0 deg in base_link, and at (-0.10, +0.00) +180 deg in base_link" in note
    assert "the later one counts" in note
    assert robot.scans[0].mount.yaw == pytest.approx(math.pi)
    parent = [("/tf_static", EPOCH + SECOND, ros.transform(EPOCH, "base_plate", "laser", -0.1, 0.0, 0.0))]
    assert any("in base_plate" in note for note in load(tmp_path / "parent", parent).notes)
    plate = ("/tf_static", EPOCH, ros.transform(EPOCH, "base_link", "base_plate", 0.0, 0.0, 0.0))
    shifted = ("/tf_static", EPOCH + SECOND, ros.transform(EPOCH, "base_link", "base_plate", 0.1, 0.0, 0.0))
    below = load(tmp_path / "below", [*parent, plate, shifted])
    assert sum("contradict" in note for note in below.notes) == 2


def test_static_transforms_of_what_is_not_in_use_may_contradict_each_other(tmp_path):
    wheels = [
        ("/tf_static", EPOCH + x * SECOND, ros.transform(EPOCH, "base_link", f"wheel_{n}", 0.1 * x, 0.0, 0.0))
        for n in range(20)
        for x in range(2)
    ]
    assert not any("contradict" in note for note in load(tmp_path / "bag", wheels).notes)
    again = [("/tf_static", EPOCH + SECOND, ros.transform(EPOCH, "base_link", "laser", 0.3, 0.0, 0.0))]
    path = write_bag(tmp_path / "told", drive(0.5) + again)
    told = load_recording(path, mounts={"scan": Pose2D(0.0, 0.0, 0.0)}).robots["robot"]
    assert not any("contradict" in note for note in told.notes)


@pytest.mark.parametrize(("below", "above"), [("base_footprint", "base_link"), ("base_link", "base_footprint")])
def test_a_base_that_odometry_does_not_tell_of_is_the_robots_own_frame(tmp_path, below: str, above: str):
    extra = [
        ("/tf", EPOCH, ros.transform(EPOCH, "odom", below, 0.0, 0.0, 0.0)),
        ("/tf_static", EPOCH, ros.transform(EPOCH, above, "laser", -0.2, 0.0, 0.0)),
    ]
    assert load(tmp_path / "bag", extra).scans[0].mount.x == pytest.approx(-0.2)


def load(path: Path, extra: list[Written]):
    return load_recording(write_bag(path, drive(0.5) + extra)).robots["robot"]
