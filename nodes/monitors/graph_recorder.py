"""Records the robots of a ROS graph from outside, as they come, whatever they play."""

from __future__ import annotations

from functools import partial
from typing import Any

from arena_trees.games.game_end import END_TOPIC
from arena_trees.nodes.monitors.raw_subscription import subscribe_raw
from arena_trees.nodes.runtime.simulated_clock import follow_clock
from arena_trees.recording.bags.bag import EMPTY, POSES, STRING, TRANSFORMS
from arena_trees.recording.bags.message_buffer import BufferedMessage
from arena_trees.recording.bags.robot_writer import robot_topics
from arena_trees.recording.bags.writer import Topic
from arena_trees.recording.info import INFO
from arena_trees.recording.loading import SIGNS, is_game_topic, robot_name
from arena_trees.recording.traces.encoder import TICKS, TREE
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS, GATE_INFO
from arena_trees.robot.ros_messages.layout import CEILING_TOPIC, SHOTS_TOPIC
from arena_trees.robot.sensor_registry import sensors
from arena_trees.world.body import TURTLEBOT4

__all__ = ["GraphRecorder"]

_VELOCITIES = frozenset(("cmd_vel", "cmd_vel_raw"))
"""A gate could take who subscribes to them for a base; the ticks have them."""
_ANY = "any"
_OF_ROBOTS = {
    **{topic.name.removeprefix(f"/{_ANY}/"): topic for topic in robot_topics(_ANY)},
    **{name: Topic(name, STRING, latched=True) for name in (INFO, GATE_INFO)},
    DECISIONS: Topic(DECISIONS, STRING),
    SHOTS_TOPIC: Topic(SHOTS_TOPIC, EMPTY),
    # How good a localisation is, and what cameras on the ceiling see.
    **{name: Topic(name, POSES[1]) for name in ("amcl_pose", CEILING_TOPIC)},
}
"""What is recorded of a robot, by its name in the robot's namespace."""
_OF_TREES = (TREE, TICKS, INFO, GATE_INFO, DECISIONS)
"""What trees and gates publish for recordings."""
_OF_BODIES = frozenset(
    kind for sensor in sensors().values() if not sensor.ros.topics(TURTLEBOT4) for kind in sensor.ros.types
)
"""Types of the sensors whose topics are given by a robot's body."""
_SHARED = {"/tf": Topic("/tf", TRANSFORMS), "/tf_static": Topic("/tf_static", TRANSFORMS, latched=True)}


class GraphRecorder:
    """Subscribes to what a recording holds of each robot of a graph, velocities and pictures excepted.

    A robot is a namespace in which somebody publishes ``ticks``, ``odom`` or ``scan``.

    Attributes:
        robots: name of each robot that was ever found, to its namespace
        topics: that are subscribed to; messages name them by their place in here
        simulated: whether there is a simulated clock

    Args:
        node: whose subscriptions they are; it takes simulated time where somebody publishes ``/clock``
    """

    def __init__(self, node: Any) -> None:
        self.robots: dict[str, str] = {}
        self.topics: list[Topic] = []
        self.simulated = False
        self._node = node
        self._known: set[tuple[str, str]] = set()
        self._found: frozenset[tuple[str, str]] = frozenset()
        self._taken: list[BufferedMessage] = []

    def look(self) -> None:
        """Look who is there, and subscribe to what is new; called about once a second.

        Where there is no simulated clock yet, that waits for the next look: of a message that came before the clock,
        the instant would be another clock's.
        """
        if follow_clock(self._node):
            self._taken = [message._replace(instant=0) for message in self._taken]
        self.simulated = simulated = bool(self._node.get_parameter("use_sim_time").value)
        found = [(name, kind) for name, kinds in self._node.get_topic_names_and_types() for kind in kinds]
        there = found if simulated else [one for one in found if one in self._found]
        self._found = frozenset(found)
        for name, kind in there:
            namespace, _, leaf = name.rpartition("/")
            if (leaf, kind) in SIGNS and self._node.count_publishers(name):
                self.robots.setdefault(robot_name(namespace), namespace)
        # A tree that is made later does not wait for its first tick until it is subscribed to.
        ours = [(f"{namespace}/{leaf}", STRING) for namespace in self.robots.values() for leaf in _OF_TREES]
        for name, kind in (*there, *ours):
            topic = self._wanted(name, kind)
            if topic is None or (name, kind) in self._known:
                continue
            self._known.add((name, kind))
            if subscribe_raw(self._node, topic, partial(self._take, len(self.topics))) is not None:
                self.topics.append(topic)

    def take(self) -> list[BufferedMessage]:
        """Return what came since the last call, by the node's clock."""
        if not self._now():
            # What comes before the clock is kept until there is one.
            return []
        taken, self._taken = self._taken, []
        return [message if message.instant else message._replace(instant=self._now()) for message in taken]

    def _wanted(self, name: str, kind: str) -> Topic | None:
        """Return a topic as it is to be subscribed to; None where it is of no use."""
        if name in _SHARED and kind == TRANSFORMS:
            return _SHARED[name]
        if kind == STRING and is_game_topic(name):
            return Topic(name, kind, latched=name.endswith(f"/{END_TOPIC}"))
        for namespace in self.robots.values():
            leaf = name.removeprefix(f"{namespace}/")
            if leaf == name or leaf in _VELOCITIES:
                continue
            topic = _OF_ROBOTS.get(leaf)
            if topic is not None and (kind == topic.type or (leaf == "pose" and kind in POSES)):
                return Topic(name, kind, topic.latched)
            if kind in _OF_BODIES:
                return Topic(name, kind)
        return None

    def _take(self, topic: int, data: bytes) -> None:
        self._taken.append(BufferedMessage(topic, self._now(), data))

    def _now(self) -> int:
        return int(self._node.get_clock().now().nanoseconds)
