"""The messages of a bag that are of use, by topic, in the order of their times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.bags.decoding import decoded, stamp_of
from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.raw_message import RawMessage
from arena_trees.recording.bags.reader import BagReader
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.robot.clock import SECOND
from arena_trees.robot.ros_messages.layout import Times

__all__ = ["POSES", "STRING", "TRANSFORMS", "VELOCITIES", "BagIndex", "Entry"]

STRING = "std_msgs/msg/String"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
VELOCITIES = ("geometry_msgs/msg/TwistStamped", "geometry_msgs/msg/Twist")
POSES = ("geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/PoseWithCovarianceStamped")
_USEFUL = frozenset(
    (
        STRING,
        TRANSFORMS,
        *VELOCITIES,
        *POSES,
        "sensor_msgs/msg/LaserScan",
        "nav_msgs/msg/Odometry",
        "sensor_msgs/msg/BatteryState",
        "sensor_msgs/msg/CameraInfo",
        "visualization_msgs/msg/MarkerArray",
        "vision_msgs/msg/Detection2DArray",
        "irobot_create_msgs/msg/HazardDetectionVector",
    )
)
_DISORDER = SECOND
"""By so much (ns) messages may be out of order: topics reach a recorder by different ways."""

_FAR = 3600 * SECOND
"""So far (ns), and ten times the bag's length, a message may be from the bulk of the others."""

PerceptT = TypeVar("PerceptT")


class Entry(NamedTuple):
    """A decoded message.

    Attributes:
        seen: when it was recorded, ns
        arrival: when it arrived, ns
        sequence: number in its stream
        value: as rosbags decodes it
    """

    seen: int
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


class BagIndex:
    """Holds a bag's messages.

    Attributes:
        skipped: counts what could not be used, by topic and reason
        types: topic to the types of its messages
        start: instant of the first message, ns
        end: instant of the last message, ns
        own: whether our own recorder made the bag, so that a message was published when it arrived
        notes: of the bag, a sentence each

    Args:
        path: of the bag

    Raises:
        BagError: it cannot be read
    """

    def __init__(self, path: Path) -> None:
        reader = BagReader(path)
        self.skipped = reader.skipped
        self.notes = list(reader.files.notes)
        self.types: dict[str, set[str]] = {}
        self.own = False
        known = typestore().fielddefs
        self._topics: dict[tuple[str, str], list[RawMessage]] = {}
        for raw in reader.messages():
            name, kind, _ = raw.topic
            if kind in _USEFUL:
                self._topics.setdefault((name, kind), []).append(raw)
            elif kind not in known:
                self.skipped[f"{name}: unknown type {kind}"] += 1
            self.types.setdefault(name, set()).add(kind)
        self._keep_sound_times()

    def _keep_sound_times(self) -> None:
        """Put each topic's messages into the order of their times, and count those that have none."""
        for key, raws in self._topics.items():
            times = np.array([raw.logged for raw in raws], dtype=np.int64)
            places = np.flatnonzero(_sound(times))
            if len(places) < len(raws):
                self.skipped[f"{key[0]}: time went back"] += len(raws) - len(places)
            self._topics[key] = [raws[place] for place in places[np.argsort(times[places], kind="stable")].tolist()]
        times = np.array([raw.logged for raws in self._topics.values() for raw in raws], dtype=np.int64)
        self.start = self.end = 0
        if not times.size:
            return
        early, late = np.percentile(times, (1, 99))
        room = _FAR + 10 * (late - early)
        for key, raws in self._topics.items():
            near = [raw for raw in raws if early - room <= raw.logged <= late + room]
            if len(near) < len(raws):
                self.skipped[f"{key[0]}: time far from all others"] += len(raws) - len(near)
            self._topics[key] = near
        times = times[(times >= early - room) & (times <= late + room)]
        self.start, self.end = int(times.min()), int(times.max())

    def __len__(self) -> int:
        return sum(map(len, self._topics.values()))

    def has(self, topic: str, kind: str) -> bool:
        """Return whether there are messages of a type on a topic."""
        return (topic, kind) in self._topics

    def names(self, kind: str) -> list[str]:
        """Return the topics with messages of a type."""
        return [name for name, found in self._topics if found == kind]

    def read(self, topic: str, kind: str, convert: Callable[[Entry], PerceptT]) -> Iterator[tuple[int, PerceptT]]:
        """Give when each message of a topic was seen (ns), and what is made of it; what cannot be is counted."""
        for number, raw in enumerate(self._topics.get((topic, kind), ()), 1):
            arrival = min(raw.published, raw.logged) if self.own else raw.logged
            try:
                entry = Entry(raw.logged, arrival, raw.sequence or number, decoded(raw))
                yield raw.logged, convert(entry)
            except MalformedError as error:
                self.skipped[f"{topic}: {error}"] += 1


def _sound(times: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of a topic's messages are in the order of their times, more or less.

    What a single wrong time shuts out, before it or behind it, must not be all the others: of the two
    ways to leave out the messages that contradict others, the one is taken that leaves out fewer.
    """
    forwards = times >= np.maximum.accumulate(times) - _DISORDER
    backwards = times <= np.minimum.accumulate(times[::-1])[::-1] + _DISORDER
    return forwards if forwards.sum() >= backwards.sum() else backwards
