"""One trial: arena, robot loops, referee and observers, stepped in lock-step at 50 Hz."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from arena_trees.games.referee import GAME_TOPIC, Outcome, Referee
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.messages import Message
from arena_trees.robot.parameters import Live
from arena_trees.robot.ports import MessagePort, RobotPort
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.robot.tree import RobotTree
from arena_trees.safety.gate import VelocityGate
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.bus import BusPort, MessageBus
from arena_trees.simulation.faults import FaultyPort
from arena_trees.simulation.judge import Judge
from arena_trees.simulation.plan import RobotPlan, TrialPlan, draw_world
from arena_trees.simulation.results import Trajectory, TrialResult

__all__ = ["Trial", "TrialObserver", "Watch", "run_trial"]

_REFEREE = "referee"
_SAMPLE = 5
"""Ticks between two points of a trajectory."""
_TELL = 25
"""Ticks between two reports of progress."""

OnProgress = Callable[[float, Mapping[str, str]], object]


class TrialObserver(Protocol):
    """Looks on at a trial, and changes nothing."""

    def begin(self, trial: Trial) -> None:
        """See the trial before its first tick."""
        ...

    def tick(self, trial: Trial) -> None:
        """See one tick, before the arena moves on."""
        ...

    def end(self, trial: Trial) -> None:
        """See the trial when it is over, or given up."""
        ...


Watch = Callable[[str, "Trial"], TrialObserver]
"""Makes what looks on at a trial; given the name of the trial's arm, and the trial."""


def run_trial(
    plan: TrialPlan,
    index: int,
    on_progress: OnProgress | None = None,
    trace: bool = False,
    arm: str = "",
    watch: Watch | None = None,
) -> TrialResult:
    """Play one trial.

    Args:
        plan: what to play
        index: number of the trial; its seed is the scenario's plus this
        on_progress: called now and then with the simulated time (s) and each robot's active leaf
        trace: hash every tick record into ``trace_sha256``
        arm: name of the arm
        watch: makes what looks on
    """
    digest = hashlib.sha256() if trace else None

    def on_record(record: TickRecord) -> None:
        assert digest is not None
        digest.update(record.to_json().encode() + b"\n")

    trial = Trial(plan, index, on_record if trace else None)
    try:
        if watch is not None:
            trial.observer = watch(arm, trial)
        return trial.run(on_progress, digest)
    finally:
        trial.close()


class Trial:
    """A trial that can be stepped.

    Args:
        plan: what to play
        index: number of the trial
        on_record: called with each tick record, robot by robot in the scenario's order

    Attributes:
        arena: the arena
        loops: robot name to its loop
        referee: the referee; None in an isolated game, or where wolf and rabbit are not both there
        judge: counts what the trial is judged by
        records: newest record of each robot
        told: what the referee sent in the newest tick, or None
        observer: looks on, or None; to be set before the trial begins
    """

    def __init__(self, plan: TrialPlan, index: int, on_record: Callable[[TickRecord], object] | None = None) -> None:
        self.plan = plan
        self.index = index
        self.seed = plan.scenario.seed + index
        world = draw_world(plan, index)
        self.layout = world.layout
        self.arena = Arena(world.layout, world.specs, self.seed)
        self.records: dict[str, TickRecord] = {}
        self.loops: dict[str, RobotLoop] = {}
        self.told: Message | None = None
        self.observer: TrialObserver | None = None
        self._on_record = on_record
        self._streams = RandomStreams(self.seed)
        self._bus: MessageBus | None = None
        if not plan.scenario.isolated:
            self._bus = MessageBus(self.arena.clock, self._streams, plan.scenario.bus)
        try:
            for robot in plan.robots.values():
                self.loops[robot.name] = self._make_loop(robot)
        except Exception:
            self.close()
            raise
        self.judge = Judge(plan, self.arena)
        self.referee, self._referee_port = self._make_referee()
        self._ways: dict[str, list[tuple[float, float, float, float, str]]] = {name: [] for name in plan.robots}
        self._ticks = 0

    def begin(self) -> None:
        """Set every tree up and begin the round; a robot whose setup fails stays latched."""
        for loop in self.loops.values():
            if loop.configure():
                loop.activate()
        if self.referee is not None:
            self.referee.start_round(self.arena.now)
        if self.observer is not None:
            self.observer.begin(self)

    def step(self) -> None:
        """Run one tick of every robot and of the referee, judge it, and advance the arena."""
        now = self.arena.now
        for name, loop in self.loops.items():
            record = loop.step()
            self.records[name] = record
            if self._on_record is not None:
                self._on_record(record)
        if self.referee is not None and self._referee_port is not None:
            payload = self.referee.step(now, self._referee_port.receive())
            self.told = None if payload is None else self._referee_port.send(GAME_TOPIC, payload)
        self.judge.observe(now, self.records, self.referee)
        if self._ticks % _SAMPLE == 0:
            self._sample(now)
        if self.observer is not None:
            self.observer.tick(self)
        self._ticks += 1
        self.arena.step()

    def run(self, on_progress: OnProgress | None = None, digest: Any = None) -> TrialResult:
        """Step to the end and return the result.

        Args:
            on_progress: called now and then
            digest: hash that the records go into, if any
        """
        self.begin()
        begun = time.perf_counter()
        while not self.judge.over:
            self.step()
            if on_progress is not None and self._ticks % _TELL == 0:
                on_progress(to_seconds(self.arena.now), {name: r.active for name, r in self.records.items()})
        return self.run_result(time.perf_counter() - begun, digest)

    def close(self) -> None:
        """Shut every loop down and take its keys off the blackboard."""
        if self.observer is not None:
            self.observer.end(self)
            self.observer = None
        for loop in self.loops.values():
            loop.close()
        self.arena.close()

    def _make_loop(self, robot: RobotPlan) -> RobotLoop:
        live = Live(robot.parameters)
        port: RobotPort = self.arena.robots[robot.name]
        faults = [fault for fault in self.plan.scenario.faults if fault.robot == robot.name]
        if faults:
            port = FaultyPort(port, faults)
        messages: MessagePort | None = None if self._bus is None else self._bus.port(robot.name)
        supervisor = GeofenceSupervisor(robot.fence, parameters=robot.entry.fence)
        writer = PerceptionBlackboardWriter(robot.name, supervisor)
        streams = self._streams.child(f"robot.{robot.name}")
        tree = RobotTree(robot.create_root(robot.name, live, streams))
        gate = VelocityGate(robot.entry.gate, robot.fence)
        return RobotLoop(port, messages, writer, tree, gate, between_ticks=live.swap)

    def _make_referee(self) -> tuple[Referee | None, BusPort | None]:
        wolf, rabbit = self.plan.with_role("wolf"), self.plan.with_role("rabbit")
        if self._bus is None or wolf is None or rabbit is None:
            return None, None
        scenario = self.plan.scenario
        rules = scenario.referee.with_changes({"round_duration": scenario.duration_s})
        return Referee(wolf, rabbit, self.judge, rules), self._bus.port(_REFEREE)

    def _sample(self, now: int) -> None:
        for name, way in self._ways.items():
            pose = self.arena.true_pose(name)
            way.append((now / SECOND, pose.x, pose.y, pose.yaw, self.records[name].active))

    def run_result(self, taken_s: float = 0.0, digest: Any = None) -> TrialResult:
        """Return the result as it is now.

        Args:
            taken_s: time that the stepping took, s; zero where it was not measured
            digest: hash that the records went into, if any
        """
        simulated_s = to_seconds(self.arena.now)
        judge, referee = self.judge, self.referee
        reason = judge.reason
        if referee is not None and judge.outcome in {outcome.value for outcome in Outcome}:
            reason = referee.reason or reason
        self._sample(self.arena.now)
        faults = {name: loop.fault for name, loop in self.loops.items() if loop.fault is not None}
        values = judge.values()
        values["latched_robots"] = len(faults)
        values["real_time_factor"] = round(simulated_s / taken_s, 2) if taken_s > 0.0 else None
        return TrialResult(
            index=self.index,
            seed=self.seed,
            outcome=judge.outcome,
            reason=reason,
            values=values,
            simulated_s=simulated_s,
            faults=faults,
            trace_sha256=None if digest is None else digest.hexdigest(),
            layout=self.layout,
            trajectories={name: self._way(name) for name in self._ways},
            catch=judge.catch,
        )

    def _way(self, name: str) -> Trajectory:
        numbers = np.asarray([point[:4] for point in self._ways[name]], dtype=np.float64)
        active = tuple(point[4] for point in self._ways[name])
        return Trajectory(self.plan.robots[name].entry.role, numbers[:, 0], numbers[:, 1:], active)
