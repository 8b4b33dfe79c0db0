"""Writes a rosbag2 directory that its owner alone can read: one MCAP file, and metadata.yaml at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from arena_trees.recording.bags.mcap_writer import Channel, McapWriter, Pending
from arena_trees.recording.bags.message_types import definition
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["BagWriter", "RecordingError", "Topic"]

_METADATA_VERSION = 9
"""Jazzy's."""

_LATCHED = (
    "[{history: keep_last, depth: 1, reliability: reliable, durability: transient_local, deadline: {sec: 0, nsec: 0},"
    " lifespan: {sec: 0, nsec: 0}, liveliness: automatic, liveliness_lease_duration: {sec: 0, nsec: 0},"
    " avoid_ros_namespace_conventions: false}]"
)


class RecordingError(ArenaTreesError):
    """A recording cannot be written where it should be."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic to record.

    Attributes:
        name: absolute
        type: of its messages
        latched: whether those who come late are to get the last message (transient local)
    """

    name: str
    type: str
    latched: bool = False


class BagWriter:
    """Writes one bag.

    Args:
        path: of the directory, which must not exist; its parents are made
        topics: everything that will be written; messages name them by their place in here, from 1

    Raises:
        RecordingError: the directory exists, or cannot be made
    """

    def __init__(self, path: Path, topics: Sequence[Topic]) -> None:
        self.path = path
        self._topics = tuple(topics)
        channels = [
            Channel(
                topic.name,
                topic.type,
                definition(topic.type)[0],
                _channel_notes(topic),
                topic.type == "sensor_msgs/msg/LaserScan",
            )
            for topic in topics
        ]
        if path.exists():
            raise RecordingError(f"{path}: exists already; a recording overwrites nothing")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.mkdir(mode=0o700)
            self._file = FileIO(path / f"{path.name}_0.mcap", "xb", opener=_private)
            self._mcap = McapWriter(self._file, channels)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written: {error.strerror}") from error

    def pending(self) -> Pending:
        """Return an empty collection of messages for this bag."""
        return Pending(len(self._topics))

    def write(self, pending: Pending) -> None:
        """Write messages; on an error they are gone, and nothing else is.

        Raises:
            OSError: they cannot be written
        """
        self._mcap.write(pending)

    def close(self) -> None:
        """Write the indices and ``metadata.yaml``, as far as that can be done.

        Raises:
            OSError: something could not be written; the messages that were stay readable
        """
        problem: OSError | None = None
        for step in (self._mcap.finish, self._describe, self._file.close):
            try:
                step()
            except OSError as error:
                problem = problem or error
        if problem is not None:
            raise problem

    def _describe(self) -> None:
        unfinished = self.path / "metadata.yaml.tmp"
        try:
            with open(unfinished, "x", encoding="utf-8", opener=_private) as file:
                file.write(self._metadata())
            unfinished.replace(self.path / "metadata.yaml")
        except OSError:
            with suppress(OSError):
                unfinished.unlink()
            raise

    def _metadata(self) -> str:
        """Return the text of ``metadata.yaml``; PyYAML would take longer than a short recording does."""
        counts, name = self._mcap.counts, json.dumps(f"{self.path.name}_0.mcap")
        total = sum(counts.values())
        start = self._mcap.start if total else 0
        span = (
            f"duration: {{nanoseconds: {max(0, self._mcap.end - start)}}}",
            f"starting_time: {{nanoseconds_since_epoch: {start}}}",
            f"message_count: {total}",
        )
        lines = ["rosbag2_bagfile_information:", f"  version: {_METADATA_VERSION}", "  storage_identifier: mcap"]
        lines += [f"  {line}" for line in span]
        lines.append("  topics_with_message_count:")
        lines += [
            f"  - {{topic_metadata: {{name: {topic.name}, type: {topic.type}, serialization_format: cdr,"
            f" offered_qos_profiles: {_profile(topic)}, type_description_hash: {definition(topic.type)[1]}}},"
            f" message_count: {counts[number]}}}"
            for number, topic in enumerate(self._topics, 1)
        ]
        lines += ['  compression_format: ""', '  compression_mode: ""', f"  relative_file_paths: [{name}]", "  files:"]
        lines += [f"  - path: {name}", *(f"    {line}" for line in span)]
        lines += ["  custom_data: ~", "  ros_distro: jazzy", ""]
        return "\n".join(lines)


def _profile(topic: Topic) -> str:
    """Return the quality of service that players shall offer, as metadata of version 9 has it.

    None for ROS's usual one, which is reliable: every subscription hears it, those for sensor data too.
    """
    return _LATCHED if topic.latched else "[]"


def _channel_notes(topic: Topic) -> tuple[tuple[str, str], ...]:
    return ("offered_qos_profiles", _profile(topic)), ("topic_type_hash", definition(topic.type)[1])


def _private(path: str, flags: int) -> int:
    """Open a file that its owner alone can read, and that is not there yet."""
    return os.open(path, flags | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
