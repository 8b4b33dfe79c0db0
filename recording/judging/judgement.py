"""Judges the games of a recording, by a truth of which it is known how good it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena_trees.experiments.metrics import metrics_of
from arena_trees.experiments.results import TrialResult
from arena_trees.games.metrics import Metric, Value
from arena_trees.games.truth import End
from arena_trees.recording.clock_line import instant_of
from arena_trees.recording.judging.observed_game import ObservedGame
from arena_trees.recording.judging.pose_measurement import PoseMeasurement
from arena_trees.recording.judging.recorded_contacts import recorded_contacts
from arena_trees.recording.judging.recorded_game import RecordedGame
from arena_trees.recording.judging.recorded_truth import RecordedTruth
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D, wrap
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["UNKNOWN", "Judgement", "Round", "judge_round", "rounds_of"]

UNKNOWN = "unknown"
"""Outcome of a game of which the truth is not good enough to tell."""

DRAWS = 20
"""Truths that are drawn within the error of the one that was measured."""

_TURN = SECOND // 10
_OLD = SECOND // 2
"""Odometry that is older tells of no velocity now, ns."""
_SEED = 1


class Round(NamedTuple):
    """One game of a recording, on the bag's clock (ns): when its trees and rules began, and when the next one did."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of one game.

    Attributes:
        trial: the result; values that the truth is not good enough for are None
        truth: by what it was judged
        contacts: by what contacts are known: ``arena``, ``bumpers``, or empty where nothing tells of them
        bounds: value to the least and the most that it has within the error of the truth, where that changes it
        unknown: values that cannot be told by this truth
        contradicted: values that the rules decided otherwise than this truth has it, whatever its error
    """

    trial: TrialResult
    truth: RecordedTruth
    contacts: str
    bounds: Mapping[str, tuple[float, float]]
    unknown: tuple[str, ...]
    contradicted: tuple[str, ...]


class _Found(NamedTuple):
    """A game as it is judged by one truth."""

    trial: TrialResult
    contradicted: frozenset[str]


class _Event(NamedTuple):
    now: int
    note: Callable[[ObservedGame], None]


def rounds_of(recording: Recording) -> list[Round]:
    """Return the games of a recording: one where nobody says when a game began."""
    ticking = [robot.clock.back(robot.ticks[0].now) for robot in recording.robots.values() if robot.ticks]
    first = min(ticking, default=recording.start)
    begun = [now for now, end in recording.ends if end is None]
    if not begun:
        return [Round(first, recording.end)]
    ends = [*begun[1:], recording.end]
    rounds = [Round(max(now, first), end) for now, end in zip(begun, ends, strict=True)]
    return [one for one in rounds if one.start < one.end]


def judge_round(
    recording: Recording, game: RecordedGame, truth: RecordedTruth, played: Round, index: int = 0
) -> Judgement:
    """Return what is known of a game.

    What follows from the error of the truth is found by judging the game again by other truths, each moved by an error
    drawn for each robot from its deviations: as if the error stayed the same for the whole game, as that of a
    calibration or of a map does.

    Args:
        recording: of the game
        game: that was played
        truth: where the robots were
        played: which game of the recording
        index: of the trial, in the results
    """
    starts = {name: pose for name in truth.poses if (pose := _pose_at(truth.poses[name], played.start)) is not None}
    context = game.context(starts, to_seconds(played.end - played.start))
    contacts, known_by = recorded_contacts(recording, truth, context.players)
    steady = [
        *_robot_events(recording, context.players),
        *_game_events(recording, played),
        *(_Event(now, partial(ObservedGame.note_contacts, now=now, pairs=pairs)) for now, pairs in contacts),
    ]
    layout = game.layout

    def judged(errors: Mapping[str, NDArray[np.float64]]) -> _Found:
        observed = ObservedGame(game.game, context, played.start, index, layout)
        events = [*steady, *_truth_events(recording, truth, context.players, errors)]
        _feed(observed, sorted(events, key=lambda event: event.now), played)
        trial = observed.result()
        if not observed.over and trial.ended_s is None:
            trial = replace(trial, reason="the recording ends before the game does")
        values = trial.values if known_by else _without_contacts(trial.values, game.game.metrics)
        return _Found(replace(trial, values=values), observed.contradicted)

    measured = judged({})
    names = [name for name in context.players if name in truth.poses]
    exact = all(one.sigma == 0.0 and one.sigma_yaw == 0.0 for name in names for one in truth.poses[name])
    generator = np.random.default_rng(_SEED)
    others = [judged({name: generator.standard_normal(3) for name in names}) for _ in range(0 if exact else DRAWS)]
    return _bounded(measured, others, truth, known_by)


def _bounded(measured: _Found, others: Sequence[_Found], truth: RecordedTruth, known_by: str) -> Judgement:
    """Return the result with what the other truths make of it."""
    trial, every = measured.trial, [measured, *others]
    doubtful = frozenset.union(*(one.contradicted for one in every))
    contradicted = frozenset.intersection(*(one.contradicted for one in every))
    values, bounds, unknown = dict(trial.values), {}, []
    for name, value in trial.values.items():
        found = [one.trial.values.get(name) for one in every]
        if name in doubtful - contradicted:
            unknown.append(name)
        elif any(one != value for one in found):
            numbers = [float(one) for one in found if one is not None and not isinstance(one, bool)]
            if len(numbers) < len(found):
                unknown.append(name)
            else:
                bounds[name] = min(numbers), max(numbers)
    values |= dict.fromkeys(unknown)
    outcomes = sorted({one.trial.outcome for one in every})
    if len(outcomes) > 1:
        reason = f"{' or '.join(outcomes)}: the truth is not good enough to tell"
        trial = replace(trial, outcome=UNKNOWN, reason=reason)
    elif doubtful - contradicted:
        reason = f"{trial.outcome} by the rules, {trial.reason}; the truth is not good enough to tell"
        trial = replace(trial, outcome=UNKNOWN, reason=reason)
    elif contradicted:
        trial = replace(trial, reason=f"{trial.reason} by the rules; the truth contradicts it")
    trial = replace(trial, values=values)
    return Judgement(trial, truth, known_by, bounds, tuple(unknown), tuple(sorted(contradicted)))


def _without_contacts(values: Mapping[str, Value], metrics: Sequence[Metric]) -> dict[str, Value]:
    touches = {metric.value for metric in metrics_of([values], metrics) if metric.by == "contacts"}
    return {name: None if name in touches else value for name, value in values.items()}


def _feed(observed: ObservedGame, events: Sequence[_Event], played: Round) -> None:
    """Hand events over in the order of their instants, and let the judge look meanwhile."""
    now = played.start
    for event in events:
        if event.now > played.end:
            break
        while now + _TURN <= event.now and not observed.over:
            now += _TURN
            observed.note_time(now)
        if observed.over:
            return
        event.note(observed)
    # What came last is old enough a little later.
    observed.note_time(played.end)
    observed.finish(played.end)


def _truth_events(
    recording: Recording,
    truth: RecordedTruth,
    robots: Mapping[str, object],
    errors: Mapping[str, NDArray[np.float64]],
) -> Iterator[_Event]:
    for name, poses in truth.poses.items():
        if name not in robots:
            continue
        twists = _Twists(recording.robots.get(name), poses)
        error = errors.get(name)
        for place, one in enumerate(poses):
            pose = one.pose
            if error is not None:
                dx, dy = (float(number) for number in one.sigma * error[:2])
                pose = Pose2D(pose.x + dx, pose.y + dy, wrap(pose.yaw + one.sigma_yaw * float(error[2])))
            twist = twists.at(place) if one.twist is None else one.twist
            note = partial(ObservedGame.note_truth, robot=name, now=one.now, pose=pose, twist=twist)
            yield _Event(one.now, note)


class _Twists:
    """Velocities of a robot at its measured poses: by its odometry, or else by the poses themselves."""

    def __init__(self, robot: RobotRecording | None, poses: Sequence[PoseMeasurement]) -> None:
        self._poses = poses
        odometry = () if robot is None else robot.odometry
        self._stamps = [] if robot is None else [robot.clock.back(one.stamp) for one in odometry]
        self._twists = [one.twist for one in odometry]

    def at(self, place: int) -> Twist2D:
        now = self._poses[place].now
        found = bisect_right(self._stamps, now) - 1
        if found >= 0 and now - self._stamps[found] <= _OLD:
            return self._twists[found]
        before, after = self._poses[max(place - 1, 0)], self._poses[min(place + 1, len(self._poses) - 1)]
        seconds = to_seconds(after.now - before.now)
        if not 0.0 < seconds < 1.0:
            return ZERO
        moved = before.pose.relative(after.pose)
        return Twist2D(moved.x / seconds, moved.yaw / seconds)


def _robot_events(recording: Recording, robots: Mapping[str, object]) -> Iterator[_Event]:
    for name, robot in recording.robots.items():
        if name not in robots:
            continue
        for tick in robot.ticks:
            now = robot.clock.back(tick.now)
            moved = tick if now == tick.now else replace(tick, now=now)
            yield _Event(now, partial(ObservedGame.note_tick, robot=name, tick=moved))
            if tick.fired:
                yield _Event(now, partial(ObservedGame.note_shot, robot=name, now=now))
        for shot in robot.shots:
            now = robot.clock.back(shot)
            yield _Event(now, partial(ObservedGame.note_shot, robot=name, now=now))
        for state in robot.more.get("turret", ()):
            assert isinstance(state, TurretState)
            now = robot.clock.back(state.stamp)
            turned = replace(state, stamp=now)
            yield _Event(now, partial(ObservedGame.note_turret, robot=name, state=turned))


def _game_events(recording: Recording, played: Round) -> Iterator[_Event]:
    for arrival, message in recording.messages:
        moved = replace(message, stamp=instant_of(message.stamp, arrival))
        yield _Event(moved.stamp, partial(ObservedGame.note_message, message=moved))
    for arrival, end in recording.ends:
        ended = None if end is None or not end.outcome else End(end.outcome, end.reason, instant_of(end.now, arrival))
        # Judged is what has come by then; of an end the stamp is known only when it has come.
        yield _Event(arrival, partial(ObservedGame.note_end, end=ended))


def _pose_at(poses: Sequence[PoseMeasurement], now: int) -> Pose2D | None:
    """Return the first pose from an instant on, or the last one before it."""
    later = next((one.pose for one in poses if one.now >= now), None)
    return later if later is not None or not poses else poses[-1].pose
