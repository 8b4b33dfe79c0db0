"""One trial at a crossing without sensors: traffic, what goes wrong in it, and what it is judged by."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping

from arena_trees.games.crossroads.body import Body
from arena_trees.games.crossroads.faults import CrossingFaults
from arena_trees.games.crossroads.kinematic import CrossingWorld
from arena_trees.games.crossroads.scenario import CrossroadsPlan
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.simulation.results import TrialResult
from arena_trees.world.layout import Layout

__all__ = ["CrossroadsTrial", "run_crossroads"]

_TELL = 250
"""Ticks between two reports of progress."""

_STANDS = 1e-3
"""A robot slower than this (m/s) stands."""

OnProgress = Callable[[float, Mapping[str, str]], object]


def run_crossroads(
    plan: CrossroadsPlan, index: int, on_progress: OnProgress | None = None, trace: bool = False
) -> TrialResult:
    """Play one trial.

    Args:
        plan: what to play
        index: number of the trial; its seed is the scenario's plus this
        on_progress: called now and then with the simulated time (s) and what robots do
        trace: hash every robot's place and speed in every tick into ``trace_sha256``
    """
    trial = CrossroadsTrial(plan, index)
    end = from_seconds(plan.scenario.duration_s)
    digest = hashlib.sha256() if trace else None
    ticks = 0
    begun = time.perf_counter()
    while trial.world.now < end:
        trial.step()
        ticks += 1
        if digest is not None:
            digest.update(trial.record().encode() + b"\n")
        if on_progress is not None and ticks % _TELL == 0:
            on_progress(to_seconds(trial.world.now), trial.activities())
    return trial.result(time.perf_counter() - begun, None if digest is None else digest.hexdigest())


class CrossroadsTrial:
    """A trial that can be stepped.

    Args:
        plan: what to play
        index: number of the trial

    Attributes:
        world: the crossing
    """

    def __init__(self, plan: CrossroadsPlan, index: int) -> None:
        self.plan = plan
        self.index = index
        self.seed = plan.scenario.seed + index
        self.world = CrossingWorld(plan.scenario, self.seed)
        self._faults = CrossingFaults(plan.scenario, self.world, _STANDS)

    def step(self) -> None:
        """Let go wrong what is due, and advance by one tick."""
        self._faults.step(self.world.now)
        self.world.step()
        self._faults.look(self.world.now)

    def activities(self) -> dict[str, str]:
        """Return what those robots do that a display has room for."""
        bodies = self.world.bodies[: len(self.plan.robots)]
        return {body.name: _activity(body) for body in bodies}

    def record(self) -> str:
        """Return the instant (ns) and each robot's movement, progress (m) and speed (m/s), as JSON."""
        rows = [
            [body.name, str(body.trip.movement), body.progress, body.speed]
            for body in self.world.bodies
            if body.trip is not None
        ]
        return json.dumps([self.world.now, rows])

    def result(self, taken_s: float = 0.0, trace_sha256: str | None = None) -> TrialResult:
        """Return the result as it is now.

        Args:
            taken_s: time that the stepping took, s; zero where it was not measured
            trace_sha256: of the records, if any
        """
        judge = self.world.judge
        simulated_s = to_seconds(self.world.now)
        values = self._values()
        values["real_time_factor"] = round(simulated_s / taken_s, 2) if taken_s > 0.0 else None
        return TrialResult(
            index=self.index,
            seed=self.seed,
            outcome="over",
            reason=judge.reason,
            values=values,
            simulated_s=simulated_s,
            faults={},
            trace_sha256=trace_sha256,
            layout=Layout("crossroads", (), {}, {}, {}),
            trajectories={},
            crossing=judge.story(),
        )

    def _values(self) -> dict[str, float | int | bool | None]:
        judge = self.world.judge
        waits = [to_seconds(trip.appeared - trip.due) for trip in judge.trips]
        return {
            **judge.values(),
            "door_wait_s": sum(waits) / len(waits) if waits else None,
            **({"emergency_wait_max_s": judge.emergency_wait_max()} if self._has_emergencies else {}),
            **self._faults.values(self.world.now),
        }

    @property
    def _has_emergencies(self) -> bool:
        return self.plan.scenario.emergency_share > 0.0


def _activity(body: Body) -> str:
    if body.trip is None:
        return ""
    return f"{'dead' if body.dead else body.client.stage.value.lower()}, {body.trip.movement}"
