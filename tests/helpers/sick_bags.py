"""Makes broken and hostile bags out of sound ones, from a seed."""

import os
import random
import shutil
import sqlite3
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from lz4 import frame as lz4
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, ReaderError, StoragePlugin, Writer

from arena_trees.recording.bags.message_types import definition, typestore

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"\x89MCAP0\r\n"

LENGTHS = (0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)
NUMBERS = (float("nan"), float("inf"), -1e308, 1e39)
TEXTS = (
    "",
    "{",
    "[" * 50_000,
    '{"a":' * 10_000,
    "null",
    "[]",
    '{"tick":NaN}',
    '{"tick":' + "9" * 5000 + "}",
    '{"nodes":[["a","b",-1]]}',
    '{"nodes":[["a","b",5],["c","d",-1]]}',
    '{"robots":[]}',
    '{"robots":{"wolf":{"role":"wolf","parameters":{"chase_kp":"x"},"fence":[[0,0],[1,0]]}}}',
    '{"robots":{"wolf":{"role":7,"fence":"x"}}}',
    '{"tick":0,"whole":true,"now":0,"statuses":"zz","active":1}',
    '{"topic":"game","sender":"x","epoch":0,"sequence":1,"stamp":0,"payload":[]}',
    "\x00\ud7ff" * 100,
)

Sickness = Callable[[Path, random.Random], None]
Message = tuple[str, str, int, bytes]
"""Topic, type, instant (ns), what it holds."""


def data_file(bag: Path) -> Path:
    """Return the file with a bag's messages."""
    return next(path for path in sorted(bag.iterdir()) if path.suffix in (".mcap", ".db3"))


def _edit(path: Path, change: Callable[[bytearray], bytes | bytearray]) -> None:
    path.write_bytes(change(bytearray(path.read_bytes())))


def truncate(bag: Path, rng: random.Random) -> None:
    _edit(data_file(bag), lambda data: data[: rng.randrange(len(data))])


def scatter(path: Path, rng: random.Random, times: tuple[int, ...], change: Callable[[bytearray], None]) -> None:
    """Change a file in one of so many places."""

    def change_all(data: bytearray) -> bytearray:
        for _ in range(rng.choice(times)):
            change(data)
        return data

    _edit(path, change_all)


def flip(bag: Path, rng: random.Random, times: tuple[int, ...] = (1, 5, 50, 500), most: int = sys.maxsize) -> None:
    def change(data: bytearray) -> None:
        data[rng.randrange(min(len(data), most))] ^= 1 << rng.randrange(8)

    scatter(data_file(bag), rng, times, change)


def flip_early(bag: Path, rng: random.Random) -> None:
    flip(bag, rng, (1, 3, 10), most=400)


def blank(bag: Path, rng: random.Random) -> None:
    def change(data: bytearray) -> bytearray:
        start = rng.randrange(len(data))
        length = rng.choice((8, 100, 4096))
        data[start : start + length] = bytes(len(data[start : start + length]))
        return data

    _edit(data_file(bag), change)


def lie_about_lengths(bag: Path, rng: random.Random) -> None:
    def change(data: bytearray) -> None:
        at = rng.randrange(max(1, len(data) - 8))
        data[at : at + 8] = struct.pack("<Q", rng.choice(LENGTHS))

    scatter(data_file(bag), rng, (1, 10), change)


def garble_metadata(bag: Path, rng: random.Random) -> None:
    def change(data: bytearray) -> None:
        data[rng.randrange(len(data))] = rng.randrange(256)

    scatter(bag / "metadata.yaml", rng, (1, 5, 50), change)


def write_metadata(bag: Path, rng: random.Random) -> None:
    name = data_file(bag).name
    storage = "mcap" if name.endswith(".mcap") else "sqlite3"
    head = "rosbag2_bagfile_information:\n  version: 9\n"
    sound = f"{head}  storage_identifier: {storage}\n  relative_file_paths: [{name}]\n"
    outside = ["/etc/passwd", "../../../etc/passwd", "..", ".", "../" + bag.name, "/dev/zero", "~/.ssh/id_rsa", "a\0b"]
    texts = [
        *(f"{head}  storage_identifier: {storage}\n  relative_file_paths: ['{path}']\n" for path in outside),
        f"{head}  storage_identifier: tape\n  relative_file_paths: [{name}]\n",
        f"{head}  storage_identifier: {storage}\n  relative_file_paths: [{name}, {name}]\n",
        f"{head}  storage_identifier: {storage}\n  relative_file_paths: {name}\n",
        f"{head}  storage_identifier: {storage}\n  relative_file_paths: []\n",
        f"{sound}  compression_mode: file\n  compression_format: zstd\n",
        f"{sound}  compression_mode: message\n  compression_format: zstd\n",
        f"{sound}  compression_mode: FILE\n  compression_format: fake\n",
        f"{head}  storage_identifier: {'sqlite3' if storage == 'mcap' else 'mcap'}\n  relative_file_paths: [{name}]\n",
        "",
        "- a\n- b\n",
        "[" * 5000,
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "!!python/object/apply:os.system ['true']",
        "rosbag2_bagfile_information: 7\n",
        f"{sound}  topics_with_message_count: [1, {{topic_metadata: {{serialization_format: [cdr]}}}}]\n",
        "\xff\xfe",
    ]
    (bag / "metadata.yaml").write_text(rng.choice(texts), encoding="latin-1")


def lead_outside(bag: Path, rng: random.Random) -> None:
    """Put a link, a pipe or a folder in the place of the messages."""
    file = data_file(bag)
    outside = bag.parent / f"{bag.name}_outside{file.suffix}"
    file.rename(outside)
    kind = rng.randrange(5)
    if kind == 0:
        file.symlink_to(outside)
    elif kind == 1:
        file.symlink_to("/dev/zero")
    elif kind == 2:
        os.mkfifo(file)
    elif kind == 3:
        file.mkdir()
    else:
        file.symlink_to(file.name)


def drop_metadata(bag: Path, rng: random.Random) -> None:
    (bag / "metadata.yaml").unlink()
    if rng.random() < 0.5:
        truncate(bag, rng)


def rewrite(bag: Path, change: Callable[[Message], list[Message]]) -> None:
    """Put messages through a change, into a sound MCAP file."""
    with Reader(bag) as reader:
        old = [(c.topic, c.msgtype, time, bytes(data)) for c, time, data in reader.messages()]
    known = typestore().fielddefs
    shutil.rmtree(bag)
    writer = Writer(bag, version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connections = {}
        for topic, kind, time, data in (new for message in old for new in change(message)):
            if (topic, kind) not in connections:
                text, code = definition(kind) if kind in known else ("", "unknown")
                connections[topic, kind] = writer.add_connection(topic, kind, msgdef=text, rihs01=code)
            writer.write(connections[topic, kind], time % (1 << 64), data)


def go_back_in_time(bag: Path, rng: random.Random) -> None:
    share = rng.choice((0.001, 0.05, 0.5, 1.0))
    step = rng.choice((10**6, 10**9, 10**12, 1 << 62, (1 << 64) - 1))

    def change(message: Message) -> list[Message]:
        topic, kind, time, data = message
        by = rng.choice((-1, 1)) * rng.randrange(step) if rng.random() < share else 0
        return [(topic, kind, time + by, data)]

    rewrite(bag, change)


def reverse_time(bag: Path, rng: random.Random) -> None:
    rewrite(bag, lambda message: [(*message[:2], (1 << 61) - message[2], message[3])])


def forget_types(bag: Path, rng: random.Random) -> None:
    types = ["nowhere_msgs/msg/Nothing", "", "sensor_msgs/msg/LaserScan", "std_msgs/msg/String", "x" * 10_000]

    def change(message: Message) -> list[Message]:
        return [(message[0], types[hash(message[0]) % len(types)], *message[2:])]

    rewrite(bag, change)


def say_nothing(bag: Path, rng: random.Random) -> None:
    rewrite(bag, lambda message: [])


def garble_messages(bag: Path, rng: random.Random) -> None:
    share = rng.choice((0.01, 0.2, 1.0))

    def garbled(data: bytes) -> bytes:
        changed = bytearray(data)
        kind = rng.randrange(6)
        if kind == 0:
            return bytes(changed[: rng.randrange(len(changed) + 1)])
        if kind == 1:
            return rng.randbytes(rng.randrange(200))
        if kind == 2:
            return bytes(changed) + rng.randbytes(rng.randrange(2000))
        at = rng.randrange(max(1, len(changed) - 8))
        form, value = (
            ("<I", rng.choice(LENGTHS) & 0xFFFFFFFF),
            ("<d", rng.choice(NUMBERS[:3])),
            ("<f", rng.choice(NUMBERS[:2])),
        )[kind - 3]
        packed = struct.pack(form, value)
        changed[at : at + len(packed)] = packed
        return bytes(changed)

    rewrite(bag, lambda message: [(*message[:3], garbled(message[3]) if rng.random() < share else message[3])])


def garble_texts(bag: Path, rng: random.Random) -> None:
    share = rng.choice((0.05, 1.0))

    def change(message: Message) -> list[Message]:
        if message[1] != "std_msgs/msg/String" or rng.random() >= share:
            return [message]
        data = bytearray(rng.choice(TEXTS).encode("utf-8", "replace"))
        if rng.random() < 0.5:
            data = bytearray(message[3][8:-1])
            for _ in range(rng.choice((1, 10))):
                data[rng.randrange(len(data))] = rng.randrange(256)
        text = b"\x00\x01\x00\x00" + struct.pack("<I", len(data) + 1) + bytes(data) + b"\x00"
        return [(*message[:3], text)]

    rewrite(bag, change)


def repeat(bag: Path, rng: random.Random) -> None:
    """Put the middle of a file into it again and again."""

    def change(data: bytearray) -> bytearray:
        start, end = sorted(rng.randrange(len(data)) for _ in range(2))
        return data[:start] + data[start:end] * rng.choice((2, 10)) + data[end:]

    _edit(data_file(bag), change)


def _record(opcode: int, content: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(content)) + content


def _text(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode()


def bomb_chunks(bag: Path, rng: random.Random) -> None:
    """Make small chunks of what unpacks to gigabytes, with or without saying so."""
    size = rng.choice((10 << 20, 60 << 20, 500 << 20))
    kind = rng.choice(("zstd", "lz4"))
    inside = rng.choice((b"\x00", b"\x05" + struct.pack("<Q", 22) + bytes(22)))
    raw = inside * (size // len(inside))
    packed = zstd.compress(raw, 1) if kind == "zstd" else lz4.compress(raw)
    said = rng.choice((len(raw), 100, (1 << 64) - 1))
    chunk = struct.pack("<QQQI", 0, 0, said, 0) + _text(kind) + struct.pack("<Q", len(packed)) + packed
    channel = _record(
        0x03, struct.pack("<H", 1) + _text("std_msgs/msg/String") + _text("ros2msg") + _text("string data")
    )
    channel += _record(0x04, struct.pack("<HH", 0, 1) + _text("/wolf/ticks") + _text("cdr") + struct.pack("<I", 0))
    shutil.rmtree(bag)
    bag.mkdir()
    copies = rng.choice((1, 20))
    (bag / "messages.mcap").write_bytes(
        MAGIC + _record(0x01, _text("ros2") + _text("")) + channel + _record(0x06, chunk) * copies
    )


def bomb_file(bag: Path, rng: random.Random) -> None:
    """Make a compressed bag of what unpacks to gigabytes."""
    shutil.rmtree(bag)
    bag.mkdir()
    piece = zstd.compress(bytes(256 << 20), 1)
    (bag / "messages.mcap.zstd").write_bytes(zstd.compress(MAGIC) + piece * rng.choice((1, 16)))


def bomb_database(bag: Path, rng: random.Random) -> None:
    """Make a database whose tables make data of nothing."""
    shutil.rmtree(bag)
    bag.mkdir()
    connection = sqlite3.connect(bag / "messages.db3")
    topics = "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 AS topic_id, i AS timestamp"
    messages = rng.choice(
        (
            f"CREATE VIEW messages AS {endless}, zeroblob(1000000) AS data FROM n",
            "CREATE TABLE messages(topic_id INTEGER, timestamp INTEGER, data BLOB AS (zeroblob(900000000)))",
            "CREATE TABLE messages(topic_id INTEGER, timestamp INTEGER, data BLOB)",
            "CREATE VIRTUAL TABLE messages USING fts5(topic_id, timestamp, data)",
            "CREATE TABLE other(x)",
        )
    )
    kind = "sensor_msgs/msg/LaserScan" if rng.random() < 0.5 else "std_msgs/msg/String"
    with connection:
        connection.execute(topics)
        connection.execute(messages)
        connection.execute("INSERT INTO topics VALUES (1, '/wolf/scan', ?, 'cdr')", (kind,))
        if messages.startswith("CREATE TABLE messages(topic_id INTEGER, timestamp INTEGER, data BLOB)"):
            connection.execute("INSERT INTO messages VALUES (1, 5, zeroblob(100000000))")
            connection.execute(
                "INSERT INTO messages VALUES ('x', 'y', 'z'), (1, NULL, NULL), (1, -5, x'00'), (9, 9, x'')"
            )
    connection.close()


SICKNESSES: dict[str, Sickness] = {
    sickness.__name__: sickness
    for sickness in (
        truncate, flip, flip_early, blank, lie_about_lengths, garble_metadata, write_metadata, lead_outside,
        drop_metadata, go_back_in_time, reverse_time, forget_types, say_nothing, garble_messages, garble_texts,
        repeat, bomb_chunks, bomb_file, bomb_database,
    )
}  # fmt: skip
"""What may happen to a bag, by name. Each changes a copy of a sound one in place."""


def make_sick(sources: list[Path], folder: Path, seed: int) -> tuple[Path, str]:
    """Return a broken bag, and what was done to which; both depend on the seed alone."""
    rng = random.Random(seed)
    name = list(SICKNESSES)[seed % len(SICKNESSES)]
    source = sources[(seed // len(SICKNESSES)) % len(sources)]
    bag = folder / f"bag_{seed}"
    shutil.copytree(source, bag, copy_function=shutil.copyfile)
    for path in (bag, *bag.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    try:
        SICKNESSES[name](bag, rng)
    except ReaderError:
        # What cannot be read when it is sound cannot be rewritten either.
        name = "flip"
        flip(bag, rng)
    return bag, f"{name} of {source.name}, seed {seed}"
