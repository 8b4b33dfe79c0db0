"""A game that is being played, as recordings of its newest ticks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena_trees.experiments.trial import Trial
from arena_trees.recording.outlines import layout_outlines
from arena_trees.recording.recording import SEQUENCES_OF, Recording, RobotRecording
from arena_trees.recording.traces.decoder import decode_tree
from arena_trees.recording.traces.encoder import encode_tree
from arena_trees.recording.traces.tick import Tick
from arena_trees.recording.trial_recorder import trial_info_of
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.plain_values import plain_value
from arena_trees.robot.record import TickRecord

__all__ = ["GameParts", "joined"]

_SEQUENCES = ("ticks", "truth", "cues", *SEQUENCES_OF.values())


class GameParts:
    """Observes a trial; implements :class:`~arena_trees.experiments.trial.TrialObserver`.

    Args:
        trial: before its first tick
        scenario: name of what is played
    """

    def __init__(self, trial: Trial, scenario: str) -> None:
        self._empty = Recording(
            path=Path(scenario),
            info=trial_info_of(trial, scenario),
            start=trial.arena.now,
            end=trial.arena.now,
            robots={name: self._robot(name, trial) for name in trial.loops},
            messages=(),
            outlines=layout_outlines(trial.plan, trial.layout),
            skipped={},
        )
        # Once, for a localiser is made to tell.
        self._localises = {name: trial.plan.localises(name) for name in trial.loops}
        self._nodes = {name: tuple(loop.tree.root.iterate()) for name, loop in trial.loops.items()}
        self._feedback = {name: [""] * len(nodes) for name, nodes in self._nodes.items()}
        self._written: dict[tuple[str, str], Any] = {}
        self._had: dict[tuple[str, str], Any] = {}
        self._given: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        self._begin = self._now = trial.arena.now
        self._gather()

    def begin(self, trial: Trial) -> None:
        """Take where the robots begin; the first tick has all else."""
        for name, gathered in self._gathered.items():
            gathered["truth"].append((trial.arena.now, trial.arena.robots[name].truth.pose))

    def tick(self, trial: Trial) -> None:
        """Take a tick of each robot, and the messages sent in it."""
        for name, gathered in self._gathered.items():
            gathered["truth"].append((trial.arena.now, trial.arena.robots[name].truth.pose))
            record = trial.records.get(name)
            if record is None:
                continue
            gathered["ticks"].append(self._tick(name, record))
            gathered["cues"] += (*self._given.pop(name, ()), *((record.now, cue) for cue in record.cues))
            self._messages += record.sent
            loop = trial.loops[name]
            readings = loop.readings
            if readings.pose is not loop.percepts.pose and self._localises[name]:
                readings = replace(readings, pose=loop.percepts.pose)
            for percept, sequence in (*SEQUENCES_OF.items(), *((key, key) for key in readings.more)):
                message = readings.get(percept)
                if message is not None and message is not self._had.get((name, percept)):
                    self._had[name, percept] = message
                    gathered.setdefault(sequence, []).append(message)
        self._messages += trial.reported
        self._now = trial.arena.now

    def cue(self, robot: str, now: int, cue: str) -> None:
        """Take a cue that somebody else than its tree gave a robot at an instant (ns); its next tick has it."""
        self._given[robot].append((now, cue))

    def end(self, trial: Trial) -> None:
        """Do nothing: what is not taken is lost."""

    def take(self) -> Recording:
        """Return the ticks since the last call, and begin to gather the next ones."""
        robots = {name: _with(robot, self._gathered[name]) for name, robot in self._empty.robots.items()}
        messages = [(message.stamp, message) for message in self._messages]
        begin, self._begin = self._begin, self._now
        taken = replace(self._empty, start=begin, end=self._now, robots=robots, messages=messages)
        self._gather()
        return taken

    def _gather(self) -> None:
        self._gathered: dict[str, dict[str, list[Any]]] = {
            name: {sequence: [] for sequence in _SEQUENCES} for name in self._empty.robots
        }
        self._messages: list[Message] = []

    def _robot(self, name: str, trial: Trial) -> RobotRecording:
        plan = trial.plan.robots[name]
        tree = decode_tree(encode_tree(trial.loops[name].tree.root))
        return RobotRecording(name, trial.plan.role(name).name, tree, body=plan.body)

    def _tick(self, name: str, record: TickRecord) -> Tick:
        latest, feedback = self._feedback[name], {}
        for number, node in enumerate(self._nodes[name]):
            if node.feedback_message != latest[number]:
                latest[number] = feedback[number] = node.feedback_message
        blackboard = {}
        for key, value in record.blackboard.items():
            if self._written.get((name, key), self) != value:
                self._written[name, key] = value
                blackboard[key] = plain_value(value)
        return Tick(
            record.now,
            record.statuses,
            record.active,
            record.command,
            record.twist,
            record.reasons,
            record.fault,
            record.cues,
            feedback,
            record.tracking,
            record.sequences,
            record.tick,
            blackboard=blackboard,
            aim=record.aim,
            turret=record.turret,
            trigger=record.trigger,
            fired=record.fired,
            parameters=record.parameters,
        )


def _with(robot: RobotRecording, sequences: Mapping[str, Any]) -> RobotRecording:
    """Return a robot with these sequences, by the names of its attributes or of sensors among its ``more``."""
    own = {name: values for name, values in sequences.items() if name in _SEQUENCES}
    return replace(robot, **own, more={name: values for name, values in sequences.items() if name not in own})


def joined(parts: Sequence[Recording]) -> Recording:
    """Return the parts of a game, each later than the one before, as one recording.

    Args:
        parts: at least one
    """
    robots = {}
    for name, robot in parts[-1].robots.items():
        whole: dict[str, list[Any]] = {sequence: [] for sequence in _SEQUENCES}
        for part in parts:
            for sequence in _SEQUENCES:
                whole[sequence].extend(getattr(part.robots[name], sequence))
            for key, readings in part.robots[name].more.items():
                whole.setdefault(key, []).extend(readings)
        robots[name] = _with(robot, whole)
    messages = [message for part in parts for message in part.messages]
    return replace(parts[-1], start=parts[0].start, robots=robots, messages=messages)
