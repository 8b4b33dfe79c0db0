"""Writes a rosbag2 directory that its owner alone can read, by rosbags."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosbags.interfaces import Connection, ConnectionExtRosbag2, MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2 import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter

from arena_trees.recording.bags.message_types import definition
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["METADATA", "BagWriter", "RecordingError", "Topic"]

_LOGGER = logging.getLogger(__name__)

METADATA = "metadata.yaml"
"""File of a bag that is there once the bag is whole."""
_VERSION = 9
"""Version of the metadata, as in Jazzy."""

_NEVER = {"sec": 0, "nsec": 0}
_LATCHED = {
    "history": "keep_last",
    "depth": 1,
    "reliability": "reliable",
    "durability": "transient_local",
    "deadline": _NEVER,
    "lifespan": _NEVER,
    "liveliness": "automatic",
    "liveliness_lease_duration": _NEVER,
    "avoid_ros_namespace_conventions": False,
}


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
    """Writes one bag. What cannot be written is counted, and reported once; it stops nobody.

    Attributes:
        failed: number of messages that could not be made or written

    Args:
        path: of the directory, which must not exist; its parents are made
        topics: that are written from the beginning; messages name them by their place in here

    Raises:
        RecordingError: the directory exists, or cannot be made
    """

    def __init__(self, path: Path, topics: Sequence[Topic]) -> None:
        self.failed = 0
        self._path = path
        self._full = False
        if os.path.lexists(path):
            raise RecordingError(f"{path}: exists already; a recording overwrites nothing")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.mkdir(mode=0o700)
            self._storage = McapWriter(path, CompressionMode.STORAGE)
            self._storage.path.chmod(0o600)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written: {error.strerror}") from error
        self._topics: list[Topic] = []
        self._connections: list[Connection] = []
        for topic in topics:
            self.add(topic)
        self._put = self._storage.write

    def add(self, topic: Topic) -> None:
        """Add a topic, which messages name by its place behind those that there are."""
        self._topics.append(topic)
        self._connections.append(self._connection(topic, len(self._topics)))

    def _connection(self, topic: Topic, number: int) -> Connection:
        text, code = definition(topic.type)
        kind = MessageDefinition(MessageDefinitionFormat.MSG, text)
        details = ConnectionExtRosbag2("cdr", [])
        connection = Connection(number, topic.name, topic.type, kind, code, 0, details, self)
        if all(schema.name != topic.type for schema in self._storage.schemas):
            self._storage.add_msgtype(connection)
        self._storage.add_connection(connection, json.dumps(_profiles(topic)))
        return connection

    def write(self, topic: int, instant: int, data: bytes) -> None:
        """Write a message of an instant (ns), serialised; on a full disk it is lost, like all that follow."""
        if self._full:
            self.failed += 1
            return
        try:
            self._put(self._connections[topic], instant, data)
        except OSError as error:
            self._give_up(error)

    def fail(self, error: Exception) -> None:
        """Count what could not be made a message of."""
        if not self.failed:
            _LOGGER.warning("recording %s: %s: %s", self._path, type(error).__name__, error)
        self.failed += 1

    def close(self) -> None:
        """Write the rest, the index and ``metadata.yaml``, as far as that can be done."""
        try:
            if not self._full:
                metadata = self._metadata()
                self._storage.close(_VERSION, json.dumps(metadata))
                text = json.dumps({"rosbag2_bagfile_information": metadata})
                file = self._path / METADATA
                write_atomically(file, lambda stream: stream.write(text.encode()))
                file.chmod(0o600)
        except (OSError, ConfigError) as error:
            self._give_up(error)

    def _give_up(self, error: OSError | ConfigError) -> None:
        """Write no more: a chunk that was cut off may be the file's last, or nothing behind it can be read."""
        self._full = True
        self.fail(error)
        with suppress(OSError):
            self._storage.abort()

    def _metadata(self) -> dict[str, Any]:
        """Return the content of ``metadata.yaml``, written as JSON: YAML's writer takes a tenth of a short game."""
        storage = self._storage
        counts, start = storage.channel_stats, storage.message_start_time
        span = {
            "duration": {"nanoseconds": max(0, storage.message_end_time - start)},
            "starting_time": {"nanoseconds_since_epoch": start},
            "message_count": sum(counts.values()),
        }
        topics = [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.type,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": _profiles(topic),
                    "type_description_hash": definition(topic.type)[1],
                },
                "message_count": counts[number],
            }
            for number, topic in enumerate(self._topics, 1)
        ]
        return {
            "version": _VERSION,
            "storage_identifier": "mcap",
            **span,
            "topics_with_message_count": topics,
            "compression_format": "",
            "compression_mode": "",
            "relative_file_paths": [storage.path.name],
            "files": [{"path": storage.path.name, **span}],
            "custom_data": None,
            "ros_distro": "jazzy",
        }


def _profiles(topic: Topic) -> list[dict[str, Any]]:
    """Return the quality of service that players shall offer; none is ROS's usual one, which is reliable."""
    return [_LATCHED] if topic.latched else []
