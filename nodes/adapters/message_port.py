"""Game messages as JSON on ROS, with one ROS topic for each sender of each topic of the game."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rclpy.clock import Clock, ClockType
from std_msgs.msg import String

from arena_trees.nodes.runtime.epochs import next_epoch
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_from_text, message_to_text
from arena_trees.robot.messaging.message_topics import message_topic, robots_that_send
from arena_trees.robot.messaging.messages import Message

if TYPE_CHECKING:
    from arena_trees.games.game import Game

__all__ = ["RosMessagePort"]

_MAXIMUM_INBOX = 1000
"""Messages kept between two ticks; who sends more loses the oldest."""

_STRING = "std_msgs/msg/String"

_LOOK_S = 0.5
"""Between two looks for robots that have begun to send."""

_MOST_ROBOTS = 256
"""Robots whose topics are subscribed to where they are found in the graph: nobody makes a node subscribe for ever."""


class RosMessagePort:
    """Sends and receives the messages of one participant; implements :class:`~arena_trees.robot.ports.MessagePort`.

    A message counts as its topic's owner's: one in which another sender is named is dropped and counted. Without
    SROS2, anybody may publish on any topic; with a policy of ``arena-trees sros2-policy``, its owner alone.

    Topics, each std_msgs/String, EVENTS: a JSON object with topic, sender, epoch, sequence, stamp (ns of the sender's
    clock) and payload.
        * ``<game_namespace>/<topic>`` [published by the rules, subscribed]: what the rules send
        * ``<game_namespace>/<robot>/<topic>`` [published by that robot, subscribed]: what a robot sends

    Attributes:
        epoch: number of this life of the participant, by :func:`~arena_trees.nodes.runtime.epochs.next_epoch`
        dropped: messages that were too long, malformed, not finite, or named another sender than their topic's owner

    Args:
        node: whose publishers and subscriptions they are
        name: of the participant
        game: what is played: its rules and its robots send different topics
        publishes: topics that it sends
        subscribes: topics that it receives; not what it sends itself, but what another one of its name sends
        robots: name of each robot that it receives from, to the topics that the robot sends; None where all robots
            count that publish
        game_namespace: where the game's topics are
    """

    def __init__(
        self,
        node: Any,
        name: str,
        game: Game,
        publishes: Sequence[str] = (),
        subscribes: Sequence[str] = (),
        robots: Mapping[str, Collection[str]] | None = None,
        game_namespace: str = "/arena",
    ) -> None:
        self.name = name
        self.epoch = next_epoch(name)
        self._lives = {self.epoch}
        self.dropped = 0
        self._node = node
        self._clock = node.get_clock()
        self._namespace = game_namespace
        self._sent = 0
        self._lock = threading.Lock()
        self._inbox: list[Message] = []
        own = "" if name == game.speaker else name
        self._publishers = {
            topic: node.create_publisher(String, message_topic(topic, own, game_namespace), EVENTS)
            for topic in publishes
        }
        self._subscribed: list[str] = []
        for topic in subscribes:
            if topic in game.sent_by_rules:
                self._subscribe(message_topic(topic, game_namespace=game_namespace), topic, game.speaker)
        self._of_robots = [topic for topic in subscribes if topic in game.sent_by_robots]
        self._known: set[tuple[str, str]] = set()
        for robot, sent in ({} if robots is None else robots).items():
            for topic in self._of_robots:
                if topic in sent:
                    self._subscribe_to_robot(robot, topic)
        if robots is None and self._of_robots:
            self._look()
            node.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

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

    def contested(self) -> str:
        """Return a topic that several nodes publish, though it belongs to one sender; empty if there is none."""
        return next((name for name in self._subscribed if self._node.count_publishers(name) > 1), "")

    def _look(self) -> None:
        """Subscribe to the topics of robots that have begun to publish them."""
        names = (name for name, kinds in self._node.get_topic_names_and_types() if _STRING in kinds)
        for robot, topic in robots_that_send(names, self._of_robots, self._namespace):
            if (robot, topic) not in self._known and len(self._known) < _MOST_ROBOTS:
                self._subscribe_to_robot(robot, topic)

    def _subscribe_to_robot(self, robot: str, topic: str) -> None:
        self._known.add((robot, topic))
        self._subscribe(message_topic(topic, robot, self._namespace), topic, robot)

    def _subscribe(self, name: str, topic: str, sender: str) -> None:
        self._subscribed.append(name)
        self._node.create_subscription(String, name, self._callback(topic, sender), EVENTS)

    def _callback(self, topic: str, sender: str) -> Callable[[Any], None]:
        def receive(text: Any) -> None:
            try:
                message = message_from_text(text.data)
            except JsonError:
                self.dropped += 1
                return
            if (message.topic, message.sender) != (topic, sender):
                self.dropped += 1
            elif sender != self.name or message.epoch not in self._lives:
                with self._lock:
                    self._inbox.append(message)
                    excess = len(self._inbox) - _MAXIMUM_INBOX
                    if excess > 0:
                        del self._inbox[:excess]
                        self.dropped += excess

        return receive
