"""One trial: arena, robot loops, game and observers, stepped in lock-step at 50 Hz."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from arena_trees.experiments.metrics import WALL_CLOCK, metrics_by_name
from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.promises.promise import Kept, PromiseWatch, judge_values
from arena_trees.experiments.promises.trace_tick import TraceTick
from arena_trees.experiments.results import FAULT, Trajectory, TrialResult
from arena_trees.experiments.robot_plans import RobotPlan
from arena_trees.games.game import Carry, SwitchOff
from arena_trees.games.host import RulesHost
from arena_trees.games.picture import picture_shapes
from arena_trees.games.truth import Observation, Truth, TruthSample
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.robot.background import InlineRunner
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.configuration.parameters import Live, Parameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.messaging.message_bus import MessageBus
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.ports import MessagePort, RobotPort
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.record import TickRecord
from arena_trees.robot.show.show_log import ShowLog
from arena_trees.robot.ticking.tree import RobotTree
from arena_trees.robot.timing import TICK
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.reasons import GateReason
from arena_trees.simulation.faults.computer_faults import ComputerFaults
from arena_trees.simulation.faults.fault import drawn_faults
from arena_trees.simulation.faults.line_faults import LineFaults
from arena_trees.simulation.faults.sensor_faults import FaultyPort
from arena_trees.simulation.physics.arena import Arena

__all__ = ["OnProgress", "Trial", "TrialObserver", "Watch", "run_trial"]

_SAMPLE = 5
"""Ticks between two points of a trajectory."""
_TELL = 25
"""Ticks between two reports of progress."""
_NOTHING: frozenset[str] = frozenset()
_TAKE_NO_MOTION = frozenset((GateReason.NO_COMMAND, GateReason.TURRET_CAP, GateReason.WEAPON_HELD))
"""Reasons of the gate by which the base loses nothing: without a command there was no motion to take away."""

OnProgress = Callable[[float, Mapping[str, str]], object]


class _Point(NamedTuple):
    """A robot at an instant (s): its true pose, its active leaf, and why the gate took motion away since the last."""

    now_s: float
    pose: Pose2D
    active: str
    limited: tuple[str, ...]


class TrialObserver(Protocol):
    """Observes a trial and changes nothing."""

    def begin(self, trial: Trial) -> None:
        """Called before the first tick."""
        ...

    def tick(self, trial: Trial) -> None:
        """Called after each tick, before the arena moves on."""
        ...

    def end(self, trial: Trial) -> None:
        """Called when the trial is over, or given up."""
        ...


Watch = Callable[[str, "Trial"], TrialObserver | None]
"""Makes the observer of a trial, or None; given the name of the trial's arm, and the trial."""


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
        watch: makes the trial's observers
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


def _fault_text(fault: str, place: str | None) -> str:
    """Return a fault with the place in a user's own code, if it is one."""
    return fault if place is None else f"{place}: {fault}"


def _node_names(loop: RobotLoop) -> tuple[str, ...]:
    return tuple(node.name for node in loop.tree.root.iterate())


class Trial:
    """A trial that can be stepped.

    Args:
        plan: what to play
        index: number of the trial
        on_record: called with each tick record, robot by robot in the scenario's order

    Attributes:
        layout: of the world, as the map has it
        arena: the arena, its walls where they stand
        loops: robot name to its loop
        parameters: robot name to the cell of its tree's parameters
        background: robot name to what makes its background calls between ticks
        judge: decides when the trial is over, and measures it
        host: of the game's rules; None where there are none
        records: newest record of each robot whose computer runs
        reported: what the game's rules sent in the newest tick
        shows: what the robots showed and played
        observer: sees every tick, or None; to be set before the trial begins
    """

    def __init__(self, plan: TrialPlan, index: int, on_record: Callable[[TickRecord], object] | None = None) -> None:
        self.plan = plan = plan.for_trial(index)
        self.index = index
        self.seed = plan.scenario.seed + index
        world = draw_world(plan, index)
        self.layout = world.layout
        self.arena = Arena(world.standing, world.specs, self.seed)
        self.records: dict[str, TickRecord] = {}
        self.loops: dict[str, RobotLoop] = {}
        self.parameters: dict[str, Live[Parameters]] = {}
        self.background: dict[str, InlineRunner] = {}
        self.reported: tuple[Message, ...] = ()
        self.shows = ShowLog(plan.game.shows)
        self.host: RulesHost | None = None
        self.observer: TrialObserver | None = None
        self._on_record = on_record
        self._streams = RandomStreams(self.seed)
        self._bus: MessageBus | None = None
        self._faults = drawn_faults(plan.scenario.faults, self.seed)
        if not plan.scenario.isolated:
            lines = LineFaults(self._faults, self._streams)
            self._bus = MessageBus(self.arena.clock, self._streams, plan.bus, lines if lines else None)
        self._computers: dict[str, ComputerFaults] = {}
        try:
            for robot in plan.robots.values():
                faults = [fault for fault in self._faults if fault.robot == robot.name]
                if faults:
                    self.arena.robots[robot.name].hamper(faults)
                    self._computers[robot.name] = ComputerFaults(faults)
                messages = None if self._bus is None else self._bus.port(robot.name)
                self.loops[robot.name] = self._make_loop(robot, messages)
            self._make_game()
        except BaseException:
            self.close()
            raise
        self._node_names = {name: _node_names(loop) for name, loop in self.loops.items()}
        promises = plan.scenario.promises
        self._promises = PromiseWatch(promises, plan.robots) if promises else None
        self._ways: dict[str, list[_Point]] = {name: [] for name in plan.robots}
        self._limited: dict[str, dict[str, None]] = {name: {} for name in plan.robots}
        self._ticks = 0
        self._off: set[str] = set()
        self._carried: frozenset[str] = frozenset()

    @property
    def broken(self) -> tuple[str, ...]:
        """Robots in whose user's own code a behaviour raised: such a trial ends."""
        return tuple(name for name, loop in self.loops.items() if loop.fault_place is not None)

    def moment(self, robot: str) -> TraceTick | None:
        """Return what a robot has just done, and knew; None where its computer did not run."""
        record = self.records.get(robot)
        if record is None:
            return None
        return TraceTick(
            to_seconds(self.arena.now),
            record,
            self.loops[robot].percepts,
            self.arena.true_pose(robot),
            self.plan.robots[robot].fence,
            self._node_names[robot],
            {other: self.arena.true_pose(other) for other in self.loops if other != robot},
        )

    def begin(self) -> None:
        """Set every tree up and begin the game; a robot whose setup fails stays latched."""
        for loop in self.loops.values():
            if loop.configure():
                loop.activate()
        if self.host is not None:
            self.host.rules.begin(self.arena.now)
        if self.observer is not None:
            self.observer.begin(self)

    def step(self) -> None:
        """Run one tick of every robot and of the rules, judge it, and advance the arena."""
        now = self.arena.now
        for name in self.plan.robots:
            if name in self._off or not self._computer_works(name, now):
                self.records.pop(name, None)
                continue
            record = self.loops[name].step()
            self.records[name] = record
            self._limited[name].update(dict.fromkeys(record.reasons))
            self.shows.record(name, now, record.cues)
            if self._on_record is not None:
                self._on_record(record)
        self._judge(now)
        if self._ticks % _SAMPLE == 0:
            self._sample(now)
        if self._promises is not None:
            self._promises.tick(self.moment)
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
        while not (self.judge.over or (self._ticks and self.broken)):
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

    def _computer_works(self, name: str, now: int) -> bool:
        """Return whether a robot's computer runs this tick; one that has started anew has forgotten everything."""
        computer = self._computers.get(name)
        if computer is None:
            return True
        if computer.starts_anew(now):
            before = self.loops[name]
            before.close()
            messages = None if self._bus is None else self._bus.renew(name)
            loop = self.loops[name] = self._make_loop(self.plan.robots[name], messages)
            loop.ticks = before.ticks
            if loop.configure():
                loop.activate()
        return computer.works(now)

    def _make_loop(self, robot: RobotPlan, messages: MessagePort | None) -> RobotLoop:
        live = self.parameters[robot.name] = Live(robot.parameters)
        port: RobotPort = self.arena.robots[robot.name]
        faults = [fault for fault in self._faults if fault.robot == robot.name]
        if faults:
            port = FaultyPort(port, faults)
        supervisor = None
        if robot.fence is not None:
            supervisor = GeofenceSupervisor(robot.fence, parameters=robot.entry.fence)
        role = self.plan.role(robot.name)
        context = self.plan.robot_context(robot.name, self.index, self.layout.starts[robot.name])
        writer = PerceptionBlackboardWriter(
            robot.name,
            supervisor,
            localiser=None if role.localiser is None else role.localiser(context),
            subscribes=role.subscribes,
            known=self.plan.game.messages,
        )
        own_tree = robot.create_root is not role.create_root
        background = self.background[robot.name] = InlineRunner()
        given = {} if own_tree else role.given(context, background)
        tree = RobotTree(robot.create_root(robot.name, live, self._streams.child(f"robot.{robot.name}"), **given))
        limits = () if role.limits is None else role.limits(context)
        gate = VelocityGate(robot.gate, robot.fence, limits, robot.body)
        game = self.plan.game
        of_robots = [message for message in game.messages if message.topic in game.sent_by_robots]
        publishes = of_robots if own_tree else role.publishes

        def between_ticks() -> Mapping[str, Any]:
            changes = live.swap()
            background.run()
            return changes

        return RobotLoop(port, messages, writer, tree, gate, between_ticks=between_ticks, publishes=publishes)

    def _make_game(self) -> None:
        """Make rules and judge; the rules are the last to join the bus."""
        game = self.plan.game
        context = self.plan.context(self.index, {name: self.arena.true_pose(name) for name in self.plan.robots})
        self.judge = game.make_judge(context)
        rules = None if self._bus is None else game.make_rules(context)
        if rules is not None and self._bus is not None:
            self.host = RulesHost(rules, self._bus.port(game.speaker), game.messages)

    def _judge(self, now: int) -> None:
        """Step the rules after the robots' tick, then the judge."""
        truth, state, end = self._truth(now), None, None
        if self.host is not None:
            by_truth = self.plan.scenario.judged_by == "truth"
            self.reported, actions = self.host.step(now, truth if by_truth else self._localised(truth))
            if actions:
                self._act(actions)
                truth = self._truth(now)
            state, end = self.host.rules.state, self.host.rules.end
        messages = [message for record in self.records.values() for message in record.sent]
        seen = Observation(now, TICK, truth, self.records, (*messages, *self.reported), state, end, self._carried)
        self.judge.observe(seen)
        self._carried = frozenset()

    def _truth(self, now: int) -> Truth:
        """Return what is true of every robot."""
        touched: dict[str, set[str]] = {}
        for one, other in self.arena.contacts:
            touched.setdefault(one, set()).add(other)
        samples = {}
        for name, robot in self.arena.robots.items():
            truth = robot.truth
            contacts = frozenset(touched[name]) if name in touched else _NOTHING
            samples[name] = TruthSample(name, now, truth.pose, truth.twist, contacts, truth.turret, truth.fired)
        return samples

    def _localised(self, truth: Truth) -> Truth:
        """Return each robot's own pose estimate; robots without one are left out."""
        estimates = {name: robot.read().pose for name, robot in self.arena.robots.items()}
        return {
            name: replace(truth[name], pose=estimate.pose)
            for name, estimate in estimates.items()
            if estimate is not None
        }

    def _act(self, actions: Iterable[SwitchOff | Carry]) -> None:
        """Carry out the actions of the game's rules."""
        for action in actions:
            if isinstance(action, SwitchOff):
                self._off.add(action.robot)
            else:
                self.arena.carry(action.robot, action.pose)
                self._carried |= {action.robot}

    def _sample(self, now: int) -> None:
        for name, way in self._ways.items():
            pose = self.arena.true_pose(name)
            active = self.records[name].active if name in self.records else ""
            limited = tuple(reason for reason in self._limited[name] if reason not in _TAKE_NO_MOTION)
            self._limited[name].clear()
            way.append(_Point(now / SECOND, pose, active, limited))

    def run_result(self, taken_s: float = 0.0, digest: Any = None) -> TrialResult:
        """Return the result as it is now.

        Args:
            taken_s: time that the stepping took, s; zero where it was not measured
            digest: hash that the records went into, if any
        """
        simulated_s = to_seconds(self.arena.now)
        self._sample(self.arena.now)
        faults = {name: _fault_text(loop.fault, loop.fault_place) for name, loop in self.loops.items() if loop.fault}
        broken = self.broken
        values = self.judge.values()
        values["latched_robots"] = len(faults)
        values[WALL_CLOCK] = round(simulated_s / taken_s, 2) if taken_s > 0.0 else None
        return TrialResult(
            index=self.index,
            seed=self.seed,
            outcome=FAULT if broken else self.judge.outcome,
            reason="; ".join(f"{name}: {faults[name]}" for name in broken) or self.judge.reason,
            values=values,
            simulated_s=simulated_s,
            faults=faults,
            promises=self._kept(values),
            tracebacks={name: self.loops[name].fault_traceback for name in broken},
            trace_sha256=None if digest is None else digest.hexdigest(),
            layout=self.layout,
            trajectories={name: self._way(name) for name in self._ways},
            shown=tuple(self.shows.shown),
            marks=tuple(self.judge.marks()),
            charts=tuple(self.judge.charts()),
            shapes=picture_shapes(self.plan.game, self.judge, None if self.host is None else self.host.rules.state),
            ended_s=self.judge.ended_s,
        )

    def _kept(self, values: Mapping[str, Any]) -> dict[str, Kept]:
        """Return what became of the scenario's promises, by the trial's values where they are of metrics."""
        promises = self.plan.scenario.promises
        if self._promises is None:
            return {}
        metrics = metrics_by_name(self.plan.game.metrics, self.plan.robots)
        return {**self._promises.kept(), **judge_values(promises, metrics, values)}

    def _way(self, name: str) -> Trajectory:
        points = self._ways[name]
        time = np.asarray([point.now_s for point in points], dtype=np.float64)
        pose = np.asarray([(point.pose.x, point.pose.y, point.pose.yaw) for point in points], dtype=np.float64)
        active, limited = (tuple(getattr(point, what) for point in points) for what in ("active", "limited"))
        robot = self.plan.robots[name]
        return Trajectory(robot.entry.role, time, pose, active, limited, robot.body)
