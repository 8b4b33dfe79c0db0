"""One trial at a crossing without sensors: traffic, what goes wrong in it, and what it is judged by."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping

from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.simulation.crossing_body import Body
from arena_trees.simulation.crossing_kinematic import CrossingWorld
from arena_trees.simulation.crossroads import CrossroadsFault, CrossroadsPlan
from arena_trees.simulation.layout import Layout
from arena_trees.simulation.results import TrialResult

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
        self._pending = list(plan.scenario.faults)
        self._ends: list[tuple[int, str | None]] = []
        self._cleared: list[_Clearing] = []

    def step(self) -> None:
        """Let go wrong what is due, and advance by one tick."""
        for end in [end for end in self._ends if self.world.now >= end[0]]:
            self._ends.remove(end)
            self._end(end[1])
        for fault in list(self._pending):
            if self.world.now >= from_seconds(fault.at_s) and self._begin(fault):
                self._pending.remove(fault)
        self.world.step()
        for clearing in self._cleared:
            clearing.look(self.world)

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
            **self._clearings(),
        }

    def _begin(self, fault: CrossroadsFault) -> bool:
        """Let somebody die; return whether there was somebody."""
        name = None
        if fault.dies == "scheduler":
            self.world.stop_scheduler()
        else:
            name = next((body.name for body in self.world.bodies if self._is_meant(fault, body)), None)
            if name is None:
                return False
            self.world.kill(name)
        if fault.for_s is not None:
            self._ends.append((self.world.now + from_seconds(fault.for_s), name))
        return True

    def _is_meant(self, fault: CrossroadsFault, body: Body) -> bool:
        if body.dead or body.trip is None:
            return False
        if fault.robot is not None:
            return body.name == fault.robot
        x, y = body.place()
        return body.inside and max(abs(x), abs(y)) < self.plan.scenario.plan.lane_width

    def _end(self, name: str | None) -> None:
        if name is None:
            self.world.start_scheduler()
            return
        self.world.remove(name)
        if not any(body.dead for body in self.world.bodies):
            self._cleared.append(_Clearing(self.world))

    @property
    def _has_emergencies(self) -> bool:
        return self.plan.scenario.emergency_share > 0.0

    def _clearings(self) -> dict[str, float]:
        """Return how fast traffic came back when the last dead robot was away; the longest times, s."""
        if not self._cleared:
            return {}
        now = self.world.now
        return {
            "flows_again_s": max(clearing.time_until(now, clearing.flowed) for clearing in self._cleared),
            "enters_again_s": max(clearing.time_until(now, clearing.entered) for clearing in self._cleared),
        }


class _Clearing:
    """What follows when the last dead robot has been carried away.

    Attributes:
        entered: instant of the next entry, ns; None before
        flowed: instant at which one that had stopped inside drove on, or of the next entry, ns; None before
    """

    def __init__(self, world: CrossingWorld) -> None:
        self.entered: int | None = None
        self.flowed: int | None = None
        self._at = world.now
        self._stopped = [body for body in world.bodies if body.inside and not body.dead and body.speed < _STANDS]

    def look(self, world: CrossingWorld) -> None:
        """Look at the world after a tick."""
        if self.entered is None and any(_entered(body) > self._at for body in world.bodies):
            self.entered = world.now
        drives_on = any(body.inside and body.speed >= _STANDS for body in self._stopped)
        if self.flowed is None and (drives_on or self.entered is not None):
            self.flowed = world.now

    def time_until(self, now: int, instant: int | None) -> float:
        """Return the time (s) from the clearing to an instant (ns), or to now where it has not come."""
        return to_seconds((now if instant is None else instant) - self._at)


def _entered(body: Body) -> int:
    return -1 if body.trip is None or body.trip.entered is None else body.trip.entered


def _activity(body: Body) -> str:
    if body.trip is None:
        return ""
    return f"{'dead' if body.dead else body.client.stage.value.lower()}, {body.trip.movement}"
