"""Publishes what a recording holds of a robot's tree: what it is, its nodes, and its ticks."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

import py_trees
from std_msgs.msg import String

from arena_trees.nodes.runtime.contained_publishing import ContainedPublishing
from arena_trees.nodes.runtime.qos import LATCHED, RECENT
from arena_trees.recording.info import INFO
from arena_trees.recording.traces.encoder import TICKS, TREE, TickEncoder, encode_tree
from arena_trees.robot.record import TickRecord

__all__ = ["TickPublisher"]

_TOGETHER = 5
"""Ticks in one message: ten messages a second."""
_FIRST = 250
"""Ticks that are published whoever subscribes: a recorder takes some time to find the robot."""


class TickPublisher:
    """Publishes a robot's first ticks, and more while somebody subscribes.

    Whatever goes wrong in it costs the robot no tick.

    Topics:
        * ``recording`` (std_msgs/String, LATCHED) [published at the start, and again after a change]: role, parameters,
          fence, seed and body as JSON, see :func:`~arena_trees.recording.info.robot_info`
        * ``tree`` (std_msgs/String, LATCHED) [published at the start]: the nodes, see
          :func:`~arena_trees.recording.traces.encoder.encode_tree`
        * ``ticks`` (std_msgs/String, RECENT) [published ten times a second]: lines of
          :class:`~arena_trees.recording.traces.encoder.TickEncoder`

    Args:
        node: whose publishers they are
        estimates: keys of the blackboard of which every change is published
    """

    def __init__(self, node: Any, estimates: Collection[str] = ()) -> None:
        self._node = node
        self._info = node.create_publisher(String, INFO, LATCHED)
        self._tree = node.create_publisher(String, TREE, LATCHED)
        self._ticks = node.create_publisher(String, TICKS, RECENT)
        self._lines: list[str] = []
        self._nodes: tuple[py_trees.behaviour.Behaviour, ...] = ()
        self._estimates = estimates
        self._encoder = self._make_encoder()
        self._subscribed = False
        self._contained = ContainedPublishing(node, "ticks")

    def _make_encoder(self) -> TickEncoder:
        # Of a pose only the tree knows which transforms it was made of.
        return TickEncoder(self._estimates, poses=True)

    def begin(self, root: py_trees.behaviour.Behaviour, info: Callable[[], Mapping[str, Any]]) -> None:
        """Publish what the robot is, and the nodes of its tree.

        Args:
            root: of the tree
            info: makes what :func:`~arena_trees.recording.info.robot_info` returns
        """
        if self._nodes:
            # Whoever comes later is to receive ticks of this tree, and of no earlier one.
            self._node.destroy_publisher(self._ticks)
            self._ticks = self._node.create_publisher(String, TICKS, RECENT)
        self._nodes = tuple(root.iterate())
        self._encoder, self._lines = self._make_encoder(), []
        self._contained.call(lambda: self._tree.publish(String(data=encode_tree(root))))
        self.describe(info)

    def describe(self, info: Callable[[], Mapping[str, Any]]) -> None:
        """Publish what the robot is."""
        self._contained.call(lambda: self._info.publish(String(data=json.dumps(info(), allow_nan=False))))

    def tick(self, record: TickRecord) -> None:
        """Publish a tick, together with others."""
        self._contained.call(lambda: self._encode(record))

    def end(self) -> None:
        """Publish the ticks that wait for others."""
        self._contained.call(self._publish)

    def _publish(self) -> None:
        if self._lines:
            self._ticks.publish(String(data="\n".join(self._lines)))
            self._lines = []

    def _encode(self, record: TickRecord) -> None:
        # What nobody reads is not encoded; a tick after a missing one is written whole.
        if record.tick % _TOGETHER == 0:
            self._subscribed = self._ticks.get_subscription_count() > 0
        if not self._subscribed and record.tick >= _FIRST:
            return
        self._lines.append(self._encoder.encode(record, [node.feedback_message for node in self._nodes]))
        if len(self._lines) >= _TOGETHER:
            self._publish()
