"""Plays short trials of a game for its checks."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.plots.shapes import draw_shapes
from arena_trees.experiments.results import TrialResult
from arena_trees.experiments.runner import Job, list_jobs, play
from arena_trees.experiments.trial import Trial
from arena_trees.games.game import Game, GameContext, Judge, Rules
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.messaging.messages import Message
from arena_trees.testing.blackboard import watched_blackboard
from arena_trees.testing.purity import JudgeLog, RulesLog, no_clock_no_chance
from arena_trees.world.shapes import Shape, corners

__all__ = ["Watched", "check_determinism", "check_end", "check_replay", "check_shapes", "play_to_end", "watch_trial"]

_TICKS_A_SECOND = 50
_LONGER_S = 60.0
"""A trial must end so long after its longest time, s, at the latest."""
_MOST_STATES = 50


@dataclass(frozen=True)
class Watched:
    """A trial that was watched in every tick.

    Attributes:
        context: what rules and judge were made from
        rules: what the rules were given and answered; None where nobody ruled
        judge: what the judge saw and returned
        sent: what robots and rules sent
        values: what the trial was judged by
        undeclared: what leaves read and wrote without having declared it
    """

    context: GameContext
    rules: RulesLog | None
    judge: JudgeLog
    sent: Sequence[Message]
    values: Mapping[str, Any]
    undeclared: Sequence[str]


def watch_trial(plan: TrialPlan) -> Watched:
    """Play the first trial of a plan and watch it.

    Raises:
        AssertionError: a robot is latched by a fault, the trial does not end, or somebody looks at a clock
    """
    with watched_blackboard() as blackboard:
        trial = Trial(plan, 0)
        try:
            context = plan.context(0, {name: trial.arena.true_pose(name) for name in plan.robots})
            for name, loop in trial.loops.items():
                blackboard.follow(name, loop.tree.root)
            judge, rules = JudgeLog(trial.judge), None
            trial.judge = cast("Judge", judge)
            if trial.host is not None:
                rules = RulesLog(trial.host.rules)
                trial.host.rules = cast("Rules", rules)
            with no_clock_no_chance(f"a trial of {plan.game.name}"):
                play_to_end(trial)
            values = trial.judge.values()
        finally:
            trial.close()
    sent = [message for seen, _ in judge.seen for message in seen.messages]
    return Watched(context, rules, judge, sent, values, tuple(blackboard.undeclared))


def check_end(plan: TrialPlan) -> None:
    """Play the first trial of a plan to its end.

    Raises:
        AssertionError: it has none, or a robot is latched by a fault
    """
    trial = Trial(plan, 0)
    try:
        play_to_end(trial)
    finally:
        trial.close()


def check_determinism(plan: TrialPlan, folder: Path) -> None:
    """Play the same two trials in this process, recorded, and in two others, and compare every tick.

    Args:
        plan: what is played
        folder: that recordings are put into, unless the game has a world of its own

    Raises:
        AssertionError: a tick or a value is different
    """
    watch = None if plan.has_world else RecordTrials(folder)
    here, there = _results(plan, 1, watch), _results(plan, 2, None)
    for one, other in zip(here, there, strict=True):
        who = f"{plan.game.name}, seed {one.seed}: a second play in another process"
        values, others = _lasting(one), _lasting(other)
        different = sorted(name for name in {*values, *others} if values.get(name) != others.get(name))
        assert not different, f"{who} has other values: {', '.join(different)}"
        assert one.trace_sha256 == other.trace_sha256, f"{who} has another trace: something is not drawn from the seed"


def check_replay(game: Game, folder: Path) -> None:
    """Replay every robot of a recording.

    Raises:
        AssertionError: one decides otherwise than recorded
    """
    recording = load_recording(folder, {})
    for robot in recording.robots:
        result = replay(plan_replay(recording, robot))
        first = result.first
        what = "" if first is None else f": in tick {first.tick}, {'; '.join(first.differences)}"
        assert result.compared, f"the recording of {robot} in {game.name} has no ticks"
        assert not result.different, f"{robot} in {game.name} replays otherwise than recorded{what}"


def check_shapes(game: Game, judge: JudgeLog) -> None:
    """Draw what is drawn of the states that were seen, and of the whole trial.

    Raises:
        AssertionError: something is no shape
    """
    states = {repr(seen.state): seen.state for seen, _ in judge.seen if seen.state is not None}
    every = max(1, len(states) // _MOST_STATES)
    pictures = [game.shapes(state) for state in list(states.values())[::every]]
    figure = Figure(figsize=(4.0, 4.0))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xlim=(-5.0, 5.0), ylim=(-5.0, 5.0))
    for shapes in (*pictures, judge.judge.shapes()):
        for shape in shapes:
            assert isinstance(shape, Shape), f"{game.name} draws what is no shape: {shape!r}"
        corners(shapes)
        draw_shapes(axes, shapes)
    figure.savefig(io.BytesIO(), format="png")


def play_to_end(trial: Trial) -> None:
    """Play a trial to its end.

    Raises:
        AssertionError: it has none, or a robot is latched by a fault
    """
    name, longest_s = trial.plan.game.name, trial.plan.scenario.duration_s + _LONGER_S
    trial.begin()
    for _ in range(round(longest_s * _TICKS_A_SECOND)):
        trial.step()
        for robot, loop in trial.loops.items():
            assert loop.fault is None, f"{robot} in {name} is stopped by a fault: {loop.fault}"
        if trial.judge.over:
            return
    raise AssertionError(f"a trial of {name} is not over after {longest_s:g} s")


def _results(plan: TrialPlan, processes: int, watch: RecordTrials | None) -> list[TrialResult]:
    results: dict[int, TrialResult] = {}

    def note(job: Job, result: TrialResult) -> None:
        results[job.number] = result

    play(list_jobs({"": plan}, 2, trace=True, watch=watch), processes, note)
    return [result for _, result in sorted(results.items())]


def _lasting(result: TrialResult) -> dict[str, Any]:
    """Return what of a result does not depend on the machine."""
    values = {**result.values, "outcome": result.outcome, "reason": result.reason, "simulated_s": result.simulated_s}
    values.pop("real_time_factor", None)
    return {name: repr(value) for name, value in values.items()}
