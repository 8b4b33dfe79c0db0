"""The parts of a tick: which of them takes how much processor time, with nothing counted twice."""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import py_trees

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.trial import Trial
from arena_trees.robot.clock import SECOND
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.physics.model import SUBSTEPS, build_model
from arena_trees.world.signs import Sign

__all__ = ["PARTS", "Budget", "measure"]

PARTS = ("messages", "writer", "tree", "background", "gate", "loop", "rules", "sensors", "physics", "trial")
"""Of a tick, in the order of their turn; ``loop`` and ``trial`` are what is left of a robot's loop and of all."""

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Budget:
    """Measured processor times, microseconds.

    Attributes:
        parts: part (:data:`PARTS`) to its mean over ticks, of all robots together
        whole: mean of a tick without a stopwatch in it
        bare: mean of a tick of nothing but MuJoCo's steps of the same model
        tree: mean of a robot's tick of its tree
        stock_tree: the same by py_trees' own :class:`~py_trees.trees.BehaviourTree`, which ticks the same leaves
        empty_tree: median of a tick of a tree of one leaf by the same
        tree_p99: that 99 % of the ticks of a robot's tree take no more of
        tree_worst: most that a tick of a tree takes
        background_worst: most that background work between two ticks takes
        robots: number of robots
        ticks: ticks measured
    """

    parts: Mapping[str, float]
    whole: float
    bare: float
    tree: float
    stock_tree: float
    empty_tree: float
    tree_p99: float
    tree_worst: float
    background_worst: float
    robots: int
    ticks: int

    @property
    def real_time_factor(self) -> float:
        """Simulated time over processor time, without a stopwatch."""
        return TICK / 1000.0 / self.whole


def measure(plan: TrialPlan, seconds: float) -> Budget:
    """Play a trial for so many simulated seconds, again where it ends early, and time its parts.

    Three passes play the same: one without a stopwatch, one with it, and one whose trees py_trees ticks by itself.
    """
    ticks = max(1, round(seconds * SECOND / TICK))
    whole = _play(plan, ticks, lambda trial: None)
    watch = _Stopwatch()
    _play(plan, ticks, watch.hold)
    stock = _Stopwatch()

    def hold_stock(trial: Trial) -> None:
        for loop in trial.loops.values():
            tree = loop.tree
            tree.tick = py_trees.trees.BehaviourTree.tick.__get__(tree)  # type: ignore[method-assign]
        stock.hold(trial)

    _play(plan, ticks, hold_stock)
    trees, background = sorted(watch.calls["tree"]), watch.calls["background"]
    return Budget(
        parts={part: watch.spent[part] / ticks / 1000.0 for part in PARTS},
        whole=whole / ticks / 1000.0,
        bare=_bare(plan, ticks) / ticks / 1000.0,
        tree=statistics.fmean(trees) / 1000.0,
        stock_tree=statistics.fmean(stock.calls["tree"]) / 1000.0,
        empty_tree=_empty_tree(ticks) / 1000.0,
        tree_p99=trees[math.ceil(0.99 * len(trees)) - 1] / 1000.0,
        tree_worst=trees[-1] / 1000.0,
        background_worst=max(background, default=0) / 1000.0,
        robots=len(plan.robots),
        ticks=ticks,
    )


def _play(plan: TrialPlan, ticks: int, prepare: Callable[[Trial], object]) -> int:
    """Step trials for so many ticks; return the processor time that the stepping took, ns."""
    taken, done, index = 0, 0, 0
    while done < ticks:
        trial = Trial(plan, index)
        try:
            trial.begin()
            prepare(trial)
            begun = time.process_time_ns()
            while done < ticks and not trial.judge.over:
                trial.step()
                done += 1
            taken += time.process_time_ns() - begun
        finally:
            trial.close()
        index += 1
    return taken


class _Stopwatch:
    """Counts each instant of a trial's steps to the innermost part that runs.

    Attributes:
        spent: part to its processor time, ns
        calls: part to the time of each call, ns, with what runs inside of it
    """

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self.calls: dict[str, list[int]] = {part: [] for part in PARTS}
        self._part = ""
        self._since = 0

    def hold(self, trial: Trial) -> None:
        """Time the parts of a trial."""
        for name, loop in trial.loops.items():
            if loop.messages is not None:
                self._time(loop.messages, "receive", "messages")
            for owner, method, part in (
                (loop.port, "read", "messages"),
                (loop.writer, "write", "writer"),
                (loop.tree, "tick", "tree"),
                (loop.gate, "decide", "gate"),
                (loop, "step", "loop"),
                (trial.background[name], "run", "background"),
                (trial.arena.robots[name], "sense", "sensors"),
            ):
                self._time(owner, method, part)
        if trial.host is not None:
            self._time(trial.host, "step", "rules")
        self._time(trial.judge, "observe", "rules")
        self._time(trial.arena, "step", "physics")
        self._time(trial, "step", "trial")

    def _time(self, owner: Any, method: str, part: str) -> None:
        call, calls, spent = getattr(owner, method), self.calls[part], self.spent

        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = time.thread_time_ns()
            outer, self._part = self._part, part
            if outer:
                spent[outer] += begun - self._since
            self._since = begun
            try:
                return call(*args, **kwargs)
            finally:
                done = time.thread_time_ns()
                spent[part] += done - self._since
                self._part, self._since = outer, done
                calls.append(done - begun)

        setattr(owner, method, timed)


def _empty_tree(ticks: int) -> float:
    tree = py_trees.trees.BehaviourTree(py_trees.behaviours.Running(name="Nothing"))
    times = []
    for _ in range(ticks):
        begun = time.perf_counter_ns()
        tree.tick()
        times.append(time.perf_counter_ns() - begun)
    return statistics.median(times)


def _bare(plan: TrialPlan, ticks: int) -> int:
    world = draw_world(plan, 0)
    signs = [Sign.carried(s.name, s.label, s.sensors.sign) for s in world.specs if s.label is not None]
    arena = build_model(world.standing, {spec.name: spec.body for spec in world.specs}, signs)
    data: Any = mujoco.MjData(arena.model)
    begun = time.process_time_ns()
    for _ in range(ticks):
        for _ in range(SUBSTEPS):
            mujoco.mj_step(arena.model, data)
    return time.process_time_ns() - begun
