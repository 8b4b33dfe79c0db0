"""Bags that are written: private, of real types, and readable by others."""

import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.full_disk import files_limited_to
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.message_types import definition
from arena_trees.recording.bags.reader import BagError, read_bag
from arena_trees.recording.bags.writer import BagWriter, RecordingError, Topic

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"\x89MCAP0\r\n"

HASHES = {
    # As ROS 2 Jazzy's own generator has them.
    "sensor_msgs/msg/LaserScan": "RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828",
    "geometry_msgs/msg/TwistStamped": "RIHS01_5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64",
    "vision_msgs/msg/Detection2DArray": "RIHS01_214274120007f4a683866481336b70310268cfa107aebe9d594a6acf75bda968",
    "irobot_create_msgs/msg/HazardDetectionVector": (
        "RIHS01_90913822b0a9155a64b12352ba73b2ca9248d73874ebf7700ed277b2dca57edd"
    ),
    "std_msgs/msg/String": "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
}


@pytest.mark.parametrize("name", HASHES)
def test_types_are_ros_own(name: str):
    assert definition(name)[1] == HASHES[name]


def test_a_recording_opens_in_rosbags_and_has_ros_types(recorded: Path):
    store = get_typestore(Stores.ROS2_JAZZY)
    with Reader(recorded) as reader:
        assert reader.message_count == sum(1 for _ in reader.messages()) > 1000
        types = {connection.topic: connection.msgtype for connection in reader.connections}
        assert types["/wolf/scan"] == "sensor_msgs/msg/LaserScan"
        assert types["/wolf/cmd_vel"] == "geometry_msgs/msg/TwistStamped"
        assert types["/rabbit/detections"] == "vision_msgs/msg/Detection2DArray"
        for connection in reader.connections:
            assert connection.digest == definition(connection.msgtype)[1]
            if connection.msgtype in store.fielddefs:
                assert connection.digest == store.hash_rihs01(connection.msgtype)
            if connection.msgcount:
                assert connection.msgdef.data == definition(connection.msgtype)[0]
        scans = [c for c in reader.connections if c.topic == "/wolf/scan"]
        _, _, raw = next(reader.messages(scans))
        scan = store.deserialize_cdr(raw, scans[0].msgtype)
        assert len(scan.ranges) == 640
        times = [time for _, time, _ in reader.messages()]
        assert times == sorted(times)


def test_latched_topics_are_offered_to_those_who_come_late(recorded: Path):
    with Reader(recorded) as reader:
        offered = {c.topic: c.ext.offered_qos_profiles for c in reader.connections}
    for topic in ("/recording", "/wolf/tree", "/wolf/tf_static", "/arena/markers"):
        assert offered[topic][0].durability.name == "TRANSIENT_LOCAL"
        assert offered[topic][0].reliability.name == "RELIABLE"
    assert offered["/wolf/scan"] == [], "what is usual"


def test_recordings_are_their_owners_alone(recorded: Path):
    for path in (recorded, *recorded.iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path


def test_nothing_is_overwritten(tmp_path):
    BagWriter(tmp_path / "bag", [Topic("/a", "std_msgs/msg/String")]).close()
    before = sorted(path.read_bytes() for path in (tmp_path / "bag").iterdir())
    with pytest.raises(RecordingError, match="exists already"):
        BagWriter(tmp_path / "bag", [Topic("/b", "std_msgs/msg/String")])
    assert sorted(path.read_bytes() for path in (tmp_path / "bag").iterdir()) == before


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordingError, match="cannot be written"):
        BagWriter(tmp_path / "file" / "bag", [])


def test_what_is_written_is_readable_though_nobody_closed(tmp_path):
    bag = BagWriter(tmp_path / "bag", [Topic("/a", "std_msgs/msg/String"), Topic("/b", "std_msgs/msg/String")])
    for number in range(100_000):
        bag.write(number % 2, number, cdr.string(f"text {number}"))
    assert 80_000 < messages_in(tmp_path / "bag" / "bag.mcap") < 100_000
    with pytest.raises(BagError, match=r"has no metadata\.yaml; `ros2 bag reindex` makes one"):
        read_bag(tmp_path / "bag", {"std_msgs/msg/String"})
    with pytest.raises(BagError, match="`mcap recover` mends a file that was cut off"):
        read_bag(tmp_path / "bag" / "bag.mcap", {"std_msgs/msg/String"})
    bag.close()


def messages_in(path: Path) -> int:
    """Return how many messages there are in a file's whole chunks, whether or not it has an end."""
    chunks = [content for opcode, content in records(path.read_bytes(), len(MAGIC)) if opcode == 0x06]
    count = 0
    for chunk in chunks:
        (packed,) = struct.unpack_from("<Q", chunk, 28 + 4 + len("zstd"))
        if len(chunk) < 40 + len("zstd") + packed:
            break
        count += sum(opcode == 0x05 for opcode, _ in records(zstd.decompress(chunk[-packed:]) + MAGIC, 0))
    return count


def records(data: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Give the records of a file from a place on."""
    while at < len(data) - len(MAGIC):
        opcode, length = struct.unpack_from("<BQ", data, at)
        yield opcode, data[at + 9 : at + 9 + length]
        at += 9 + length


FULL_DISK = """
import random, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
from pathlib import Path
from arena_trees.recording.bags.writer import BagWriter, Topic
bag = BagWriter(Path(sys.argv[1]), [Topic("/a", "std_msgs/msg/String")])
for number in range(100):
    bag.write(0, number, random.randbytes(100_000))
bag.close()
print(bag.failed)
"""


def test_a_full_disk_costs_what_comes_then_and_nothing_before(tmp_path):
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "bag")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.count("\n") == 1
    assert "File too large" in done.stderr
    assert 60 < int(done.stdout) < 80
    assert messages_in(tmp_path / "bag" / "bag.mcap") == 22


def test_metadata_that_cannot_be_written_whole_are_not_there(tmp_path, caplog):
    bag = BagWriter(tmp_path / "bag", [Topic(f"/{number}", "std_msgs/msg/String") for number in range(100)])
    # Its own file still finds room.
    bag._storage.close = lambda version, metadata: None
    with files_limited_to(100):
        bag.close()
    assert [path.name for path in (tmp_path / "bag").iterdir()] == ["bag.mcap"]
    assert "File too large" in caplog.text and bag.failed == 1


def test_a_message_that_cannot_be_made_costs_itself(tmp_path, caplog):
    bag = BagWriter(tmp_path / "bag", [Topic("/a", "std_msgs/msg/String")])
    bag.write(0, 1, cdr.string("x"))
    for number in range(2):
        bag.fail(ValueError(f"is no message {number}"))
    bag.write(0, 2, cdr.string("y"))
    bag.close()
    assert [message.time for message in read_bag(tmp_path / "bag", {"std_msgs/msg/String"}).messages()] == [1, 2]
    assert bag.failed == 2
    assert caplog.messages == [f"recording {tmp_path / 'bag'}: ValueError: is no message 0"]
