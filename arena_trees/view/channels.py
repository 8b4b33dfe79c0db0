"""The channels of a Foxglove server: what was sent last on each is sent again to whoever subscribes later."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from foxglove import Channel, Context, Schema

from arena_trees.recording.bags.message_types import definition
from arena_trees.recording.bags.writer import Topic

__all__ = ["Channels"]


class Channels:
    """Channels of one context. They send from one thread; :meth:`subscribed` may be called from any.

    Args:
        context: whose sinks get what is sent
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._channels: dict[str, Channel] = {}
        self._last: dict[str, dict[Hashable, tuple[bytes, int]]] = {}
        self._new: set[str] = set()
        self._lock = threading.Lock()

    @property
    def topics(self) -> Sequence[str]:
        """Names of all topics."""
        return tuple(self._channels)

    def add_ros(self, topic: Topic) -> None:
        """Add a channel of ROS 2 messages, serialised as CDR."""
        schema = Schema(name=topic.type, encoding="ros2msg", data=definition(topic.type)[0].encode())
        self._add(topic.name, "cdr", schema)

    def add_foxglove(self, topic: str, message: Any) -> None:
        """Add a channel of one of Foxglove's own messages, a class of :mod:`foxglove.messages`."""
        self._add(topic, "protobuf", message.get_schema())

    def add_json(self, topic: str, schema: Mapping[str, Any]) -> None:
        """Add a channel of JSON objects, described by a JSON schema."""
        self._add(topic, "json", dict(schema))

    def send(self, topic: str, data: bytes, now: int, part: Hashable = None) -> None:
        """Send a message.

        Args:
            topic: of a channel that was added
            data: serialised as the channel specifies
            now: instant, ns
            part: what it replaces of what is sent again, where several messages together make a whole
        """
        last = self._last[topic]
        # To its end, for what is sent again comes in the order in which it came.
        last.pop(part, None)
        last[part] = data, now
        self._channels[topic].log(data, log_time=now)

    def subscribed(self, topic: str) -> None:
        """Note that somebody new listens."""
        with self._lock:
            self._new.add(topic)

    def send_again(self) -> None:
        """Send the last messages of each channel that somebody has subscribed since the last call."""
        with self._lock:
            new, self._new = self._new, set()
        for topic in sorted(new):
            for data, now in self._last.get(topic, {}).values():
                self._channels[topic].log(data, log_time=now)

    def close(self) -> None:
        """Close all channels."""
        for channel in self._channels.values():
            channel.close()

    def _add(self, topic: str, encoding: str, schema: Schema | dict[str, Any]) -> None:
        self._channels[topic] = Channel(topic, message_encoding=encoding, schema=schema, context=self._context)
        self._last[topic] = {}
