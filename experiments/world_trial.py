"""One trial of a game that simulates its own world, without physics, sensors and trees."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping

from arena_trees.experiments.metrics import WALL_CLOCK, metrics_by_name
from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.promises.promise import judge_values
from arena_trees.experiments.results import TrialResult
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.world.layout import Layout

__all__ = ["run_world"]

_REPORT_EVERY = 250
"""Ticks between two reports of progress."""

OnProgress = Callable[[float, Mapping[str, str]], object]


def run_world(plan: TrialPlan, index: int, on_progress: OnProgress | None = None, trace: bool = False) -> TrialResult:
    """Play one trial.

    Args:
        plan: what to play
        index: number of the trial; its seed is the scenario's plus this
        on_progress: called now and then with the simulated time (s) and what robots do
        trace: hash the world's record of every tick into ``trace_sha256``
    """
    seed = plan.scenario.seed + index
    world = plan.game.make_world(plan.context(index, {}), seed)
    # The plan was checked.
    assert world is not None
    end = from_seconds(plan.scenario.duration_s)
    digest = hashlib.sha256() if trace else None
    ticks = 0
    begun = time.perf_counter()
    while world.now < end and not world.judge.over:
        world.step()
        ticks += 1
        if digest is not None:
            digest.update(world.record().encode() + b"\n")
        if on_progress is not None and ticks % _REPORT_EVERY == 0:
            on_progress(to_seconds(world.now), world.activities())
    taken_s = time.perf_counter() - begun
    judge, simulated_s = world.judge, to_seconds(world.now)
    values = judge.values()
    values[WALL_CLOCK] = round(simulated_s / taken_s, 2) if taken_s > 0.0 else None
    return TrialResult(
        index=index,
        seed=seed,
        outcome=judge.outcome,
        reason=judge.reason,
        values=values,
        simulated_s=simulated_s,
        faults={},
        promises=judge_values(plan.scenario.promises, metrics_by_name(plan.game.metrics, plan.robots), values),
        trace_sha256=None if digest is None else digest.hexdigest(),
        layout=Layout(plan.game.name, (), {}, {}, {}),
        trajectories={},
        marks=tuple(judge.marks()),
        charts=tuple(judge.charts()),
        shapes=tuple(judge.shapes()),
        ended_s=judge.ended_s,
    )
