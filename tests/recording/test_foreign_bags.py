"""Bags of other robots and recorders: what they lack is told, what they have is used."""

import json
import math
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from helpers import foreign_bags as ros
from helpers.foreign_bags import DATA, EPOCH, SECOND, Written, drive, message, write_bag

from arena_trees.recording.bags.bag import kinds
from arena_trees.recording.bags.decoding import decoded
from arena_trees.recording.bags.reader import BagError, read_bag
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import ReplayResult, replay
from arena_trees.recording.traces.decoder import TickDecoder
from arena_trees.robot.errors import ConfigError

REAL = sorted(DATA.glob("danpark_*"))


def replayed(path: Path, role: str = "wolf") -> ReplayResult:
    return replay(plan_replay(load_recording(path), role=role))


@pytest.mark.skipif(not REAL, reason=f"there are no recordings in {DATA}")
@pytest.mark.parametrize("role", ["wolf", pytest.param("rabbit", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "path", [*REAL[:1], *(pytest.param(path, marks=pytest.mark.slow) for path in REAL[1:])], ids=lambda path: path.name
)
def test_a_real_robots_recording_goes_through_our_trees(path: Path, role: str):
    recording = load_recording(path)
    (robot,) = recording.robots.values()
    assert len(robot.scans) > 100 and len(robot.odometry) > 100
    assert all(reason.split(": ")[1].startswith("unknown type") for reason in recording.skipped)
    result = replay(plan_replay(recording, role=role))
    assert result.unexplained == 0
    assert result.fault is None
    assert not result.refusals
    assert result.ticks == pytest.approx((recording.end - recording.start) / SECOND * 50, rel=0.05)
    assert result.stands.keys() <= {
        "no scan", "scan stale", "no command", "scan stale, no command", "no scan, no command",
        # Real LiDARs lose their returns of whole sectors.
        "unseen",
        # What our tree commands is not what the robot of the recording drove.
        "odometry stuck", "odometry stuck, no command",
    }  # fmt: skip
    roams = {"wolf": {"Scan", "Forward", "Turn away", "Force forward"}}
    roams["rabbit"] = roams["wolf"] | {"Back towards home"}
    assert result.leaves.keys() <= roams[role]
    assert "there are no poses" in result.notes


@pytest.mark.parametrize(
    ("storage", "compression", "version"),
    [("sqlite3", "none", 8), ("sqlite3", "file", 8), ("sqlite3", "message", 8), ("mcap", "none", 8),
     ("mcap", "none", 9), ("mcap", "storage", 9), ("mcap", "file", 9), ("mcap", "message", 9)],
)  # fmt: skip
def test_every_storage_and_compression(tmp_path, storage: str, compression: str, version: int):
    path = write_bag(tmp_path / "bag", drive(), storage, compression, version)
    recording = load_recording(path)
    robot = recording.robots["robot"]
    assert (len(robot.scans), len(robot.odometry)) == (36, 50)
    assert robot.scans[0].stamp == robot.scans[0].arrival == EPOCH
    assert robot.scans[0].mount.x == -0.1
    assert not recording.skipped
    assert replayed(path).unexplained == 0


def test_velocities_of_humble_and_of_jazzy(tmp_path):
    stamped = message(
        "geometry_msgs/msg/TwistStamped", header=ros.header(EPOCH, "base_link"), twist=ros.twist(0.25, 0.5)
    )
    for name, value in (("humble", ros.twist(0.25, 0.5)), ("jazzy", stamped)):
        path = write_bag(tmp_path / name, [*drive(0.2), ("/cmd_vel", EPOCH, value)])
        ((instant, twist),) = load_recording(path).robots["robot"].commands
        assert (instant, twist.linear, twist.angular) == (EPOCH, 0.25, 0.5)


def test_several_robots_and_their_names(tmp_path):
    path = write_bag(tmp_path / "bag", drive(1.0, "/tb1") + drive(1.0, "/lab/tb2"))
    recording = load_recording(path)
    assert set(recording.robots) == {"tb1", "lab_tb2"}
    assert all(len(robot.scans) == 8 for robot in recording.robots.values())


def test_topics_of_other_names(tmp_path):
    renamed = [(topic.replace("/scan", "/front/lidar"), *rest) for topic, *rest in drive(1.0)]
    path = write_bag(tmp_path / "bag", renamed)
    assert not load_recording(path).robots["robot"].scans
    assert len(load_recording(path, {"scan": "/front/lidar"}).robots["robot"].scans) == 8
    assert len(load_recording(path, {"robot.scan": "/front/lidar"}).robots["robot"].scans) == 8
    with pytest.raises(ConfigError, match="there is no such topic; there are /front/lidar, /odom, /tf_static"):
        load_recording(path, {"scan": "/lidar"})
    with pytest.raises(ConfigError, match="--topic: camera: is none of scan, odom"):
        load_recording(path, {"camera": "/front/lidar"})


@pytest.mark.parametrize(("storage", "compression"), [("sqlite3", "none"), ("mcap", "file"), ("mcap", "message")])
def test_a_renamed_database_file_is_found(tmp_path, storage: str, compression: str):
    path = write_bag(tmp_path / "bag", drive(1.0), storage, compression)
    (file,) = (file for file in path.iterdir() if file.name != "metadata.yaml")
    file.rename(path / f"kitchen{''.join(file.suffixes)}")
    robot = load_recording(path).robots["robot"]
    assert len(robot.scans) == 8
    assert f"metadata.yaml names {file.name}; kitchen{''.join(file.suffixes)} was read in its place" in robot.notes
    (path / f"garden{''.join(file.suffixes)}").write_bytes(b"")
    with pytest.raises(BagError, match="database files are missing"):
        load_recording(path)


def test_a_robot_without_a_name_is_not_asked_for_by_one(tmp_path):
    recording = load_recording(write_bag(tmp_path / "bag", drive(1.0)))
    with pytest.raises(ConfigError, match="no name in front: leave it out, and give --role wolf") as raised:
        plan_replay(recording, "wolf")
    assert raised.value.key == "--robot"
    with pytest.raises(ConfigError, match="no name in front: leave it out") as raised:
        plan_replay(recording, "tb1")
    assert "--role" not in str(raised.value)


@pytest.mark.parametrize("off", [-40 * 365 * 86_400 * SECOND, pytest.param(3600 * SECOND, marks=pytest.mark.slow)])
def test_stamps_of_another_clock_are_moved(tmp_path, off: int):
    path = write_bag(tmp_path / "bag", drive(stamps=EPOCH + off))
    robot = load_recording(path).robots["robot"]
    assert sum("another clock's" in note for note in robot.notes) == 2
    assert all(scan.stamp == scan.arrival for scan in robot.scans)
    result = replayed(path)
    assert result.reasons["free"] > 200
    assert not result.refusals


@pytest.mark.parametrize(("rate", "began"), [(0.98, 0), (1.03, 0), (0.98, EPOCH - SECOND // 2)])
def test_stamps_of_a_clock_of_another_rate_are_moved_by_it(tmp_path, rate: float, began: int):
    """A simulation that does not keep real time: its stamps drift away from their arrivals, however they begin."""
    delays = np.random.default_rng(4)

    def received(written: Written) -> Written:
        topic, instant, value = written
        late = int(delays.exponential(0.02) * SECOND) if delays.random() < 0.9 else SECOND // 3
        return topic, EPOCH + int((instant - EPOCH) / rate) + late, value

    written = [received(one) for one in drive(42.0, stamps=began)]
    path = write_bag(tmp_path / "bag", sorted(written, key=lambda one: one[1]))
    robot = load_recording(path).robots["robot"]
    (said,) = (note for note in robot.notes if note.startswith("scan: stamps"))
    off = (EPOCH - began) / SECOND
    assert f"{off:+.1f} s off" in said
    assert float(said.partition("bag's, at ")[2].split()[0]) == pytest.approx(rate, abs=5e-4)
    assert all(0 <= scan.arrival - scan.stamp < SECOND // 2 for scan in robot.scans)
    result = replayed(path)
    assert result.reasons["scan stale"] < 0.05 * result.ticks


def test_stamps_of_a_clock_of_the_same_rate_are_moved_by_one_offset(tmp_path):
    """Delays that vary, and stay long from a moment on, are no rate."""
    delays = np.random.default_rng(5)
    written = [
        (topic, instant + int(delays.exponential(0.03) * SECOND) + SECOND // 4 * (instant > EPOCH + 25 * SECOND), value)
        for topic, instant, value in drive(42.0, stamps=0)
    ]
    path = write_bag(tmp_path / "bag", sorted(written, key=lambda one: one[1]))
    robot = load_recording(path).robots["robot"]
    assert not any("rate" in note for note in robot.notes)
    stamps = sorted(scan.stamp for scan in robot.scans)
    assert [stamp - stamps[0] for stamp in stamps] == [place * 7 * SECOND // 50 for place in range(len(stamps))]
    assert min(scan.arrival - scan.stamp for scan in robot.scans) == 0


def test_scans_without_any_return_stop_the_robot_and_say_so(tmp_path):
    def blind(written: Written) -> Written:
        topic, instant, value = written
        if topic == "/scan" and EPOCH + 2 * SECOND <= instant < EPOCH + 4 * SECOND:
            value.ranges[:] = np.inf
        return written

    result = replayed(write_bag(tmp_path / "bag", [blind(written) for written in drive(6.0)]))
    assert 70 < result.stands["scan stale"] + result.stands["scan stale, no command"] < 160
    assert result.unexplained == 0


def test_poses_come_from_tf_where_no_topic_has_them(tmp_path):
    written = drive(3.0)
    for tick in range(0, 150, 10):
        now = EPOCH + tick * SECOND // 50
        written.append(("/tf", now, ros.transform(now, "map", "odom", 1.0, 2.0, math.pi / 2)))
        written.append(("/tf", now, ros.transform(now, "odom", "base_footprint", 0.02 * tick, 0.0, 0.0)))
    robot = load_recording(write_bag(tmp_path / "bag", written)).robots["robot"]
    last = robot.poses[-1]
    assert (last.pose.x, last.pose.y, last.pose.yaw) == pytest.approx((1.0, 2.0 + 0.02 * 140, math.pi / 2))
    assert "there are no poses" not in robot.notes


def test_a_mount_that_nobody_tells_is_taken_for_the_middle(tmp_path):
    robot = load_recording(write_bag(tmp_path / "bag", drive(1.0)[1:])).robots["robot"]
    assert robot.scans[0].mount.x == 0.0
    assert "scan: it is not known where laser is mounted; taken for the robot's middle" in robot.notes


def test_detections_without_the_size_of_their_image(tmp_path):
    found = ("/detections", EPOCH + SECOND, ros.detections(EPOCH + SECOND, ("rabbit_sign", 100.0, 90.0, 30.0, 31.0)))
    path = write_bag(tmp_path / "bag", [*drive(2.0), found])
    robot = load_recording(path).robots["robot"]
    assert (robot.more["detections"][0].image_width, robot.more["detections"][0].boxes[0].x) == (250, 100.0)
    assert "detections/camera_info is not recorded; taken for 250 x 250 px" in robot.notes


@pytest.mark.parametrize(
    ("topic", "spoilt", "value", "reported"),
    [
        ("/scan", "angle_increment", 0.0, "/scan: malformed"),
        ("/odom", "pose.pose.position.x", math.nan, "/odom: out of range"),
        ("/odom", "pose.pose.orientation.w", 5.0, "/odom: no rotation"),
    ],
)
def test_values_that_make_no_sense_are_skipped_and_counted(tmp_path, topic, spoilt, value, reported):
    written = drive(2.0)
    *parts, field = spoilt.split(".")
    for message_of_topic in [one for name, _, one in written if name == topic][3:6]:
        setattr(reduce(getattr, parts, message_of_topic), field, value)
    recording = load_recording(write_bag(tmp_path / "bag", written))
    assert recording.skipped == {reported: 3}


def test_one_wrong_time_shuts_nothing_else_out(tmp_path):
    written = drive(4.0)
    for place, by in ((20, 50 * 365 * 86_400 * SECOND), (40, -10 * SECOND)):
        topic, instant, value = written[place]
        written[place] = (topic, instant + by, value)
    recording = load_recording(write_bag(tmp_path / "bag", written))
    assert sum(recording.skipped.values()) == 1
    assert EPOCH - 10 * SECOND <= recording.start <= recording.end <= EPOCH + 4 * SECOND


def test_a_long_silence_is_left_out(tmp_path):
    later = [(topic, instant + 10_000 * SECOND, value) for topic, instant, value in drive(2.0)]
    result = replayed(write_bag(tmp_path / "bag", drive(2.0) + later))
    assert result.ticks < 600
    assert "1 silences of all sensors, longer than 2 s, were left out" in result.notes


def test_a_bag_with_nothing_of_use_is_told(tmp_path):
    info = message("std_msgs/msg/Int32", data=7)
    with pytest.raises(BagError, match="bag: has no message that can be used"):
        load_recording(write_bag(tmp_path / "bag", [("/number", EPOCH, info)]))
    with pytest.raises(BagError, match="there is no such bag"):
        load_recording(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BagError, match=r"has no metadata\.yaml; `ros2 bag reindex` makes one"):
        load_recording(tmp_path / "empty")


@pytest.mark.parametrize("rate", [1.0, 0.98])
def test_a_recording_of_a_tree_on_a_robot(tmp_path, recorded: Path, rate: float):
    """What rosbag2 leaves beside our nodes: another clock, no word of the recorder, a message a tick."""
    ours = load_recording(recorded)
    robot = dict(ours.info["robots"]["wolf"])
    robot["gate"] = None
    said = message("std_msgs/msg/String", data=json.dumps(robot))
    written: list[Written] = [("/wolf/recording", EPOCH, said)]
    decoder = TickDecoder(len(ours.robots["wolf"].tree))
    for raw in sorted(read_bag(recorded, kinds()).messages(), key=lambda raw: raw.time):
        if raw.topic.name == "/recording" or raw.topic.name.startswith("/rabbit"):
            continue
        value = decoded(raw)
        lines = value.data.split("\n") if raw.topic.name == "/wolf/ticks" else [""]
        for line in lines:
            if line:
                value = message("std_msgs/msg/String", data=line)
            now = decoder.decode(line).now if line else raw.time
            written.append((raw.topic.name, EPOCH + int(now / rate), value))
    written.sort(key=lambda item: item[1])
    recording = load_recording(write_bag(tmp_path / "bag", written))
    wolf = recording.robots["wolf"]
    assert recording.robots.keys() == {"wolf"}
    assert wolf.role == "wolf"
    assert any("clock is -1700000000.0 s off" in note for note in wolf.notes)
    assert any(f", at {rate:.2f}" in note for note in wolf.notes) == (rate != 1.0)
    assert wolf.scans[5].stamp == ours.robots["wolf"].scans[5].stamp
    result = replay(plan_replay(recording, "wolf"))
    assert result.compared == len(ours.robots["wolf"].ticks)
    assert result.different <= 0.02 * result.compared
    assert result.leaves["Chase the rabbit"] > 20
