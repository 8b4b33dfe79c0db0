"""What is seen of a game on ROS from outside, and the result that its judge makes of it. Pure: no node, no clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.results import Trajectory, TrialResult
from arena_trees.games.picture import picture_shapes
from arena_trees.games.truth import End, Observation, Truth, TruthSample
from arena_trees.nodes.adapters.truth_history import PATIENCE, TruthHistory
from arena_trees.recording.info import end_info
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage, MessageError
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import sequence_names
from arena_trees.robot.record import TickRecord
from arena_trees.robot.show.show_log import ShowLog
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["GameRecord"]

_TRUTH = from_seconds(0.04)
"""Simulated time between two messages of the truth, ns."""

_STALE = from_seconds(0.5)
"""What a tree has estimated longer ago (ns) is not used: the tree does not tick any more."""

_GRACE = from_seconds(10.0)
"""Simulated time by which the end of a trial may be late, ns."""

Pairs = frozenset[tuple[str, str]]


class GameRecord:
    """Hands what is published to the game's judge, by the simulated clock (ns), from when the trees begin to tick.

    Of robots' ticks nothing is known but their cues, the running leaf and what they estimate. What is seen is judged a
    little later, when all messages of that instant have come: at each instant of the truth, and at each shot.

    Attributes:
        over: whether the trial is over

    Args:
        plan: what is played
        index: of the trial
        start: the instant at which the trees begin to tick
    """

    def __init__(self, plan: TrialPlan, index: int, start: int) -> None:
        self.over = False
        self._late = False
        self._plan = plan
        self._index = index
        self._world = draw_world(plan, index)
        starts = {spec.name: spec.start for spec in self._world.specs}
        self._judge = plan.game.make_judge(plan.context(index, starts))
        self._start = self._now = start
        self._judged = -1
        self._truths: dict[int, dict[str, TruthSample]] = {}
        self._history = TruthHistory()
        self._messages: list[Message] = []
        self._cues: list[tuple[int, str, str]] = []
        self._shots: deque[tuple[int, str]] = deque()
        self._estimates: dict[str, deque[tuple[int, Mapping[str, Any]]]] = {name: deque() for name in plan.robots}
        self._contacts: list[tuple[int, Pairs]] = []
        self._touching: Pairs = frozenset()
        self._state: GameMessage | None = None
        self._end: End | None = None
        self._shows = ShowLog(plan.game.shows)
        self._active = dict.fromkeys(plan.robots, "")
        self._ways: dict[str, list[tuple[float, float, float, float, str]]] = {name: [] for name in plan.robots}
        self._faults: dict[str, str] = {}

    @property
    def outcome(self) -> str:
        """How the game ended, in a word; ``over`` while or where none fits."""
        return self._judge.outcome

    @property
    def ended(self) -> dict[str, Any]:
        """How the trial ended, as a recording holds it."""
        return end_info(self._judge)

    def note_time(self, now: int) -> None:
        """Judge what is old enough at that time, and see whether the trial is over."""
        self._now = max(self._now, now)
        elapsed = self._now - self._start
        for instant in sorted(self._truths):
            truth = self._truths[instant]
            if elapsed - instant < PATIENCE or self.over:
                break
            del self._truths[instant]
            if len(truth) == len(self._ways):
                self._observe_shots(instant, truth)
                if not self.over:
                    self._observe(instant, truth)
        if elapsed >= from_seconds(self._plan.scenario.duration_s) + _GRACE and not self.over:
            self.over = self._late = True

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """Note a robot's true pose and velocity at a time."""
        instant = now - self._start
        self._history.note_pose(robot, instant, pose, twist)
        if instant > self._judged:
            self._truths.setdefault(instant, {})[robot] = TruthSample(robot, instant, pose, twist)

    def note_turret(self, robot: str, state: TurretState) -> None:
        """Note the state of a robot's turret, by its stamp."""
        self._history.note_turret(robot, replace(state, stamp=state.stamp - self._start))

    def note_estimates(self, robot: str, now: int, values: Mapping[str, Any]) -> None:
        """Note a tree's estimates from a time on: values of its blackboard by key."""
        self._estimates[robot].append((now - self._start, values))

    def note_contacts(self, now: int, pairs: Iterable[tuple[str, str]]) -> None:
        """Note which robots touch each other from a time on; all others do not."""
        self._contacts.append((now - self._start, frozenset(pairs)))

    def note_active(self, robot: str, leaf: str) -> None:
        """Note the running leaf of a robot's tree."""
        self._active[robot] = leaf

    def note_fault(self, robot: str, reason: str) -> None:
        """Note that a robot is latched."""
        self._faults.setdefault(robot, reason)

    def note_cue(self, robot: str, event: str) -> None:
        """Note an event that a robot's tree has published."""
        self._cues.append((self._now - self._start, robot, event))

    def note_shot(self, robot: str) -> None:
        """Note that a robot has fired its weapon."""
        self._shots.append((self._now - self._start, robot))

    def note_message(self, message: Message) -> None:
        """Note a message of the rules or of a robot."""
        if message.stamp >= self._start:
            self._messages.append(replace(message, stamp=message.stamp - self._start))

    def note_end(self, end: End | None) -> None:
        """Note that the rules have ended the game, or play it again."""
        self._end = None if end is None or end.now < self._start else replace(end, now=end.now - self._start)

    def result(self, taken_s: float) -> TrialResult:
        """Return the trial as it stands.

        Args:
            taken_s: time that it took, s
        """
        judge = self._judge
        simulated_s = to_seconds(self._judged + _TRUTH if judge.over else self._now - self._start)
        values = judge.values()
        values["latched_robots"] = len(self._faults)
        values["real_time_factor"] = round(simulated_s / taken_s, 3) if taken_s > 0.0 else None
        return TrialResult(
            index=self._index,
            seed=self._plan.scenario.seed + self._index,
            outcome=self.outcome,
            reason="nothing ended the trial" if self._late else judge.reason,
            values=values,
            simulated_s=simulated_s,
            faults=self._faults,
            trace_sha256=None,
            layout=self._world.layout,
            trajectories={name: self._way(name) for name in self._ways},
            shown=tuple(self._shows.shown),
            marks=tuple(judge.marks()),
            charts=tuple(judge.charts()),
            shapes=picture_shapes(self._plan.game, judge, self._state),
            ended_s=judge.ended_s,
        )

    def _observe(self, now: int, truth: Mapping[str, TruthSample], step: int = _TRUTH) -> None:
        """Let the judge look at an instant, ns since the begin, which lasts for a step (ns)."""
        self._judged = now
        for name, sample in truth.items():
            pose = sample.pose
            self._ways[name].append((to_seconds(now), pose.x, pose.y, pose.yaw, self._active[name]))
        messages = [message for message in self._messages if message.stamp <= now]
        self._messages = [message for message in self._messages if message.stamp > now]
        end = self._end if self._end is not None and self._end.now <= now else None
        samples = {}
        for name, sample in self._touched(now, truth).items():
            known = self._history.at(name, now)
            samples[name] = replace(sample, turret=None if known is None else known.turret)
        seen = Observation(now, step, samples, self._ticks(now), messages, self._newest_state(messages), end)
        self._judge.observe(seen)
        self.over = self._judge.over

    def _observe_shots(self, until: int, truth: Mapping[str, TruthSample]) -> None:
        """Let the judge look at each shot up to an instant of the truth, by where robots were when it was fired."""
        while self._shots and self._shots[0][0] <= until and not self.over:
            now, shooter = self._shots.popleft()
            samples = {}
            for name, sample in truth.items():
                then = self._history.at(name, now)
                pose = sample.pose if then is None else then.pose
                samples[name] = replace(sample, now=now, pose=pose, fired=name == shooter)
            self._observe(now, samples, 0)

    def _touched(self, now: int, truth: Mapping[str, TruthSample]) -> Truth:
        """Return the truth with whom each robot has touched since the instant before."""
        pairs = set(self._touching)
        while self._contacts and self._contacts[0][0] <= now:
            _, self._touching = self._contacts.pop(0)
            pairs |= self._touching
        samples = {}
        for name, sample in truth.items():
            others = frozenset(other for pair in pairs if name in pair for other in pair if other != name)
            samples[name] = replace(sample, contacts=others) if others else sample
        return samples

    def _ticks(self, now: int) -> dict[str, TickRecord]:
        """Return what is known of the robots' ticks: their cues, the running leaf, and what they estimate."""
        ticks = {}
        for name, leaf in self._active.items():
            cues = tuple(event for instant, robot, event in self._cues if robot == name and instant <= now)
            self._shows.record(name, now, cues)
            unseen = (0,) * len(sequence_names())
            board = self._board(name, now)
            ticks[name] = TickRecord(
                name, now // _TRUTH, now, unseen, (), (), None, ZERO, (), b"", leaf, cues, blackboard=board
            )
        self._cues = [cue for cue in self._cues if cue[0] > now]
        return ticks

    def _board(self, name: str, now: int) -> Mapping[str, Any]:
        """Return what a robot estimated last at an instant."""
        estimates = self._estimates[name]
        while len(estimates) > 1 and estimates[1][0] <= now:
            estimates.popleft()
        return estimates[0][1] if estimates and 0 <= now - estimates[0][0] <= _STALE else {}

    def _newest_state(self, messages: Iterable[Message]) -> GameMessage | None:
        """Return the newest state of the game that the rules have published."""
        model = self._plan.game.state
        for message in messages:
            if model is not None and message.topic == model.topic:
                try:
                    self._state = model.decode(message.payload)
                except MessageError:
                    continue
        return self._state

    def _way(self, name: str) -> Trajectory:
        rows = self._ways[name]
        numbers = np.asarray([row[:4] for row in rows], dtype=np.float64).reshape(-1, 4)
        robot = self._plan.robots[name]
        active = tuple(row[4] for row in rows)
        return Trajectory(robot.entry.role, numbers[:, 0], numbers[:, 1:], active, body=robot.body)
