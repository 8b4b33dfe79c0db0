"""Records the robots of a ROS graph into a bag, from outside, for as long as is wanted."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from arena_trees import __version__
from arena_trees.games.game_end import END_TOPIC, read_end
from arena_trees.nodes.monitors.graph_recorder import GraphRecorder
from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.writer import BagWriter, Topic
from arena_trees.recording.info import INFO
from arena_trees.recording.loading import is_game_topic
from arena_trees.robot.messaging.json_text import JsonError

__all__ = ["BagRecorder"]

# A hidden name: the velocity gates do not take it for a base.
_NAME = "_bag_recorder"
_LOOK_S = 1.0
_CLOCK_S = 3.0
"""So long after the first robot a simulated clock is waited for."""
_LAST_S = 0.5
"""Ticks come five together, and what ends a game comes with its end."""
_STRING = "std_msgs/msg/String"


class BagRecorder:
    """A node in a context of its own, in the domain of the environment; a context manager.

    A message is written with the instant at which it arrived, by the node's clock: ``/clock`` where somebody publishes
    it. What arrives before that clock is known waits for it.

    Attributes:
        messages: number of messages that were written, by robot; the rest under an empty name
        end: how the game ended last: outcome and reason; empty before
        taken_at: topic to when its newest message was taken, monotonic clock, s

    Args:
        path: of the rosbag2 directory, which must not exist
        game_namespace: where the game's messages are
        about: what ``/recording`` holds besides who recorded, as plain values

    Raises:
        RecordingError: the directory exists, or cannot be made
    """

    def __init__(
        self, path: Path, game_namespace: str = "/arena", about: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self.messages: Counter[str] = Counter()
        self.end: dict[str, Any] = {}
        self.taken_at: dict[str, float] = {}
        self._info = {"recorder": "arena_trees", "version": __version__, **about}
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        try:
            self._bag = BagWriter(path, [Topic(f"/{INFO}", _STRING, latched=True)])
        except BaseException:
            rclpy.shutdown(context=self._context)
            raise
        self._node = Node(_NAME, context=self._context, enable_rosout=False, start_parameter_services=False)
        self._executor = make_executor(self._context)
        self._executor.add_node(self._node)
        self._recorder = GraphRecorder(self._node)
        self._node.create_subscription(String, f"{game_namespace}/{END_TOPIC}", self._on_end, LATCHED)
        self._owners: list[str] = []
        self._looked = -_LOOK_S
        self._newest = 0
        self._found: float | None = None

    def __enter__(self) -> BagRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the robots that are recorded."""
        return tuple(dict.fromkeys(filter(None, self._owners)))

    @property
    def failed(self) -> int:
        """Number of messages that could not be written."""
        return self._bag.failed

    def turn(self, seconds: float) -> None:
        """Receive for so long (s), and write what came."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0.0:
            if time.monotonic() - self._looked >= _LOOK_S:
                self._looked = time.monotonic()
                self._recorder.look()
            self._executor.spin_once(timeout_sec=left)
        if self._recorder.robots and self._found is None:
            self._found = time.monotonic()
        # By then a simulated clock would have been found: it gives what waits its instants.
        if self._recorder.simulated or (self._found is not None and time.monotonic() - self._found > _CLOCK_S):
            self._write()

    def close(self) -> None:
        """Take what is on the way, write how the game ended and the bag's index, and leave the graph."""
        self.turn(_LAST_S)
        if self._newest:
            ended = {"end": {**self.end, "failed_messages": self._bag.failed}} if self.end else {}
            self._bag.write(0, self._newest, cdr.string(json.dumps({**self._info, **ended})))
        self._bag.close()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _write(self) -> None:
        topics, received = self._recorder.topics, self._recorder.take()
        if received and not self._newest:
            # Where the recording is cut off, it is known what it is of.
            self._bag.write(0, received[0].instant, cdr.string(json.dumps(self._info)))
        for topic in topics[len(self._owners) :]:
            self._bag.add(topic)
            self._owners.append(self._owner(topic.name))
        for message in received:
            # The first topic of the bag is its own.
            self._bag.write(message.topic + 1, message.instant, message.data)
            self.messages[self._owners[message.topic]] += 1
            self._newest = max(self._newest, message.instant)
            self.taken_at[topics[message.topic].name] = time.monotonic()

    def _owner(self, topic: str) -> str:
        """Return the robot in whose namespace a topic lies."""
        if is_game_topic(topic):
            return ""
        owners = [one for one in self._recorder.robots.items() if topic.startswith(f"{one[1]}/")]
        return max(owners, key=lambda one: len(one[1]), default=("", ""))[0]

    def _on_end(self, message: Any) -> None:
        try:
            end = read_end(message.data)
        except JsonError:
            return
        # Before anybody has begun the game, it has an end without an outcome.
        self.end = {}
        if end is not None and end.outcome:
            self.end = {"outcome": end.outcome, "reason": end.reason, "over": True}
