"""What is seen of a game from outside, and the result that its judge makes of it. Pure: no node, no clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arena_trees.experiments.results import Trajectory, TrialResult
from arena_trees.games.contacts import Pairs
from arena_trees.games.game import Game, GameContext
from arena_trees.games.picture import picture_shapes
from arena_trees.games.truth import End, Observation, Truth, TruthSample
from arena_trees.games.truth_history import TruthHistory
from arena_trees.recording.info import end_info
from arena_trees.recording.judging.robot_ticks import RobotTicks
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage, MessageError
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.record import TickRecord
from arena_trees.robot.ros_messages.gate_decisions import RecordedDecision
from arena_trees.robot.show.show_log import ShowLog
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.world.layout import NOWHERE, Layout

__all__ = ["ObservedGame"]

_EVERY = from_seconds(0.04)
"""From one instant that the judge looks at to the next, ns."""

_PATIENCE = from_seconds(0.3)
"""Time (ns) after an instant until all messages of it have come: ticks come five together."""

_UNSEEN = from_seconds(0.6)
"""A robot of which so long (ns) no pose has come is not seen meanwhile."""

_GRACE = from_seconds(10.0)
"""Time by which the end of a trial may be late, ns."""


class ObservedGame:
    """Hands what is published, or was recorded, to the game's judge, from when the trees begin to tick.

    What is seen is judged a little later, when all messages of that instant have come: 25 times a second, and at each
    shot. All instants are of one clock, ns.

    Attributes:
        over: whether the trial is over

    Args:
        game: that is played
        context: what it is played with
        start: the instant at which the trees begin to tick
        index: of the trial
        layout: of the world
    """

    def __init__(self, game: Game, context: GameContext, start: int, index: int = 0, layout: Layout = NOWHERE) -> None:
        self.over = False
        self._late = False
        self._game = game
        self._context = context
        self._index = index
        self._layout = layout
        self._judge = game.make_judge(context)
        self._start = self._now = start
        self._next = 0
        self._judged = -1
        self._history = TruthHistory()
        self._messages: list[Message] = []
        self._shots: deque[tuple[int, str]] = deque()
        self._robots = {
            name: RobotTicks(name, _estimates(game, player.role)) for name, player in context.players.items()
        }
        self._contacts: list[tuple[int, Pairs]] = []
        self._touching: Pairs = frozenset()
        self._state: GameMessage | None = None
        self._end: End | None = None
        self._shows = ShowLog(game.shows)
        self._ways: dict[str, list[tuple[float, float, float, float, str]]] = {name: [] for name in context.players}
        self._faults: dict[str, str] = {}

    @property
    def outcome(self) -> str:
        """How the game ended, in a word; ``over`` while or where none fits."""
        return self._judge.outcome

    @property
    def contradicted(self) -> frozenset[str]:
        """The values that the rules decided and the truth contradicts."""
        return self._judge.contradicted()

    @property
    def ended(self) -> dict[str, Any]:
        """How the trial ended, as a recording holds it."""
        return end_info(self._judge)

    def note_time(self, now: int) -> None:
        """Judge what is old enough at that time, and see whether the trial is over."""
        self._now = max(self._now, now)
        elapsed = self._now - self._start
        while not self.over and elapsed - self._next >= _PATIENCE:
            self._look(self._next)
            self._next += _EVERY
        if elapsed >= from_seconds(self._context.duration_s) + _GRACE and not self.over:
            self.over = self._late = True

    def finish(self, now: int) -> None:
        """Judge all that there is up to a time: nothing more is going to come."""
        while not self.over and self._next <= now - self._start:
            self._look(self._next)
            self._next += _EVERY

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """Note a robot's true pose and velocity at a time."""
        self._history.note_pose(robot, now - self._start, pose, twist)

    def note_turret(self, robot: str, state: TurretState) -> None:
        """Note the state of a robot's turret, by its stamp."""
        self._history.note_turret(robot, replace(state, stamp=state.stamp - self._start))

    def note_tick(self, robot: str, tick: Tick) -> None:
        """Note a tick of a robot."""
        if tick.fault is not None:
            self.note_fault(robot, tick.fault)
        if tick.now >= self._start:
            self._robots[robot].note(replace(tick, now=tick.now - self._start))

    def note_decision(self, robot: str, made: RecordedDecision) -> None:
        """Note what a robot's gate decided that is a process of its own."""
        self._robots[robot].note_decision(replace(made, now=made.now - self._start))

    def note_contacts(self, now: int, pairs: Iterable[tuple[str, str]]) -> None:
        """Note which robots touch each other from a time on; all others do not."""
        self._contacts.append((now - self._start, frozenset(pairs)))

    def note_fault(self, robot: str, reason: str) -> None:
        """Note that a robot is latched."""
        self._faults.setdefault(robot, reason)

    def note_shot(self, robot: str, now: int | None = None) -> None:
        """Note that a robot has fired its weapon: at a time, or now."""
        self._shots.append(((self._now if now is None else now) - self._start, robot))

    def note_message(self, message: Message) -> None:
        """Note a message of the rules or of a robot."""
        if message.stamp >= self._start:
            self._messages.append(replace(message, stamp=message.stamp - self._start))

    def note_end(self, end: End | None) -> None:
        """Note that the rules have ended the game, or play it again."""
        self._end = None if end is None or end.now < self._start else replace(end, now=end.now - self._start)

    def result(self, taken_s: float | None = None) -> TrialResult:
        """Return the trial as it stands.

        Args:
            taken_s: time that it took, s; None where that is not known
        """
        judge = self._judge
        simulated_s = to_seconds(self._judged + _EVERY if judge.over else self._now - self._start)
        values = judge.values()
        values["latched_robots"] = len(self._faults)
        values["real_time_factor"] = round(simulated_s / taken_s, 3) if taken_s else None
        return TrialResult(
            index=self._index,
            seed=self._context.streams.seed,
            outcome=self.outcome,
            reason="nothing ended the trial" if self._late else judge.reason,
            values=values,
            simulated_s=simulated_s,
            faults=self._faults,
            trace_sha256=None,
            layout=self._layout,
            trajectories={name: self._way(name) for name in self._ways},
            shown=tuple(self._shows.shown),
            marks=tuple(judge.marks()),
            charts=tuple(judge.charts()),
            shapes=picture_shapes(self._game, judge, self._state),
            ended_s=judge.ended_s,
        )

    def _look(self, now: int) -> None:
        """Let the judge look at an instant, and at the shots since the one before."""
        while self._shots and self._shots[0][0] <= now and not self.over:
            instant, shooter = self._shots.popleft()
            self._observe(instant, 0, shooter)
        if not self.over:
            self._observe(now, _EVERY)

    def _observe(self, now: int, step: int, shooter: str = "") -> None:
        """Let the judge look at an instant, ns since the begin, which lasts for a step (ns)."""
        samples, ticks = self._seen(now), self._ticks(now)
        if not samples and not ticks:
            return
        self._judged = now
        if shooter in samples:
            samples[shooter] = replace(samples[shooter], fired=True)
        for name, sample in samples.items():
            pose, tick = sample.pose, ticks.get(name)
            self._ways[name].append((to_seconds(now), pose.x, pose.y, pose.yaw, "" if tick is None else tick.active))
        messages = [message for message in self._messages if message.stamp <= now]
        self._messages = [message for message in self._messages if message.stamp > now]
        end = self._end if self._end is not None and self._end.now <= now else None
        state = self._newest_state(messages)
        self._judge.observe(Observation(now, step, self._touched(now, samples), ticks, messages, state, end))
        self.over = self._judge.over

    def _seen(self, now: int) -> dict[str, TruthSample]:
        """Return where the robots are that are seen at an instant."""
        samples = {}
        for name in self._robots:
            sample = self._history.at(name, now) if self._history.near(name, now, _UNSEEN) else None
            if sample is not None:
                samples[name] = sample
        return samples

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
        """Return the newest tick of each robot that ticks, with all cues since the instant before."""
        ticks = {}
        for name, robot in self._robots.items():
            tick = robot.take(now)
            if tick is not None:
                self._shows.record(name, now, tick.cues)
                ticks[name] = tick
        return ticks

    def _newest_state(self, messages: Iterable[Message]) -> GameMessage | None:
        """Return the newest state of the game that the rules have published."""
        model = self._game.state
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
        player = self._context.players[name]
        active = tuple(row[4] for row in rows)
        return Trajectory(player.role, numbers[:, 0], numbers[:, 1:], active, body=player.body)


def _estimates(game: Game, role: str) -> Mapping[str, type]:
    found = game.role(role)
    return {} if found is None else found.estimates
