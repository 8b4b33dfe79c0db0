"""Records the arena's trials."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from arena_trees.games.contacts import CONTACTS_TOPIC, Pairs, contacts_text
from arena_trees.games.game_end import END_TOPIC, end_text
from arena_trees.games.truth import End
from arena_trees.perception.image import Rgb
from arena_trees.recording.bags import cdr
from arena_trees.recording.bags.message_buffer import MessageBuffer
from arena_trees.recording.bags.robot_writer import TRUTH_EVERY, RobotBagWriter, TickEntry, robot_topics
from arena_trees.recording.bags.writer import METADATA, BagWriter, RecordingError, Topic
from arena_trees.recording.info import INFO, end_info, game_info, robot_info
from arena_trees.recording.markers import encode_outlines
from arena_trees.recording.outlines import layout_outlines
from arena_trees.recording.privacy import blurred_outside
from arena_trees.recording.traces.encoder import encode_tree
from arena_trees.robot.detections import Detection
from arena_trees.robot.messaging.message_topics import message_topic
from arena_trees.robot.messaging.messages import Message

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.experiments.robot_plans import RobotPlan
    from arena_trees.experiments.trial import Trial

__all__ = ["MARKERS", "Images", "RecordTrials", "TrialRecorder", "message_topics", "trial_info_of"]

BagT = TypeVar("BagT", bound=BagWriter | MessageBuffer)

Images = Literal["none", "blurred", "whole"]
"""Whether pictures are recorded: not, blurred outside of what was detected in them, or whole."""

_INFO = f"/{INFO}"
MARKERS = "/arena/markers"

_END, _CONTACTS = f"/arena/{END_TOPIC}", f"/arena/{CONTACTS_TOPIC}"
_OTHER = "/arena/messages"
"""Topic of messages that neither the game nor the sender's role has."""

_TOGETHER = 20
"""Ticks that are written at once: one by one they would cost twice as much, each finding the caches cold.

Many more would outlive the garbage collector's youngest generation, and cost as much again."""

_STRING = "std_msgs/msg/String"
_COMMON = (
    Topic(_INFO, _STRING, latched=True),
    Topic(MARKERS, "visualization_msgs/msg/MarkerArray", latched=True),
    Topic(_OTHER, _STRING),
    Topic(_END, _STRING, latched=True),
    Topic(_CONTACTS, _STRING),
)


@dataclass(frozen=True, slots=True)
class RecordTrials:
    """Makes a recorder for each trial that it is given; a :data:`~arena_trees.experiments.trial.Watch`.

    Attributes:
        folder: under which each trial gets a directory, ``<arm>/trial_<index>``
        scenario: name of what is played
        images: whether the pictures of rendered cameras are recorded: not, blurred outside of what was
            detected in them, or whole
    """

    folder: Path
    scenario: str = ""
    images: Images = "none"

    def __call__(self, arm: str, trial: Trial) -> TrialRecorder[BagWriter]:
        """Return the recorder of a trial.

        Raises:
            RecordingError: its directory exists, or cannot be made
        """
        path = self.place(arm, trial.index)
        return TrialRecorder(partial(BagWriter, path), trial, trial_info_of(trial, self.scenario, arm), self.images)

    def place(self, arm: str, index: int) -> Path:
        """Return the directory of a trial, by the name of its arm and its number."""
        folder = self.folder / re.sub(r"[^\w.-]+", "_", arm) if arm else self.folder
        return folder / f"trial_{index:03d}"

    def check(self, trials: Sequence[tuple[str, int]]) -> None:
        """Look whether trials that were played are recorded whole.

        Args:
            trials: arm and number of each

        Raises:
            RecordingError: some are not, as on a full disk
        """
        cut = [place for place in (self.place(*trial) for trial in trials) if not (place / METADATA).exists()]
        if cut:
            raise RecordingError(
                f"{cut[0]}: is not recorded whole, for the reason given above ({len(cut)} of {len(trials)} trials)"
            )


class TrialRecorder(Generic[BagT]):
    """Records one trial; implements :class:`~arena_trees.experiments.trial.TrialObserver`.

    Attributes:
        bag: that is written

    Args:
        open_bag: opens what is written, given its topics
        trial: before its first tick
        info: what is on ``/recording``
        images: whether the pictures of rendered cameras are recorded
        live: whether somebody looks on: every tick is written at once, with every velocity and every transform

    Raises:
        RecordingError: the bag cannot be opened
    """

    def __init__(
        self,
        open_bag: Callable[[Sequence[Topic]], BagT],
        trial: Trial,
        info: Mapping[str, Any],
        images: Images = "none",
        live: bool = False,
    ) -> None:
        texts = (Topic(name, _STRING) for name in message_topics(trial.plan))
        topics = [*_COMMON, *texts]
        self._channel = {topic.name: number for number, topic in enumerate(topics)}
        firsts = {}
        for name in trial.loops:
            firsts[name] = len(topics)
            topics += robot_topics(name, images != "none", trial.plan.robots[name].body)
        self.bag = open_bag(topics)
        self._write = self.bag.write
        self._info = dict(info)
        self._rules = trial.plan.game.speaker
        self._nodes = {name: tuple(loop.tree.root.iterate()) for name, loop in trial.loops.items()}
        self._scribes = {
            name: RobotBagWriter(
                name,
                first,
                self._write,
                body=trial.plan.robots[name].body,
                live=live,
                estimates=trial.plan.role(name).estimates.keys(),
            )
            for name, first in firsts.items()
        }
        self._localises = {name: trial.plan.localises(name) for name in trial.loops}
        self._touching: Pairs = frozenset()
        self._ended: End | None = None
        self._count = 0
        self._together = 1 if live else _TOGETHER
        self._ticks: list[tuple[str, TickEntry]] = []
        self._messages: list[Message] = []
        if images != "none":
            for name, robot in trial.arena.robots.items():
                detector: Any = getattr(robot.camera, "detector", None)
                if hasattr(detector, "on_picture"):
                    detector.on_picture = partial(self._see, name, trial, images == "blurred")

    def begin(self, trial: Trial) -> None:
        """Write what does not change."""
        now = trial.arena.now
        self._put(_INFO, now, cdr.string(json.dumps(self._info)))
        self._put(MARKERS, now, encode_outlines(layout_outlines(trial.plan, trial.arena.layout)))
        if trial.host is not None:
            self._put(_END, now, cdr.string(end_text(None)))
        for name, loop in trial.loops.items():
            self._scribes[name].begin(now, encode_tree(loop.tree.root))

    def tick(self, trial: Trial) -> None:
        """Take a tick of each robot down, and the messages sent in it."""
        reported = self._count % TRUTH_EVERY == 0
        self._count += 1
        for name, record in trial.records.items():
            loop, truth = trial.loops[name], None
            if reported:
                state = trial.arena.robots[name].truth
                truth = state.pose, state.twist
            feedback = [node.feedback_message for node in self._nodes[name]]
            readings, percepts = loop.readings, loop.percepts
            if readings.pose is not percepts.pose and self._localises[name]:
                # The robot found its place by itself: that is what it believed.
                readings = replace(readings, pose=percepts.pose)
            self._ticks.append((name, TickEntry(record, readings, feedback, percepts.geofence, truth)))
        self._messages += trial.reported
        self._note_game(trial)
        if self._count % self._together == 0:
            self._write_ticks()

    def _note_game(self, trial: Trial) -> None:
        """Write whose touch and what of the game's end is new."""
        now, touching = trial.arena.now, trial.arena.contacts
        if touching != self._touching:
            self._touching = touching
            self._put(_CONTACTS, now, cdr.string(contacts_text(now, touching)))
        ended = None if trial.host is None else trial.host.rules.end
        if ended is not self._ended:
            self._ended = ended
            self._put(_END, now, cdr.string(end_text(ended)))

    def cue(self, robot: str, now: int, cue: str) -> None:
        """Write a cue that somebody else than its tree gave a robot at an instant (ns)."""
        self._write_ticks()
        self._scribes[robot].cue(now, cue)

    def end(self, trial: Trial) -> None:
        """Write what waits, and how the trial ended."""
        self.flush(trial)
        self.bag.close()

    def flush(self, trial: Trial) -> None:
        """Write what waits, and how the trial stands."""
        now, judge = trial.arena.now, trial.judge
        self._write_ticks()
        for writer in self._scribes.values():
            writer.end(now)
        ended = {**end_info(judge), "failed_messages": self.bag.failed}
        self._put(_INFO, now, cdr.string(json.dumps({**self._info, "end": ended})))

    def _see(self, robot: str, trial: Trial, blur: bool, picture: Rgb, boxes: tuple[Detection, ...]) -> None:
        """Write a picture."""
        self._scribes[robot].image(trial.arena.now, blurred_outside(picture, boxes) if blur else picture)

    def _write_ticks(self) -> None:
        """Write what was taken down; what cannot be written costs its own messages, and stops no robot."""
        ticks, messages, self._ticks, self._messages = self._ticks, self._messages, [], []
        for name, entry in ticks:
            messages += entry.record.sent
            try:
                self._scribes[name].tick(entry)
            except Exception as error:
                self.bag.fail(error)
        for message in messages:
            try:
                self._say(message)
            except Exception as error:
                self.bag.fail(error)

    def _say(self, message: Message) -> None:
        values = {name: getattr(message, name) for name in Message.__dataclass_fields__}
        topic = message_topic(message.topic, "" if message.sender == self._rules else message.sender)
        data = cdr.string(json.dumps(values, separators=(",", ":"), allow_nan=False))
        self._put(topic if topic in self._channel else _OTHER, message.stamp, data)

    def _put(self, topic: str, now: int, data: bytes) -> None:
        self._write(self._channel[topic], now, data)


def message_topics(plan: TrialPlan, game_namespace: str = "/arena") -> list[str]:
    """Return the topics on which the rules and the robots of a plan send messages."""
    of_rules = [message_topic(topic, game_namespace=game_namespace) for topic in plan.game.sent_by_rules]
    of_robots = [
        message_topic(topic, robot, game_namespace) for robot, topics in plan.robots_topics.items() for topic in topics
    ]
    return [*of_rules, *of_robots]


def trial_info_of(trial: Trial, scenario: str, arm: str = "") -> dict[str, Any]:
    """Return what a recording holds of a trial, as plain values.

    Args:
        trial: to be recorded
        scenario: name of what is played
        arm: of the experiment that the trial belongs to
    """
    robots = {name: _robot_info_of(robot, trial) for name, robot in trial.plan.robots.items()}
    return {**game_info(trial.plan, trial.index, scenario, arm, trial.layout.arena), "robots": robots}


def _robot_info_of(robot: RobotPlan, trial: Trial) -> dict[str, Any]:
    """Return what a recording holds of a robot of a trial, as plain values."""
    role = trial.plan.role(robot.name)
    return robot_info(
        role.name,
        robot.parameters,
        robot.gate,
        robot.entry.fence,
        trial.plan.arena.fences.get(robot.name),
        trial.seed,
        robot.body,
        robot.camera,
        own_tree=robot.create_root is not role.create_root,
    )
