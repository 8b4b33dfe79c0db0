"""The robots of a ROS graph, as recordings of their newest messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from arena_trees.recording.bags.bag import Bag
from arena_trees.recording.bags.message_buffer import BufferedMessage
from arena_trees.recording.bags.reader import BagTopic, RawMessage
from arena_trees.recording.bags.writer import Topic
from arena_trees.recording.loading import recording_of
from arena_trees.recording.recording import NodeInfo, Recording
from arena_trees.recording.traces.decoder import TickDecoder
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS

__all__ = ["GraphParts"]

_DECISIONS_KEPT = 2
"""Messages of each gate: ticks come a little later than the decision that was made of them, and none is older."""
_STATIC = "tf_static"
_CAMERA = "camera_info"


class _Messages(NamedTuple):
    topics: Sequence[BagTopic]
    held: Sequence[RawMessage]
    renamed: Mapping[str, str] = {}

    def messages(self) -> Iterable[RawMessage]:
        return self.held


class GraphParts:
    """Makes recordings of messages as they come, each with what is needed to read it.

    Args:
        path: that the recordings name
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[tuple[int, bytes], BufferedMessage] = {}
        self._decisions: dict[int, deque[BufferedMessage]] = {}
        self._decoders: dict[str, tuple[tuple[NodeInfo, ...], TickDecoder]] = {}
        self._end: int | None = None

    def take(
        self, topics: Sequence[Topic], messages: Sequence[BufferedMessage], robots: Mapping[str, str], now: int
    ) -> Recording:
        """Return the newest messages as a recording.

        Args:
            topics: that messages name by their place
            messages: since the last call
            robots: name to namespace
            now: instant up to which they are, ns
        """
        start = now if self._end is None or now < self._end else self._end
        self._end = now
        kept = [*self._kept.values(), *chain.from_iterable(self._decisions.values())]
        self._keep(topics, messages)
        about = [BagTopic(topic.name, topic.type, 1) for topic in topics]
        held = [RawMessage(about[one.topic], start, memoryview(one.data)) for one in kept]
        held += [RawMessage(about[one.topic], one.instant, memoryview(one.data)) for one in messages]
        bag = Bag(_Messages(about, held))
        recording = recording_of(bag, self._path, {}, {}, self._decoder, robots)
        return replace(recording, start=start, end=now)

    def _keep(self, topics: Sequence[Topic], messages: Sequence[BufferedMessage]) -> None:
        """Keep what later messages cannot be read without."""
        for message in messages:
            topic = topics[message.topic]
            leaf = topic.name.rpartition("/")[2]
            if topic.latched or leaf == _CAMERA:
                # Of static transforms each publisher sends its own.
                self._kept[message.topic, message.data if leaf == _STATIC else b""] = message
            elif topic.name.endswith(f"/{DECISIONS}"):
                self._decisions.setdefault(message.topic, deque(maxlen=_DECISIONS_KEPT)).append(message)

    def _decoder(self, robot: str, nodes: Sequence[NodeInfo]) -> TickDecoder:
        known = self._decoders.get(robot)
        if known is None or known[0] != nodes:
            known = self._decoders[robot] = (tuple(nodes), TickDecoder(len(nodes)))
        return known[1]
