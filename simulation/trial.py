"""One trial: arena, robot loops, game and observers, stepped in lock-step at 50 Hz."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from arena_trees.games.crossroads.trial_game import CrossingTrial
from arena_trees.games.pacman.trial_game import PacmanTrial
from arena_trees.games.wolf_rabbit.trial_game import WolfRabbit
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.message_bus import MessageBus
from arena_trees.robot.messages import Message
from arena_trees.robot.parameters import Live
from arena_trees.robot.ports import MessagePort, RobotPort
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.robot.show_log import ShowLog
from arena_trees.robot.tree import RobotTree
from arena_trees.safety.gate import VelocityGate
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.faults import FaultyPort
from arena_trees.simulation.game import TrialGame
from arena_trees.simulation.plan import RobotPlan, TrialPlan, draw_world
from arena_trees.simulation.results import Trajectory, TrialResult

__all__ = ["Trial", "TrialObserver", "Watch", "run_trial"]

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


Watch = Callable[[str, "Trial"], TrialObserver | None]
"""Makes what looks on at a trial, or nothing; given the name of the trial's arm, and the trial."""


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
        game: what is played; counts what the trial is judged by
        records: newest record of each robot whose computer runs
        told: what the game's rules sent in the newest tick, or None
        shows: what the robots showed and played
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
        self.shows = ShowLog()
        self.observer: TrialObserver | None = None
        self._on_record = on_record
        self._streams = RandomStreams(self.seed)
        self._bus: MessageBus | None = None
        if not plan.scenario.isolated:
            self._bus = MessageBus(self.arena.clock, self._streams, plan.scenario.bus)
        try:
            for robot in plan.robots.values():
                self.loops[robot.name] = self._make_loop(robot)
            self.game = self._make_game()
        except Exception:
            self.close()
            raise
        self._ways: dict[str, list[tuple[float, float, float, float, str]]] = {name: [] for name in plan.robots}
        self._ticks = 0
        self._off: set[str] = set()

    def begin(self) -> None:
        """Set every tree up and begin the game; a robot whose setup fails stays latched."""
        for loop in self.loops.values():
            if loop.configure():
                loop.activate()
        self.game.begin(self.arena.now)
        if self.observer is not None:
            self.observer.begin(self)

    def step(self) -> None:
        """Run one tick of every robot and of the rules, judge it, and advance the arena."""
        now = self.arena.now
        for name, loop in self.loops.items():
            if name in self._off:
                self.records.pop(name, None)
                continue
            record = loop.step()
            self.records[name] = record
            self.shows.tell(name, now, record.cues)
            if self._on_record is not None:
                self._on_record(record)
        self.told = self.game.step(now)
        self.game.observe(now, self.records)
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
        while not self.game.over:
            self.step()
            if on_progress is not None and self._ticks % _TELL == 0:
                on_progress(to_seconds(self.arena.now), {name: r.active for name, r in self.records.items()})
        return self.run_result(time.perf_counter() - begun, digest)

    def switch_off(self, robot: str) -> None:
        """Let a robot's computer die: it ticks no more, and its base is left to itself."""
        self._off.add(robot)

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
        supervisor = None
        if robot.fence is not None:
            supervisor = GeofenceSupervisor(robot.fence, parameters=robot.entry.fence)
        streams = self._streams.child(f"robot.{robot.name}")
        road, localiser = robot.road, None
        if road is not None:
            localiser = road.localiser(self.layout.starts[robot.name], self._streams.child(f"placed.{robot.name}"))
        writer = PerceptionBlackboardWriter(robot.name, supervisor, localiser=localiser)
        tree = RobotTree(robot.create_root(robot.name, live, streams))
        gate = VelocityGate(robot.entry.gate, robot.fence, () if road is None else road.limits)
        return RobotLoop(port, messages, writer, tree, gate, between_ticks=live.swap)

    def _make_game(self) -> TrialGame:
        if self.plan.scenario.game == "pacman" and self._bus is not None:
            return PacmanTrial(self.plan, self.arena, self._bus, self._streams)
        if self.plan.scenario.game == "crossroads" and self._bus is not None:
            return CrossingTrial(self.plan, self.arena, self._bus, self.switch_off)
        return WolfRabbit(self.plan, self.arena, self._bus)

    def _sample(self, now: int) -> None:
        for name, way in self._ways.items():
            pose = self.arena.true_pose(name)
            active = self.records[name].active if name in self.records else ""
            way.append((now / SECOND, pose.x, pose.y, pose.yaw, active))

    def run_result(self, taken_s: float = 0.0, digest: Any = None) -> TrialResult:
        """Return the result as it is now.

        Args:
            taken_s: time that the stepping took, s; zero where it was not measured
            digest: hash that the records went into, if any
        """
        simulated_s = to_seconds(self.arena.now)
        self._sample(self.arena.now)
        faults = {name: loop.fault for name, loop in self.loops.items() if loop.fault is not None}
        values = self.game.values()
        values["latched_robots"] = len(faults)
        values["real_time_factor"] = round(simulated_s / taken_s, 2) if taken_s > 0.0 else None
        result = TrialResult(
            index=self.index,
            seed=self.seed,
            outcome=self.game.outcome,
            reason=self.game.reason,
            values=values,
            simulated_s=simulated_s,
            faults=faults,
            trace_sha256=None if digest is None else digest.hexdigest(),
            layout=self.layout,
            trajectories={name: self._way(name) for name in self._ways},
            shown=tuple(self.shows.shown),
        )
        return self.game.tell(result)

    def _way(self, name: str) -> Trajectory:
        numbers = np.asarray([point[:4] for point in self._ways[name]], dtype=np.float64)
        active = tuple(point[4] for point in self._ways[name])
        return Trajectory(self.plan.robots[name].entry.role, numbers[:, 0], numbers[:, 1:], active)
