"""One robot's part of a bag."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from arena_trees.recording.bags import decoding
from arena_trees.recording.bags.bag import EMPTY, POSES, STRING, TRANSFORMS, VELOCITIES, Bag, DecodedMessage
from arena_trees.recording.clock_line import FOREIGN, ClockLine, drift_of
from arena_trees.recording.lidar_mount import guess_mount
from arena_trees.recording.pose_ticks import with_poses
from arena_trees.recording.recording import SEQUENCES_OF, RobotRecording
from arena_trees.recording.seen_by_ticks import seen_by_ticks
from arena_trees.recording.traces.decided_ticks import with_decisions
from arena_trees.recording.traces.decoder import MalformedError, TickDecoder, decode_tree, parse_json
from arena_trees.recording.traces.tick import NodeInfo, Tick
from arena_trees.recording.transforms import (
    Link,
    base_frame,
    contradictions,
    links_of,
    mount_of,
    poses_in_map,
    way_to,
)
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.percepts import Odometry, Stamped
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS, GATE_INFO, RecordedDecision, decode_decision
from arena_trees.robot.ros_messages.layout import SHOTS_TOPIC
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor import RosTopic, Sensor
from arena_trees.robot.sensor_registry import sensors
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["LEAVES", "MakeDecoder", "RobotLoader", "lidars", "make_decoder", "sensor_topics"]

MakeDecoder = Callable[[str, Sequence[NodeInfo]], TickDecoder]
"""Makes what reads ticks, of a robot's name and the nodes of its tree."""

LEAVES = (
    "scan",
    "odom",
    "pose",
    "tf",
    "tf_static",
    "hazard_detection",
    "cmd_vel",
    "cues",
    "ground_truth",
    "ticks",
    "tree",
    "gate_decisions",
    "gate_info",
    SHOTS_TOPIC,
)
"""What carries a robot's data, by the names that it has below the robot's namespace."""


_PATHS = {
    "gate_decisions": DECISIONS,
    "gate_info": GATE_INFO,
}
_ODOMETRY = "nav_msgs/msg/Odometry"
_OTHER_RATE = 1e-3
"""A clock that gains or loses more than so in a second is another one; NTP slews one by half as much (RFC 5905)."""

StampedT = TypeVar("StampedT", bound=Stamped)
PerceptT = TypeVar("PerceptT")


def make_decoder(robot: str, nodes: Sequence[NodeInfo]) -> TickDecoder:
    """Return what reads a robot's ticks from its first one on."""
    return TickDecoder(len(nodes))


def sensor_topics(body: Body) -> dict[str, RosTopic]:
    """Return the topics, by their names, of the sensors that are found by entry points."""
    return {topic.topic: topic for sensor in sensors().values() for topic in sensor.ros.topics(body)}


def lidars(body: Body) -> tuple[str, ...]:
    """Return what carries readings that need to know where their sensor is mounted."""
    return ("scan", *(name for name, topic in sensor_topics(body).items() if topic.mounted))


class _Links(NamedTuple):
    """By what it is known where a sensor is mounted: static and moving transforms, and odometry."""

    static: Sequence[Link]
    moving: Sequence[Link]
    odometry: Sequence[tuple[int, Odometry]]


class RobotLoader:
    """Makes a :class:`RobotRecording` of what a bag has below one namespace.

    Args:
        bag: its messages
        name: of the robot
        namespace: without a slash at its end
        topics: names of :data:`LEAVES` to the topics that carry them instead
        body: of the robot, which gives its single-beam sensors
        mounts: names of :func:`lidars` to where these are mounted (base_link), whatever the transforms are
        decoder: makes what reads its ticks
    """

    def __init__(
        self,
        bag: Bag,
        name: str,
        namespace: str,
        topics: Mapping[str, str],
        body: Body = TURTLEBOT4,
        mounts: Mapping[str, Pose2D] | None = None,
        decoder: MakeDecoder = make_decoder,
    ) -> None:
        self._bag = bag
        self._make_decoder = decoder
        self._namespace = namespace
        self._mounts = mounts or {}
        self._name = name
        self._topics = {leaf: topics.get(leaf, f"{namespace}/{_PATHS.get(leaf, leaf)}") for leaf in LEAVES}
        for leaf in sensor_topics(body):
            self._topics[leaf] = topics.get(leaf, f"{namespace}/{leaf}")
        self._body = body
        self._notes: list[str] = []
        self._clock = ClockLine()
        self._ticked = False

    def load(self, role: str | None) -> RobotRecording:
        """Return the robot's recording; ``role`` is the one given in the bag."""
        tree, ticks = self._ticks()
        self._ticked = bool(ticks)
        static = list(self._links("tf_static"))
        odometry = self._stamped("odom", _ODOMETRY, lambda entry: decoding.odometry(entry.value, entry.times))
        poses, moving = self._poses()
        links = _Links(static, moving, odometry)
        scans = self._mounted("scan", "sensor_msgs/msg/LaserScan", links, _scan_of)
        bumpers = self._stamped(
            "hazard_detection",
            "irobot_create_msgs/msg/HazardDetectionVector",
            lambda entry: decoding.bumpers(entry.value, entry.times),
        )
        parts: dict[str, list[tuple[int, Any]]] = {
            "scans": scans,
            "odometry": odometry,
            "poses": poses,
            "bumpers": bumpers,
        }
        more = {key: self._more(sensor, links) for key, sensor in sensors().items()}
        decisions = self._decisions()
        if decisions:
            # The recorder is another process than the tree, and received its messages at other instants.
            parts = {part: self._by_ticks(key, parts[part], ticks) for key, part in SEQUENCES_OF.items()}
            more = {key: self._by_ticks(key, found, ticks) for key, found in more.items()}
            parts["poses"] = with_poses(parts["poses"], ticks)
        blind = () if self._body.lidar else ("scans",)
        for part, found in parts.items():
            if not found and part not in blind:
                self._notes.append(f"there are no {part}" if part != "odometry" else "there is no odometry")
        return RobotRecording(
            name=self._name,
            role=role,
            tree=tree,
            ticks=with_decisions(ticks, decisions),
            **{part: tuple(item for _, item in found) for part, found in parts.items()},
            truth=tuple(self._read("ground_truth", (_ODOMETRY,), _true_pose)),
            commands=tuple(self._read("cmd_vel", VELOCITIES, lambda entry: decoding.twist(entry.value))),
            cues=self._cues(ticks),
            shots=tuple(seen for seen, _ in self._read(SHOTS_TOPIC, (EMPTY,), lambda entry: None)),
            more={key: tuple(item for _, item in found) for key, found in more.items() if found},
            seen={
                part: np.array([seen for seen, _ in found], dtype=np.int64) for part, found in (parts | more).items()
            },
            body=self._body,
            gate=self._gate_info(),
            notes=tuple(self._notes),
            namespace=self._namespace,
            clock=self._clock,
        )

    @staticmethod
    def _by_ticks(sensor: str, found: list[tuple[int, StampedT]], ticks: Sequence[Tick]) -> list[tuple[int, StampedT]]:
        """Return readings with the instants at which the tree first had each: then it arrived."""
        seen = seen_by_ticks(sensor, [instant for instant, _ in found], ticks)
        return [(instant, replace(item, arrival=instant)) for instant, (_, item) in zip(seen, found, strict=True)]

    def _more(self, sensor: Sensor, links: _Links) -> list[tuple[int, Stamped]]:
        """Return the readings of a sensor; one of several parts is seen when the last of them was."""
        received: list[tuple[int, int, Stamped]] = []
        silent: list[tuple[int, RosTopic]] = []
        topics = sensor.ros.topics(self._body)
        for place, topic in enumerate(topics):
            make = partial(_reading, topic, sensor if len(topics) == 1 else None)
            if topic.mounted:
                found = self._mounted(topic.topic, topic.type, links, make)
            else:
                found = self._stamped(topic.topic, topic.type, make)
            received += [(seen, place, one) for seen, one in found]
            if not found and topic.usual is not None:
                silent.append((place, topic))
        for place, topic in silent if received else ():
            assert topic.usual is not None
            received.append((min(seen for seen, _, _ in received), place, topic.usual))
            self._notes.append(f"{topic.topic} is not recorded; taken for {topic.usual}")
        join = sensor.ros.joiner(self._body)
        made = ((seen, join(one)) for seen, _, one in sorted(received, key=lambda item: item[:2]))
        readings: list[tuple[int, Stamped]] = []
        for seen, reading in made:
            try:
                if reading is not None:
                    readings.append((seen, decoding.checked(sensor, reading)))
            except MalformedError as error:
                self._bag.skipped[f"{self._topics[topics[-1].topic]}: {error}"] += 1
        return readings

    def _read(
        self, leaf: str, kinds: Sequence[str], convert: Callable[[DecodedMessage], PerceptT]
    ) -> Iterator[tuple[int, PerceptT]]:
        """Give when each message was seen, on the robot's clock, and what is made of it."""
        topic, clock = self._topics[leaf], self._clock

        def moved(entry: DecodedMessage) -> PerceptT:
            return convert(entry._replace(arrival=clock.moved(entry.arrival)))

        for kind in kinds:
            for seen, item in self._bag.read(topic, kind, moved):
                yield clock.moved(seen), item

    def _stamped(
        self, leaf: str, kind: str, convert: Callable[[DecodedMessage], StampedT]
    ) -> list[tuple[int, StampedT]]:
        return self._on_one_clock(leaf, list(self._read(leaf, (kind,), convert)))

    def _on_one_clock(self, leaf: str, items: list[tuple[int, StampedT]]) -> list[tuple[int, StampedT]]:
        """Return the items with stamps that belong to the clock of their arrivals."""
        if not items:
            return items
        stamps = [item.stamp for _, item in items]
        delays = [item.arrival - item.stamp for _, item in items]
        drifting = ClockLine(stamps[0], 0, drift_of(stamps, delays))
        # Where there are ticks, the robot has lived with such stamps, and they show what it made of them.
        other_rate = not self._ticked and abs(drifting.drift) > _OTHER_RATE
        if abs(float(np.median(delays))) <= FOREIGN and not other_rate:
            return items
        # The quickest of all took no time at all, as far as anybody can know.
        ahead = min(item.arrival - drifting.moved(item.stamp) for _, item in items)
        clock = replace(drifting, ahead=ahead)
        off = _difference(ahead, 1.0 / clock.rate)
        self._notes.append(f"{leaf}: stamps are another clock's, {off}; they were moved")
        return [(seen, replace(item, stamp=clock.moved(item.stamp))) for seen, item in items]

    def _ticks(self) -> tuple[tuple[NodeInfo, ...], tuple[Tick, ...]]:
        """Return the tree and its ticks, and find out by how much the robot's clock is ahead of the bag's."""
        trees = [tree for _, tree in self._read("tree", (STRING,), lambda entry: decode_tree(entry.value.data))]
        texts = list(self._read("ticks", (STRING,), lambda entry: decoding.text(entry.value)))
        if not trees:
            if texts:
                self._notes.append("there are ticks, but no tree that they belong to")
            return (), ()
        decoder = self._make_decoder(self._name, trees[0])
        ticks: list[Tick] = []
        arrivals: list[int] = []
        delays: list[int] = []
        for seen, text in texts:
            for line in text.split("\n"):
                try:
                    tick = decoder.decode(line)
                    if ticks and tick.now < ticks[-1].now:
                        raise MalformedError("goes back in time")
                    ticks.append(tick)
                except MalformedError as error:
                    self._bag.skipped[f"{self._topics['ticks']}: tick {error}"] += 1
            if ticks:
                arrivals.append(seen)
                delays.append(seen - ticks[-1].now)
        if delays and abs(float(np.median(delays))) > FOREIGN:
            instants = [seen - late for seen, late in zip(arrivals, delays, strict=True)]
            drifting = ClockLine(arrivals[0], 0, 1.0 / (1.0 + drift_of(instants, delays)) - 1.0)
            ahead = np.median([seen - drifting.moved(seen) - late for seen, late in zip(arrivals, delays, strict=True)])
            self._clock = replace(drifting, ahead=int(ahead))
            off = _difference(self._clock.ahead, self._clock.rate)
            self._notes.append(f"the robot's clock is {off}; messages were moved")
        return trees[0], tuple(ticks)

    def _cues(self, ticks: Sequence[Tick]) -> tuple[tuple[int, str], ...]:
        """Return the cues; those of the tree's ticks alone where their topic was not recorded."""
        if STRING in self._bag.types.get(self._topics["cues"], ()):
            return tuple(self._read("cues", (STRING,), lambda entry: decoding.text(entry.value)))
        return tuple((tick.now, cue) for tick in ticks for cue in tick.cues)

    def _decisions(self) -> list[RecordedDecision]:
        """Return what a gate decided that was a process of its own, in the order of the instants."""
        found: list[RecordedDecision] = []
        for _, text in self._read("gate_decisions", (STRING,), lambda entry: decoding.text(entry.value)):
            for line in text.split("\n"):
                try:
                    found.append(decode_decision(line))
                except JsonError:
                    self._bag.skipped[f"{self._topics['gate_decisions']}: decision malformed"] += 1
        return sorted(found, key=lambda decision: decision.now)

    def _gate_info(self) -> dict[str, Any]:
        """Return the parameters of that gate, as it published them last."""
        infos = [values for _, values in self._read("gate_info", (STRING,), lambda entry: parse_json(entry.value.data))]
        return infos[-1] if infos else {}

    def _links(self, leaf: str) -> Iterator[Link]:
        # Under a namespace a robot has its own tf, or else the one that all share.
        topic = self._topics[leaf]
        if not self._bag.has(topic, TRANSFORMS):
            self._topics[leaf] = f"/{leaf}"
        for _, links in self._read(leaf, (TRANSFORMS,), lambda entry: tuple(links_of(entry.value, entry.arrival))):
            yield from links

    def _poses(self) -> tuple[list[tuple[int, Any]], list[Link]]:
        """Return the poses in the map, and the moving transforms where these had to be looked at."""
        for kind in POSES:
            found = self._stamped("pose", kind, lambda entry: decoding.pose_estimate(entry.value, entry.times))
            if found:
                return found, []
        moving = list(self._links("tf"))
        return self._on_one_clock("tf", list(poses_in_map(moving))), moving

    def _mounted(self, leaf: str, kind: str, links: _Links, make: Callable[..., Any]) -> list[tuple[int, Any]]:
        """Return the readings of a sensor that sits where transforms say.

        Args:
            leaf: what carries it
            kind: type of its messages
            links: the transforms, and the odometry by which a mount is guessed where they do not say it
            make: makes a reading of a message and of where it is mounted
        """
        static, moving, odometry = links
        every = [*static, *moving]
        base = base_frame(every)
        given = self._mounts.get(leaf)
        mounts: dict[str, Pose2D | None] = {}
        frames: dict[int, str] = {}

        def convert(entry: DecodedMessage) -> Any:
            frame = decoding.frame_of(entry.value.header.frame_id)
            if frame not in mounts:
                mounts[frame] = given or mount_of(every, frame, base)
            frames[entry.sequence] = frame
            return make(entry, mount=mounts[frame] or Pose2D())

        scans = self._stamped(leaf, kind, convert)
        if given is None:
            used = {link.child for frame in mounts for link in way_to(every, frame, base)}
            self._notes += (note for note in contradictions(static, used) if note not in self._notes)
        for frame in [frame for frame, mount in mounts.items() if mount is None]:
            lost = [scan for _, scan in scans if frames[scan.sequence] == frame]
            # Of other sensors it is unknown whether they fit to the odometry.
            of_scans = all(isinstance(scan, LaserScan) for scan in lost)
            guess = guess_mount(lost, [one for _, one in odometry]) if of_scans else None
            unknown = f"{leaf}: it is not known where {frame} is mounted"
            if guess is None:
                self._notes.append(f"{unknown}; taken for the robot's middle")
                continue
            turned = f"turned by {math.degrees(guess.yaw):.0f} degrees, as scans and odometry fit together"
            self._notes.append(f"{unknown}; taken for the robot's middle, {turned}")
            moved = (replace(scan, mount=guess) if frames[scan.sequence] == frame else scan for _, scan in scans)
            scans = [(seen, scan) for (seen, _), scan in zip(scans, moved, strict=True)]
        return scans


def _difference(off: int, rate: float) -> str:
    """Return in words how a clock differs from the bag's: by how much (ns), and how many times as fast it runs."""
    return f"{to_seconds(off):+.1f} s off the bag's" + (f", at {rate:.4f} of its rate" if rate != 1.0 else "")


def _scan_of(entry: DecodedMessage, mount: Pose2D) -> LaserScan:
    return decoding.laser_scan(entry.value, entry.times, mount)


def _reading(topic: RosTopic, sensor: Sensor | None, entry: DecodedMessage, mount: Pose2D | None = None) -> Stamped:
    """Return the reading in a message; it is checked here where the sensor has no other message."""
    found = decoding.reading(entry.value, entry.arrival, entry.sequence, topic, mount)
    return found if sensor is None else decoding.checked(sensor, found)


def _true_pose(entry: DecodedMessage) -> Pose2D:
    return decoding.odometry(entry.value, entry.times).pose
