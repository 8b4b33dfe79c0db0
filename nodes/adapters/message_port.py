"""Game messages as JSON on ROS, with one ROS topic for each topic of the game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from std_msgs.msg import String

from arena_trees.nodes.runtime.epochs import next_epoch
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_from_text, message_to_text
from arena_trees.robot.messaging.messages import Message

__all__ = ["RosMessagePort"]

_MAXIMUM_INBOX = 1000
"""Messages kept between two ticks; who sends more loses the oldest."""


class RosMessagePort:
    """Sends and receives the messages of one participant; implements :class:`~arena_trees.robot.ports.MessagePort`.

    Topics:
        * ``<game_namespace>/<topic>`` (std_msgs/String, EVENTS) [published, subscribed]: a JSON object with topic,
          sender, epoch, sequence, stamp (ns of the sender's clock) and payload. A topic of ROS for
          each topic of the game, so that a security policy can say who may publish what.

    Attributes:
        epoch: number of this life of the participant, by :func:`~arena_trees.nodes.runtime.epochs.next_epoch`
        dropped: messages that were too long, malformed or not finite

    Args:
        node: whose publishers and subscriptions they are
        name: of the participant
        publishes: topics that it sends
        subscribes: topics that it receives; not what it sends itself, but what another one of its name sends
        game_namespace: where the game's topics are
    """

    def __init__(
        self, node: Any, name: str, publishes: Sequence[str], subscribes: Sequence[str], game_namespace: str = "/arena"
    ) -> None:
        self.name = name
        self.epoch = next_epoch(name)
        self._lives = {self.epoch}
        self.dropped = 0
        self._clock = node.get_clock()
        self._sent = 0
        self._lock = threading.Lock()
        self._inbox: list[Message] = []
        base = game_namespace.rstrip("/")
        self._publishers = {topic: node.create_publisher(String, f"{base}/{topic}", EVENTS) for topic in publishes}
        for topic in subscribes:
            node.create_subscription(String, f"{base}/{topic}", self._callback(topic), EVENTS)

    def renew(self) -> None:
        """Begin another life: who speaks from now on has forgotten what was said before, and counts from 1 again."""
        self.epoch = next_epoch(self.name)
        self._lives.add(self.epoch)
        self._sent = 0

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        """Send a message.

        Raises:
            KeyError: the participant does not publish that topic
            ValueError: the payload is not finite, is no plain JSON, or is too long
        """
        publisher = self._publishers[topic]
        self._sent += 1
        stamp = int(self._clock.now().nanoseconds)
        message = Message(topic, self.name, self.epoch, self._sent, stamp, dict(payload))
        text = message_to_text(message)
        if len(text.encode()) > MAXIMUM_BYTES:
            raise ValueError(f"message on {topic!r} is longer than {MAXIMUM_BYTES} bytes")
        publisher.publish(String(data=text))
        return message

    def receive(self) -> Sequence[Message]:
        """Return the messages that came since the last call, oldest arrival first."""
        with self._lock:
            received, self._inbox = self._inbox, []
        return received

    def _callback(self, topic: str) -> Callable[[Any], None]:
        def receive(text: Any) -> None:
            try:
                message = message_from_text(text.data)
            except JsonError:
                self.dropped += 1
                return
            if message.topic != topic:
                self.dropped += 1
            elif message.sender != self.name or message.epoch not in self._lives:
                with self._lock:
                    self._inbox.append(message)
                    excess = len(self._inbox) - _MAXIMUM_INBOX
                    if excess > 0:
                        del self._inbox[:excess]
                        self.dropped += excess

        return receive
