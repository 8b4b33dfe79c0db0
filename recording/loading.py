"""Makes a :class:`~arena_trees.recording.recording.Recording` of a bag."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from arena_trees.games.contacts import CONTACTS_TOPIC, read_contacts
from arena_trees.games.game_end import END_TOPIC, read_end
from arena_trees.games.truth import End
from arena_trees.recording.bags import decoding
from arena_trees.recording.bags.bag import STRING, Bag, DecodedMessage, kinds
from arena_trees.recording.bags.reader import BagError, read_bag
from arena_trees.recording.info import INFO
from arena_trees.recording.markers import outlines_of
from arena_trees.recording.outlines import Outline
from arena_trees.recording.recording import ALONE, Recording
from arena_trees.recording.robot_loading import LEAVES, MakeDecoder, RobotLoader, lidars, make_decoder, sensor_topics
from arena_trees.recording.traces.decoder import MalformedError, parse_json
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.json_text import JsonError
from arena_trees.robot.messaging.messages import Message
from arena_trees.safety.parameters import GateParameters
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["SIGNS", "is_game_topic", "load_bag", "load_recording", "recording_of", "robot_name"]

_MARKERS = "visualization_msgs/msg/MarkerArray"
_GAME_TOPIC = re.compile("(/arena|.*/game)/((?P<robot>[^/]+)/)?[^/]+")

SIGNS = (("scan", "sensor_msgs/msg/LaserScan"), ("odom", "nav_msgs/msg/Odometry"), ("ticks", STRING))
"""Topics and types by which a robot is recognised: one of them is enough."""

ValueT = TypeVar("ValueT")


def load_recording(
    path: str | Path, topics: Mapping[str, str] | None = None, mounts: Mapping[str, Pose2D] | None = None
) -> Recording:
    """Read a rosbag2 directory.

    Args:
        path: of the directory; of one of its files where there is no ``metadata.yaml``
        topics: what carries a robot's data where it has another name than ours: ``scan``, ``odom``,
            ``pose``, ``detections``, ``cmd_vel`` and so on, to the topic; with a robot's name in front, as in
            ``robot_1.scan``, where there are several
        mounts: where the LiDAR of ``scan`` or ``robot_scan`` is mounted (base_link), in place of what transforms say

    Raises:
        BagError: it cannot be read
        ConfigError: a topic or a mount is given for what is not there
    """
    path = Path(path)
    return recording_of(load_bag(path), path, topics or {}, mounts or {})


def load_bag(path: Path) -> Bag:
    """Return the messages of a rosbag2 directory.

    Raises:
        BagError: it cannot be read, or has none that can be used
    """
    bag = Bag(read_bag(path, kinds()))
    if not len(bag):
        unknown = f" (skipped: {sum(bag.skipped.values())})" if bag.skipped else ""
        raise BagError(path, f"has no message that can be used{unknown}")
    return bag


def recording_of(
    bag: Bag,
    path: Path,
    topics: Mapping[str, str],
    mounts: Mapping[str, Pose2D],
    decoder: MakeDecoder = make_decoder,
    namespaces: Mapping[str, str] | None = None,
) -> Recording:
    """Return a recording of the messages of a bag.

    Args:
        bag: the messages
        path: of the recording
        topics: as for :func:`load_recording`
        mounts: as for :func:`load_recording`
        decoder: makes what reads the ticks of a robot
        namespaces: of the robots, by their names; those that the messages show where not given

    Raises:
        ConfigError: a topic or a mount is given for what is not there
    """
    info, at_first = _info(bag)
    for key, topic in topics.items():
        if topic not in bag.types:
            raise ConfigError(no_such("topic", topic, sorted(bag.types)), file="--topic", key=key, value=topic)
    namespaces = _namespaces(bag, topics) if namespaces is None else namespaces
    infos = info.get("robots", {})
    robots = {}
    about_files = [f"metadata.yaml names {name}; {file} was read in its place" for name, file in bag.renamed.items()]
    for name, namespace in namespaces.items():
        robot_info = infos.get(name, {})
        body, notes = _body(robot_info.get("body"))
        own = _chosen(name, topics, namespaces, "--topic", (*LEAVES, *sensor_topics(body)))
        placed = _chosen(name, mounts, namespaces, "--mount", lidars(body))
        robot = RobotLoader(bag, name, namespace, own, body, placed, decoder).load(robot_info.get("role"))
        notes += _notes_on_gate(body, robot_info.get("gate"))
        robots[name] = replace(robot, notes=(*about_files, *robot.notes, *notes))
        if name in at_first and any(tick.parameters for tick in robot.ticks):
            # What was changed since is in the ticks.
            infos[name] = at_first[name]
    return Recording(
        path=path,
        info=info,
        start=bag.start,
        end=bag.end,
        robots=robots,
        messages=_messages(bag),
        ends=_ends(bag),
        contacts=_contacts(bag),
        outlines=_outlines(bag, infos),
        skipped=dict(sorted(bag.skipped.items())),
    )


def _info(bag: Bag) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the newest info of the recording and of its robots, and the first info of each robot."""
    info: dict[str, Any] = {}
    for _, values in bag.read(f"/{INFO}", STRING, _json):
        info |= values
    robots = info.get("robots")
    infos = {} if not isinstance(robots, dict) else {n: v for n, v in robots.items() if _is_robot_info(v)}
    first: dict[str, Any] = {}
    for topic in bag.names(STRING):
        namespace, _, leaf = topic.rpartition("/")
        if leaf == INFO and namespace:
            for _, values in bag.read(topic, STRING, _json):
                if _is_robot_info(values):
                    infos[robot_name(namespace)] = values
                    first.setdefault(robot_name(namespace), values)
    return {**info, "robots": infos}, first


def _body(values: Any) -> tuple[Body, list[str]]:
    """Return a recorded body, and notes on it; a TurtleBot 4 where none is recorded, or none can be."""
    if values is None:
        return TURTLEBOT4, []
    try:
        return validate(Body, values, "", "body"), []
    except ConfigError as error:
        return TURTLEBOT4, [f"its body cannot be used, and is taken for a TurtleBot 4's: {error}"]


def _notes_on_gate(body: Body, values: Any) -> list[str]:
    """Return what is looser than by default in a recorded gate; what is no gate, a replay refuses."""
    try:
        loosened = validate(GateParameters.of(body), values, "").loosened
    except ConfigError:
        return []
    return [f"its gate was looser than by default: {key} {limit}" for key, limit in loosened.items()]


def _is_robot_info(values: Any) -> bool:
    return isinstance(values, dict) and isinstance(values.get("role"), str | type(None))


def _json(entry: DecodedMessage) -> dict[str, Any]:
    return parse_json(entry.value.data)


def _namespaces(bag: Bag, topics: Mapping[str, str]) -> dict[str, str]:
    """Return the robots' names and namespaces, by what there is in the bag, or by what was asked for."""
    found = {}
    for leaf, kind in SIGNS:
        for topic in bag.names(kind):
            namespace, _, last = topic.rpartition("/")
            if last == leaf:
                found[robot_name(namespace)] = namespace
    for key in topics:
        robot, dot, _ = key.rpartition(".")
        if dot and robot not in found:
            found[robot] = f"/{robot}"
    if topics and not found:
        found[ALONE] = ""
    return found


def robot_name(namespace: str) -> str:
    """Return the name of the robot with that namespace."""
    return namespace.strip("/").replace("/", "_") or ALONE


def _chosen(
    robot: str, given: Mapping[str, ValueT], robots: Collection[str], option: str, leaves: Sequence[str]
) -> dict[str, ValueT]:
    """Return what was given for a robot, checked: all that has its name in front, or no name."""
    chosen = {}
    for key, value in given.items():
        owner, dot, leaf = key.rpartition(".")
        if leaf not in leaves:
            raise ConfigError(f"is none of {', '.join(leaves)}", file=option, key=key)
        if dot and owner not in robots:
            raise ConfigError(no_such("robot", owner, robots), file=option, key=key)
        if not dot and len(robots) > 1:
            raise ConfigError(f"there are several robots: say {robot}.{leaf}", file=option, key=key)
        if not dot or owner == robot:
            chosen[leaf] = value
    return chosen


def _messages(bag: Bag) -> tuple[tuple[int, Message], ...]:
    """Return the messages on all topics of texts that carry them."""
    found: list[tuple[int, Message]] = []
    for topic in bag.names(STRING):
        if is_game_topic(topic) and topic.rpartition("/")[2] not in (END_TOPIC, CONTACTS_TOPIC):
            found += bag.read(topic, STRING, partial(_message, topic))
    return tuple(sorted(found, key=lambda item: item[0]))


def _ends(bag: Bag) -> tuple[tuple[int, End | None], ...]:
    """Return how the rules ended the game, and when they began it."""
    found: list[tuple[int, End | None]] = []
    for topic in bag.names(STRING):
        if is_game_topic(topic) and topic.endswith(f"/{END_TOPIC}"):
            found += bag.read(topic, STRING, lambda entry: _of_json(read_end, entry))
    return tuple(sorted(found, key=lambda item: item[0]))


def _contacts(bag: Bag) -> tuple[tuple[int, frozenset[tuple[str, str]]], ...] | None:
    """Return who touches whom from an instant on; None where the bag has no such topic."""
    topics = [name for name in bag.types if is_game_topic(name) and name.endswith(f"/{CONTACTS_TOPIC}")]
    if not topics:
        return None
    found = [item for name in topics for item in bag.read(name, STRING, lambda entry: _of_json(read_contacts, entry))]
    return tuple(sorted(((stamp, pairs) for _, (stamp, pairs) in found), key=lambda item: item[0]))


def _of_json(read: Callable[[str], ValueT], entry: DecodedMessage) -> ValueT:
    try:
        return read(entry.value.data)
    except JsonError as error:
        raise MalformedError("malformed") from error


def _message(topic: str, entry: DecodedMessage) -> Message:
    """Return a message on a topic of the game.

    Raises:
        MalformedError: it holds none, or names another sender than the robot that the topic belongs to
    """
    message = decoding.message(entry.value.data)
    match = _GAME_TOPIC.fullmatch(topic)
    # On a topic of the rules recordings of earlier versions have the messages of robots, too.
    if match is not None and match["robot"] not in (None, message.sender):
        raise MalformedError("of another sender than its topic's")
    return message


def is_game_topic(topic: str) -> bool:
    """Return whether robots and rules of a game publish on a topic, if it carries texts."""
    return _GAME_TOPIC.fullmatch(topic) is not None


def _outlines(bag: Bag, robots: Mapping[str, Any]) -> tuple[Outline, ...]:
    """Return the newest outline of each name and kind; fences also from the robots' own info."""
    found: dict[tuple[str, str], Outline] = {}
    for topic in bag.names(_MARKERS):
        for _, outlines in bag.read(topic, _MARKERS, lambda entry: outlines_of(entry.value)):
            found.update({(outline.kind, outline.name): outline for outline in outlines})
    for name, values in robots.items():
        points = _points(values.get("fence"))
        if points is not None:
            found.setdefault(("fence", name), Outline(name, "fence", points))
    return tuple(found.values())


def _points(values: Any) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    try:
        points = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    sound = points.ndim == 2 and points.shape[1] == 2 and len(points) >= 3 and bool(np.isfinite(points).all())
    return points if sound else None
