"""The bench: how long a tick takes and how much faster than real time the arena runs, also as ratios."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import py_trees

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.trial import Trial
from arena_trees.robot.clock import SECOND
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.physics.model import SUBSTEPS, build_model
from arena_trees.world.signs import Sign

__all__ = ["BenchResult", "measure"]


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Measured times.

    Attributes:
        writer_us: perception writer, median a robot and tick, microseconds
        tree_us: tree, median a robot and tick, microseconds
        gate_us: velocity gate, median a robot and tick, microseconds
        tree_p99_us: tree, processor time that 99 % of a robot's ticks take no more of, microseconds
        tree_worst_us: tree, most processor time of a tick, microseconds
        background_us: background work between the ticks, processor time, mean a robot and tick, microseconds
        background_worst_us: the same, the most between two ticks, microseconds
        sum_us: the three together, median a robot and tick, microseconds
        empty_tree_us: a tree of one leaf, median a tick, microseconds
        arena_us: everything, mean a tick of all robots, microseconds
        bare_us: nothing but MuJoCo's steps of the same model, mean a tick, microseconds
        real_time_factor: simulated time over time taken
        robots: number of robots
        ticks: ticks measured
    """

    writer_us: float
    tree_us: float
    tree_p99_us: float
    tree_worst_us: float
    background_us: float
    background_worst_us: float
    gate_us: float
    sum_us: float
    empty_tree_us: float
    arena_us: float
    bare_us: float
    real_time_factor: float
    robots: int
    ticks: int


def measure(plan: TrialPlan, seconds: float) -> BenchResult:
    """Play a trial for so many simulated seconds, again where it ends early, and time its parts.

    Two passes: one without a stopwatch in the loop for the real-time factor, one with it for the parts.
    """
    ticks = max(1, round(seconds * SECOND / TICK))
    whole_us = _time_whole(plan, ticks)
    parts, processor, background = _time_parts(plan, ticks)
    return BenchResult(
        writer_us=statistics.median(parts["writer"]),
        tree_us=statistics.median(parts["tree"]),
        gate_us=statistics.median(parts["gate"]),
        tree_p99_us=sorted(processor)[math.ceil(0.99 * len(processor)) - 1],
        tree_worst_us=max(processor),
        background_us=statistics.fmean(background),
        background_worst_us=max(background),
        sum_us=statistics.median(map(sum, zip(*parts.values(), strict=True))),
        empty_tree_us=_time_empty_tree(ticks),
        arena_us=whole_us,
        bare_us=_time_bare(plan, ticks),
        real_time_factor=TICK / 1000.0 / whole_us,
        robots=len(plan.robots),
        ticks=ticks,
    )


def _trials(plan: TrialPlan, ticks: int, prepare: Callable[[Trial], object]) -> int:
    """Step trials for so many ticks; return the time that the stepping took, ns."""
    taken, done, index = 0, 0, 0
    while done < ticks:
        trial = Trial(plan, index)
        try:
            trial.begin()
            prepare(trial)
            begun = time.perf_counter_ns()
            while done < ticks and not trial.judge.over:
                trial.step()
                done += 1
            taken += time.perf_counter_ns() - begun
        finally:
            trial.close()
        index += 1
    return taken


def _time_whole(plan: TrialPlan, ticks: int) -> float:
    return _trials(plan, ticks, lambda trial: None) / ticks / 1000.0


def _time_parts(plan: TrialPlan, ticks: int) -> tuple[dict[str, list[float]], list[float], list[float]]:
    """Return the times of the parts of each robot's ticks, and processor times of trees and of background work.

    The longest times are processor times: on a machine with other work to do, a tick takes as long as that.
    """
    times: dict[str, list[float]] = {"writer": [], "tree": [], "gate": []}
    processor: list[float] = []
    background: list[float] = []

    def hold_stopwatches(trial: Trial) -> None:
        for loop in trial.loops.values():
            loop.writer = _Stopped(loop.writer, "write", times["writer"])
            tree = _Stopped(loop.tree, "tick", processor, time.thread_time_ns)
            loop.tree = _Stopped(tree, "tick", times["tree"])  # type: ignore[assignment]
            loop.gate = _Stopped(loop.gate, "decide", times["gate"])
        for runner in trial.background.values():
            runner.run = _Stopped(runner, "run", background, time.thread_time_ns).run  # type: ignore[method-assign]

    _trials(plan, ticks, hold_stopwatches)
    return times, processor, background


class _Stopped:
    """Passes everything on, and notes how long the calls of one method take (microseconds)."""

    def __init__(
        self, target: Any, method: str, times: list[float], clock: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self._target = target
        call = getattr(target, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = clock()
            result = call(*args, **kwargs)
            times.append((clock() - begun) / 1000.0)
            return result

        setattr(self, method, timed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


def _time_empty_tree(ticks: int) -> float:
    tree = py_trees.trees.BehaviourTree(py_trees.behaviours.Running(name="Nothing"))
    times = []
    for _ in range(ticks):
        begun = time.perf_counter_ns()
        tree.tick()
        times.append((time.perf_counter_ns() - begun) / 1000.0)
    return statistics.median(times)


def _time_bare(plan: TrialPlan, ticks: int) -> float:
    world = draw_world(plan, 0)
    signs = [Sign.carried(s.name, s.label, s.sensors.sign) for s in world.specs if s.label is not None]
    arena = build_model(world.standing, {spec.name: spec.body for spec in world.specs}, signs)
    data: Any = mujoco.MjData(arena.model)
    begun = time.perf_counter_ns()
    for _ in range(ticks):
        for _ in range(SUBSTEPS):
            mujoco.mj_step(arena.model, data)
    return (time.perf_counter_ns() - begun) / ticks / 1000.0
