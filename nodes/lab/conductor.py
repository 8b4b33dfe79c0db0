"""Conducts an experiment with the robots of a ROS graph, trial by trial, with a person who puts the robots in place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol

from arena_trees.experiments.lab.attempts import Attempt, AttemptLog
from arena_trees.experiments.lab.placing import Placing, floor_map
from arena_trees.experiments.lab.schedule import Turn, schedule
from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.nodes.lab.lab_graph import LabError, LabGraph
from arena_trees.nodes.monitors.bag_recorder import BagRecorder
from arena_trees.recording.info import game_info
from arena_trees.recording.judging.judged_recording import TruthChoice, judge_recording
from arena_trees.recording.judging.recorded_game import RecordedGame
from arena_trees.recording.recording import Recording
from arena_trees.recording.traces.encoder import TICKS
from arena_trees.robot.configuration.parameters import load_parameters
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.ros_messages.gate_decisions import DECISIONS
from arena_trees.sensors.battery.sensor import Battery

__all__ = ["WORDS", "Conductor", "LabPlan", "Operator"]

WORDS = {
    "go": "begin the round; go anyway: in spite of what the doctor finds",
    "locate": "have each robot's localisation know that it stands at its start",
    "end": "end the round, and count it",
    "spoilt": "REASON: the round, or the last one where none is played, does not count and is repeated",
    "note": "TEXT: a remark on this trial",
    "quit": "end for today; --resume goes on",
}
"""What the operator may type, and what it does."""

_LOOK_S = 0.2
_SHOW_S = 5.0
_FOUND_S = 20.0
"""Longest wait until the recorder has found every robot."""
_LOCATED_S = 1.0
"""So long a localisation has to take a place in."""
_SILENT_S = 4.0
"""After so long without a message a program is gone, though its services may still be listed."""
_AFTER_S = 2.0
"""So long a round is watched after its end."""
_LATE_S = 3.0
"""By so much a round may last longer than the scenario has it, robots' time: not all rules end it by themselves."""


class Operator(Protocol):
    """Who puts robots in place and says when a round may begin."""

    def take(self) -> tuple[str, str]:
        """Return the next word, and what follows it; both empty where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class LabPlan:
    """An experiment.

    Attributes:
        scenario: its name or file, as it was asked for
        plans: name of each arm to its plan, the first being the one that others are compared with
        trials: of each arm
        folder: of the experiment
        distance: so far from its start a robot may stand, m
        angle: so far off its heading it may look, rad
        truth: by what trials are judged
    """

    scenario: str
    plans: Mapping[str, TrialPlan]
    trials: int
    folder: Path
    distance: float
    angle: float
    truth: TruthChoice

    @property
    def first(self) -> TrialPlan:
        """The plan of the first arm."""
        return next(iter(self.plans.values()))

    def changes(self, arm: str) -> dict[str, dict[str, Any]]:
        """Return the parameters of each robot's tree that are not the same in every arm, as an arm has them."""
        return {
            robot: {key: value for key, value in self._values(arm, robot).items() if key in self._varied(robot)}
            for robot in self.first.robots
        }

    def check(self) -> None:
        """Refuse what cannot be played by robots, and arms that differ by more than the parameters of trees.

        These are all that can be changed on robots.

        Raises:
            ConfigError: it cannot, or they do
        """
        self.first.game.check_ros(self.first.rules)
        for name, plan in self.plans.items():
            same = plan.rules == self.first.rules and plan.arena == self.first.arena and plan.map == self.first.map
            bodies = all(plan.robots[robot].body == one.body for robot, one in self.first.robots.items())
            if not (same and bodies and plan.robots.keys() == self.first.robots.keys()):
                raise ConfigError("arms on robots differ by the parameters of their trees alone", key=f"arm {name}")

    def _values(self, arm: str, robot: str) -> dict[str, Any]:
        return dict(flatten(self.plans[arm].robots[robot].parameters.model_dump(mode="json")))

    def _varied(self, robot: str) -> set[str]:
        first, *others = (self._values(arm, robot) for arm in self.plans)
        return {key for key in first if any(other.get(key) != first[key] for other in others)}


class _QuitError(Exception):
    """The operator ends for today."""


class Conductor:
    """Conducts an experiment until its trials are done, or the operator ends for today.

    Args:
        plan: the experiment
        log: of its attempts
        graph: of the robots
        operator: who puts robots in place
        say: prints a line for the operator
        on_kept: called when an attempt counts, or counts no more
    """

    def __init__(
        self,
        plan: LabPlan,
        log: AttemptLog,
        graph: LabGraph,
        operator: Operator,
        say: Callable[[str], object],
        on_kept: Callable[[], object],
    ) -> None:
        self._plan = plan
        self._log = log
        self._graph = graph
        self._operator = operator
        self._say = say
        self._on_kept = on_kept
        self._remarks: list[str] = []
        self._refusal = ""
        self._turns = schedule(plan.trials, tuple(plan.plans))

    def run(self) -> bool:
        """Play what is left; return whether every trial is done.

        Whatever ends this, all robots stand.
        """
        try:
            while turns := self._log.open_turns(self._turns):
                self._play(turns[0])
        except _QuitError:
            return False
        finally:
            self._rest()
        return True

    def _play(self, turn: Turn) -> None:
        """Make one attempt at a trial; what keeps it from being played is printed once, and it is tried again."""
        self._remarks = []
        try:
            self._graph.prepare(self._plan.first.scenario.seed + turn.index, self._plan.changes(turn.arm))
            if not self._wait_for_robots(turn):
                return
            attempt = self._record(turn)
        except LabError as error:
            if str(error) != self._refusal:
                self._say(f"not played: {error}")
            self._refusal = str(error)
            self._pause(2.0)
            return
        self._refusal = ""
        self._log.note(attempt)
        self._on_kept()

    def _wait_for_robots(self, turn: Turn) -> bool:
        """Wait until every robot is in place and the operator lets the round begin.

        Returns:
            whether it begins; False where the last attempt does not count any more, and comes first
        """
        plan = self._plan.plans[turn.arm]
        world = draw_world(plan, turn.index)
        starts = {spec.name: spec.start for spec in world.specs}
        self._introduce(turn, floor_map(world.layout, starts), starts)
        placing = Placing(starts, self._plan.distance, self._plan.angle)
        shown, shown_at, ready = "", 0.0, False
        while True:
            self._graph.turn(_LOOK_S)
            wrong = {**placing.misplaced(self._graph.poses()), **self._lacking()}
            text = "\n".join(f"  {name}: {what}" for name, what in wrong.items())
            ready = not wrong
            text = text or "\n".join(["  every robot is in place: type go", *self._latched()])
            if text != shown and time.monotonic() - shown_at > (0.0 if ready else _SHOW_S):
                self._say(text)
                shown, shown_at = text, time.monotonic()
            word, rest = self._operator.take()
            if word == "go" and ready:
                self._localise()
                if rest == "anyway" or self._check_with_doctor():
                    return True
                shown = ""
            elif word == "locate":
                self._graph.locate(starts)
            elif word == "go":
                self._say(f"not yet:\n{text}")
            elif word == "spoilt" and self._spoil_last(rest):
                return False
            else:
                self._common(word, rest)

    def _localise(self) -> None:
        """Have each robot's localisation know where it stands, where that is measured by something better."""
        if self._plan.truth.source != "localisation":
            self._graph.locate(self._graph.poses())
            self._graph.turn(_LOCATED_S)

    def _check_with_doctor(self) -> bool:
        """Say what keeps robots from moving; return whether nothing does."""
        found = self._graph.diagnose()
        for robot, words in found.items():
            self._say(f"  {robot}, by the doctor: {words}")
        if found:
            self._say("not yet: mend that, or type go anyway")
        return not found

    def _introduce(self, turn: Turn, drawn: Sequence[str], starts: Mapping[str, Any]) -> None:
        arm = f", arm {turn.arm}" if turn.arm else ""
        left = len(self._log.open_turns(self._turns))
        self._say(f"trial {turn.index + 1} of {self._plan.trials}{arm} ({left} to play)")
        for line in drawn:
            self._say(f"  {line}")
        for name, pose in starts.items():
            self._say(f"  {name} starts at {pose}")

    def _lacking(self) -> dict[str, str]:
        """Return what of the programs is not there."""
        missing = self._graph.missing()
        return {"programs": ", ".join(missing)} if missing else {}

    def _latched(self) -> list[str]:
        return [f"  {robot}: its gate is {state}; go clears that" for robot, state in self._graph.stopped().items()]

    def _record(self, turn: Turn) -> Attempt:
        """Record and judge a round.

        Raises:
            LabError: it could not be begun
        """
        number = self._log.next_number(turn)
        name = f"trial_{turn.index:03d}{'_' + _file_name(turn.arm) if turn.arm else ''}_{number}"
        path = self._free(self._plan.folder / "bags" / name)
        plan = self._plan.plans[turn.arm]
        about = game_info(plan, turn.index, Path(self._plan.scenario).stem, turn.arm, plan.arena.name)
        begun = datetime.now(timezone.utc).isoformat(timespec="seconds")
        with BagRecorder(path, about=about) as recorder:
            self._find_robots(recorder)
            try:
                self._graph.begin()
                self._say("the round begins")
                spoilt = self._watch(recorder, plan)
            finally:
                # Whatever ends the round, robots stand before anything else is done.
                self._rest()
        attempt = Attempt(turn.index, turn.arm, number, str(path.relative_to(self._plan.folder)), begun, spoilt)
        return self._judged(attempt, path, plan)

    def _find_robots(self, recorder: BagRecorder) -> None:
        end = time.monotonic() + _FOUND_S
        while missing := [name for name in self._plan.first.robots if name not in recorder.robots]:
            if time.monotonic() > end:
                raise LabError(f"the recorder finds no {', '.join(missing)}: is it in this ROS domain?")
            recorder.turn(_LOOK_S)
            self._graph.turn(0.0)

    def _watch(self, recorder: BagRecorder, plan: TrialPlan) -> str:
        """Watch a round to its end; return why it is spoilt, or an empty text."""
        begun, ended, since = self._graph.now_s, None, time.monotonic()
        while ended is None or self._graph.now_s - ended < _AFTER_S:
            recorder.turn(_LOOK_S / 2.0)
            self._graph.turn(_LOOK_S / 2.0)
            word, rest = self._operator.take()
            if word == "spoilt":
                return rest or "the operator gave no reason"
            if word == "end":
                return ""
            self._common(word, rest)
            gone = self._graph.missing() or self._silent(recorder, since)
            if gone:
                # Whoever is gone after the end spoils nothing, but there may be no clock any more, either.
                return f"a program is gone: {', '.join(gone)}" if ended is None else ""
            late = self._graph.now_s - begun > plan.scenario.duration_s + _LATE_S
            if ended is None and (self._graph.end is not None or late):
                ended = self._graph.now_s
        return ""

    def _silent(self, recorder: BagRecorder, since: float) -> list[str]:
        """Return the topics that have been silent for long in a round that began at an instant, monotonic clock, s."""
        topics = [f"/{robot}/{name}" for robot in self._plan.first.robots for name in (TICKS, DECISIONS)]
        now = time.monotonic()
        return [
            f"{topic} is silent" for topic in topics if now - max(recorder.taken_at.get(topic, 0.0), since) > _SILENT_S
        ]

    def _judged(self, attempt: Attempt, path: Path, plan: TrialPlan) -> Attempt:
        """Return an attempt with its result."""
        if not attempt.spoilt:
            try:
                judged = judge_recording(path, self._plan.truth, game=RecordedGame(plan.game, plan, attempt.index))
                trials = judged.trials(attempt.index)
                if not trials:
                    raise LabError("no round is in it")
                trial = replace(trials[-1], index=attempt.index)
                recording = judged.recording
                attempt = replace(
                    attempt,
                    trial=trial.to_dict(),
                    batteries=_batteries(recording),
                    versions=_versions(recording),
                    parameters=_parameters(recording, plan),
                )
                self._say(f"{trial.ending} ({trial.reason}); judged by {judged.truth.source}")
            except ArenaTreesError as error:
                attempt = replace(attempt, spoilt=f"its recording cannot be judged: {error}")
        if attempt.spoilt:
            self._say(f"spoilt, and played again: {attempt.spoilt}")
        return replace(attempt, remarks=tuple(self._remarks))

    def _spoil_last(self, reason: str) -> bool:
        """Have the last attempt not count; return whether there is one."""
        kept = [one for one in self._log.attempts if not one.spoilt]
        if not kept:
            self._say("there is no trial that could be spoilt")
            return False
        last = kept[-1]
        self._log.note(replace(last, spoilt=reason or "the operator gave no reason", trial=None))
        self._say(f"trial {last.index + 1} does not count any more, and is played again")
        self._on_kept()
        return True

    def _common(self, word: str, rest: str) -> None:
        if word == "quit":
            raise _QuitError
        if word == "note":
            self._remarks.append(rest)
        elif word:
            self._say("; ".join(f"{name}: {what}" for name, what in WORDS.items()))

    def _rest(self) -> None:
        try:
            self._graph.rest()
        except LabError as error:
            self._say(f"not all robots were told to stand: {error}")

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._graph.turn(_LOOK_S)
            self._common(*self._operator.take())

    def _free(self, path: Path) -> Path:
        """Return a path at which nothing is: a recording that a crash has cut off stays."""
        free, count = path, 1
        while free.exists():
            count += 1
            free = path.with_name(f"{path.name}_{count}")
        return free


def _file_name(arm: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in arm)


def _versions(recording: Recording) -> dict[str, str]:
    """Return the version of our software that each robot has, of those that have told it."""
    told = {name: info.get("version") for name, info in recording.info.get("robots", {}).items()}
    return {name: version for name, version in told.items() if isinstance(version, str)}


def _parameters(recording: Recording, plan: TrialPlan) -> dict[str, dict[str, Any]]:
    """Return the parameters of each robot's tree that are not as they are shipped."""
    found = {}
    for name in plan.robots:
        role = plan.role(name)
        shipped = load_parameters(role.parameters, config_path(f"{role.name}.yaml"))
        usual = dict(flatten(shipped.model_dump(mode="json")))
        played = dict(flatten(recording.info.get("robots", {}).get(name, {}).get("parameters", {})))
        found[name] = {key: value for key, value in played.items() if usual.get(key) != value}
    return found


def _batteries(recording: Recording) -> dict[str, tuple[float, float]]:
    """Return each robot's charge at the begin and at the end, 0 to 1, of those that have told it."""
    found = {}
    for name, robot in recording.robots.items():
        charges = [one.charge for one in robot.more.get("battery", ()) if isinstance(one, Battery)]
        if charges:
            found[name] = (charges[0], charges[-1])
    return found
