"""Reads one MCAP file from its beginning, as far as it is whole: no index is needed, none is trusted.

Not by rosbags, which reads no file that lacks its end, and unpacks whatever a chunk says. [mcap.dev/spec]
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from arena_trees.recording.bags.limits import MAXIMUM_MESSAGE, BagError, Budget
from arena_trees.recording.bags.mcap_writer import MAGIC
from arena_trees.recording.bags.raw_message import RawMessage, RawTopic
from arena_trees.recording.bags.unpack import unpack_lz4, unpack_zstd

__all__ = ["read_mcap"]

_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _END_OF_DATA, _FOOTER = 0x03, 0x04, 0x05, 0x06, 0x0F, 0x02
_KEPT = frozenset((_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK))
_HEAD = struct.Struct("<BQ")
_MESSAGE_HEAD = struct.Struct("<HIQQ")
_CHUNK_HEAD = struct.Struct("<QQQI")


class _BrokenError(Exception):
    """A record is not what it says; the text is one of few."""


class _Reader:
    """What has been described so far in a file, and what could not be used."""

    def __init__(self, budget: Budget, skipped: Counter[str]) -> None:
        self.budget = budget
        self.skipped = skipped
        self.types: dict[int, str] = {}
        self.topics: dict[int, RawTopic] = {}

    def record(self, opcode: int, content: memoryview) -> Iterator[RawMessage]:
        """Give the messages of a record."""
        try:
            if opcode == _MESSAGE:
                message = self._message(content)
                if message is not None:
                    yield message
            elif opcode == _CHUNK:
                yield from self._chunk(content)
            elif opcode == _SCHEMA:
                (number,) = struct.unpack_from("<H", content)
                self.types[number], _ = _text(content, 2)
            elif opcode == _CHANNEL:
                self._channel(content)
        except _BrokenError as error:
            self.skipped[f"{error}"] += 1
        except (struct.error, UnicodeDecodeError):
            self.skipped["broken record"] += 1

    def _channel(self, content: memoryview) -> None:
        number, schema = struct.unpack_from("<HH", content)
        name, at = _text(content, 4)
        encoding, _ = _text(content, at)
        self.topics[number] = RawTopic(name, self.types.get(schema, ""), encoding)

    def _message(self, content: memoryview) -> RawMessage | None:
        self.budget.message()
        channel, sequence, logged, published = _MESSAGE_HEAD.unpack_from(content)
        topic = self.topics.get(channel)
        if topic is None:
            raise _BrokenError("message of an unknown channel")
        return RawMessage(topic, logged, published, sequence, bytes(content[_MESSAGE_HEAD.size :]))

    def _chunk(self, content: memoryview) -> Iterator[RawMessage]:
        _, _, size, checksum = _CHUNK_HEAD.unpack_from(content)
        compression, at = _text(content, _CHUNK_HEAD.size)
        (length,) = struct.unpack_from("<Q", content, at)
        packed = content[at + 8 : at + 8 + length]
        if len(packed) != length:
            raise _BrokenError("broken chunk")
        self.budget.unpack(size)
        raw = _unpacked(packed, compression, size)
        if raw is None or len(raw) != size or (checksum and zlib.crc32(raw) != checksum):
            raise _BrokenError("broken chunk")
        records, at = memoryview(raw), 0
        while at + _HEAD.size <= size:
            opcode, length = _HEAD.unpack_from(records, at)
            at += _HEAD.size
            if length > size - at:
                raise _BrokenError("broken chunk")
            if opcode in _KEPT and opcode != _CHUNK:
                yield from self.record(opcode, records[at : at + length])
            at += length


def _unpacked(packed: memoryview, compression: str, size: int) -> bytes | None:
    """Return a chunk's records, at most so many bytes; None where they cannot be had."""
    if compression == "":
        return bytes(packed)
    if compression == "zstd":
        return unpack_zstd(packed, size)
    if compression == "lz4":
        return unpack_lz4(packed, size)
    raise _BrokenError("chunk of an unknown compression")


def _text(content: memoryview, at: int) -> tuple[str, int]:
    """Return a text and where it ends."""
    (length,) = struct.unpack_from("<I", content, at)
    data = content[at + 4 : at + 4 + length]
    if len(data) != length:
        raise _BrokenError("broken record")
    return str(data, "utf-8"), at + 4 + length


def read_mcap(path: Path, file: BinaryIO, size: int, budget: Budget, skipped: Counter[str]) -> Iterator[RawMessage]:
    """Give the messages of a file in the order in which they lie in it.

    Args:
        path: named in errors
        file: open for reading, at its beginning
        size: of the file, bytes
        budget: what it may unpack to
        skipped: counts what could not be used, by reason

    Raises:
        BagError: it is no MCAP file of ROS 2, or costs more than it may
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise BagError(path, "is no MCAP file" if size else "is empty")
    reader, at = _Reader(budget, skipped), len(MAGIC)
    while at < size:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            skipped["the file ends early"] += 1
            return
        opcode, length = _HEAD.unpack(head)
        at += _HEAD.size + length
        if opcode in (_END_OF_DATA, _FOOTER):
            return
        if at > size:
            skipped["the file ends early"] += 1
            return
        if opcode not in _KEPT or length > MAXIMUM_MESSAGE:
            if opcode in _KEPT:
                skipped["record too long"] += 1
            file.seek(at)
            continue
        yield from reader.record(opcode, memoryview(file.read(length)))
    skipped["the file ends early"] += 1
