"""The messages of a bag that are of use, by topic, in the order of their times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from arena_trees.recording.bags.decoding import decoded, stamp_of
from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.reader import BagTopic, RawMessage
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.robot.clock import SECOND
from arena_trees.robot.ros_messages.layout import Times
from arena_trees.robot.sensor_registry import sensors

__all__ = [
    "EMPTY",
    "POSES",
    "STRING",
    "TRANSFORM",
    "TRANSFORMS",
    "VELOCITIES",
    "Bag",
    "Content",
    "DecodedMessage",
    "kinds",
]

STRING = "std_msgs/msg/String"
EMPTY = "std_msgs/msg/Empty"
TRANSFORM = "geometry_msgs/msg/TransformStamped"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
VELOCITIES = ("geometry_msgs/msg/TwistStamped", "geometry_msgs/msg/Twist")
POSES = ("geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/PoseWithCovarianceStamped")
_KINDS = (
    STRING,
    EMPTY,
    TRANSFORMS,
    *VELOCITIES,
    *POSES,
    TRANSFORM,
    "sensor_msgs/msg/LaserScan",
    "nav_msgs/msg/Odometry",
    "sensor_msgs/msg/CameraInfo",
    "visualization_msgs/msg/MarkerArray",
    "vision_msgs/msg/Detection2DArray",
    "irobot_create_msgs/msg/HazardDetectionVector",
)
"""Types of the messages that are of use, those of sensors apart."""

_FAR = 3600 * SECOND
"""So far (ns), and ten times the bag's length, a message may be from the bulk of the others."""

PerceptT = TypeVar("PerceptT")


def kinds() -> tuple[str, ...]:
    """Return the types of the messages that are of use."""
    return (*_KINDS, *(name for sensor in sensors().values() for name in sensor.ros.types))


class DecodedMessage(NamedTuple):
    """A decoded message.

    Attributes:
        arrival: when it was recorded, ns
        sequence: number in its stream
        value: as rosbags decodes it
    """

    arrival: int
    sequence: int
    value: Any

    @property
    def times(self) -> Times:
        """Stamp of its header, arrival and sequence.

        Raises:
            MalformedError: the stamp is none
        """
        return stamp_of(self.value.header), self.arrival, self.sequence


class Content(Protocol):
    """Messages of a bag, or of a graph."""

    @property
    def topics(self) -> Sequence[BagTopic]:
        """All that there are."""
        ...

    @property
    def renamed(self) -> Mapping[str, str]:
        """Names that ``metadata.yaml`` gives to files, and those that the files have."""
        ...

    def messages(self) -> Iterable[RawMessage]:
        """Give every message of a type that is of use."""
        ...


class Bag:
    """Holds messages by their topics.

    Attributes:
        skipped: counts what could not be used, by topic and reason
        types: topic to the types of its messages
        start: instant of the first message, ns
        end: instant of the last message, ns
        renamed: names that ``metadata.yaml`` gives to files, and those that the files have

    Args:
        content: the messages
    """

    def __init__(self, content: Content) -> None:
        self.renamed = content.renamed
        self.skipped: Counter[str] = Counter()
        self.types: dict[str, set[str]] = {}
        known = typestore().fielddefs
        for topic in content.topics:
            self.types.setdefault(topic.name, set()).add(topic.type)
            if topic.type not in known and topic.messages:
                self.skipped[f"{topic.name}: unknown type {topic.type}"] += topic.messages
        found: dict[tuple[str, str], list[RawMessage]] = {topic[:2]: [] for topic in content.topics}
        messages = sorted(content.messages(), key=lambda message: message.time)
        times = np.array([message.time for message in messages], dtype=np.int64)
        early, late = np.percentile(times, (10, 90)) if messages else (0, 0)
        room = _FAR + 10 * (late - early)
        for message in messages:
            if early - room <= message.time <= late + room:
                found[message.topic[:2]].append(message)
            else:
                self.skipped[f"{message.topic.name}: time far from all others"] += 1
        self._topics = {key: some for key, some in found.items() if some}
        times = times[(times >= early - room) & (times <= late + room)]
        self.start, self.end = (int(times[0]), int(times[-1])) if times.size else (0, 0)

    def __len__(self) -> int:
        return sum(map(len, self._topics.values()))

    def has(self, topic: str, kind: str) -> bool:
        """Return whether there are messages of a type on a topic."""
        return (topic, kind) in self._topics

    def names(self, kind: str) -> list[str]:
        """Return the topics with messages of a type."""
        return [name for name, found in self._topics if found == kind]

    def read(
        self, topic: str, kind: str, convert: Callable[[DecodedMessage], PerceptT]
    ) -> Iterator[tuple[int, PerceptT]]:
        """Give when each message of a topic was recorded (ns), and what is made of it; what cannot be is counted."""
        for number, raw in enumerate(self._topics.get((topic, kind), ()), 1):
            try:
                yield raw.time, convert(DecodedMessage(raw.time, number, decoded(raw)))
            except MalformedError as error:
                self.skipped[f"{topic}: {error}"] += 1
