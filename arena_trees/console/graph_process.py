"""The process that watches a ROS graph for the console."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from arena_trees.console.exchange import Instruction, Played, State
from arena_trees.console.graph_parts import GraphParts
from arena_trees.console.quick_pickle import dumps
from arena_trees.console.tuning import check_cue, sheet
from arena_trees.games.registry import find_role, load_games
from arena_trees.nodes.diagnosis.background_doctor import BackgroundDoctor
from arena_trees.nodes.monitors.graph_watch import LATCHED_GATE, GraphWatch
from arena_trees.nodes.monitors.lifecycle_managers import Stack
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameter_fields import nested_values, values_of
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError

__all__ = ["watch_graph"]

_PERIOD_S = 0.1
"""Between two parts; trees publish their ticks ten times a second."""
_LOOK_S = 1.0
_STILL_S = 3.0
"""A robot that drives nothing for so long is looked at by the doctor."""
_LOST_S = 10.0
"""A robot without a pose for so long does not know where it is."""
_SLOWEST = 1e-3
"""Velocity (m/s, rad/s) below which a robot stands."""
_STOPPED = f"{LATCHED_GATE}operator stop"
_OWN_TIME = "robots on ROS have a time of their own: it is neither run, paused nor stepped from here"


def watch_graph(number: int) -> None:
    """Watch a ROS graph and follow orders, until ``quit`` or until the connection is closed.

    Args:
        number: file descriptor of the connection
    """
    # Ctrl-C reaches the whole terminal; whoever started this process ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Connection(number) as connection:
        connection.recv()
        # It takes seconds on a busy machine, in which nothing would be seen.
        load_games()
        watcher = _Watcher(connection)
        try:
            watcher.watch()
        except (BrokenPipeError, ConnectionResetError, EOFError):
            # Whoever wanted to see it is gone.
            return
        finally:
            watcher.close()


class _Robot:
    """What is known of a robot besides its recording.

    Attributes:
        fault: why its tree or its gate is latched, as its newest tick has it
        moved: when it drove last, monotonic clock, s
        located: when it was last known where it is, or when it was found, monotonic clock, s
        model: of its parameters; None where they are not known
        sheet: see :func:`~arena_trees.console.tuning.sheet`
    """

    def __init__(self) -> None:
        self.fault: str | None = None
        self.moved = self.located = time.monotonic()
        self.model: type[Parameters] | None = None
        self.sheet: dict[str, Any] = {}
        self._info: Any = None

    def take(self, recording: RobotRecording, info: Any) -> bool:
        """Take what is new of the robot; return whether its parameters are."""
        if recording.poses:
            self.located = time.monotonic()
        for tick in recording.ticks:
            self.fault = tick.fault
            if max(abs(tick.twist.linear), abs(tick.twist.angular)) > _SLOWEST:
                self.moved = time.monotonic()
        if info == self._info or not isinstance(info, Mapping):
            return False
        self._info = info
        try:
            model = find_role(str(info.get("role"))).parameters
            values = values_of(validate(model, info.get("parameters"), "recording"))
        except ConfigError:
            # Of another version, or a role of somebody else's: it is watched, and not tuned.
            return False
        self.sheet = sheet(str(info["role"]), model, self.sheet["begin"] if model is self.model else values, values)
        self.model = model
        return True


class _Watcher:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._graph = GraphWatch()
        self._name = f"ROS domain {self._graph.domain}"
        self._parts = GraphParts(Path(self._name))
        self._robots: dict[str, _Robot] = {}
        self._answers: list[tuple[int, str]] = []
        self._topics = self._tuned = 0
        self._zero: int | None = None
        self._doctor = BackgroundDoctor()
        self._stacks: tuple[Stack, ...] = ()
        self._quit = False

    def watch(self) -> None:
        looked = sent = 0.0
        while not self._quit:
            now = time.monotonic()
            if now - looked >= _LOOK_S:
                looked = now
                self._look()
            if now - sent >= _PERIOD_S:
                sent = now
                self._send()
            self._graph.turn(_PERIOD_S / 4)
            while self._connection.poll():
                self._follow(self._connection.recv())

    def close(self) -> None:
        self._doctor.close()
        self._graph.close()

    def _look(self) -> None:
        self._graph.look()
        now, there = time.monotonic(), self._graph.recorder.robots
        for name in there:
            self._robots.setdefault(name, _Robot())
        located = frozenset(name for name, robot in self._robots.items() if now - robot.located < _LOST_S)
        self._stacks = self._graph.managers.stacks(located)
        self._doctor.look({name: there[name] for name, robot in self._robots.items() if now - robot.moved > _STILL_S})

    def _send(self) -> None:
        recorder = self._graph.recorder
        messages, now = recorder.take(), self._graph.now
        part: Recording | None = None
        are_tuned = False
        if self._robots and now:
            self._zero = now if self._zero is None else self._zero
            part = self._parts.take(recorder.topics, messages, recorder.robots, now)
            infos = part.info["robots"]
            are_tuned = any([self._robots[name].take(robot, infos.get(name)) for name, robot in part.robots.items()])
        self._tuned += are_tuned
        sheets = self._sheets if are_tuned else None
        topics = tuple(recorder.topics[self._topics :])
        self._topics += len(topics)
        answers, self._answers = self._answers, []
        self._connection.send_bytes(dumps(Played(part, self._state(now), messages, topics, sheets, answers)))

    @property
    def _sheets(self) -> dict[str, Any]:
        return {name: robot.sheet for name, robot in self._robots.items() if robot.sheet}

    def _state(self, now: int) -> State:
        gates = self._graph.gates
        latched = {name: self._latched(name) for name in self._robots}
        return State(
            scenario=self._name,
            seed=0,
            now_s=0.0 if self._zero is None else to_seconds(now - self._zero),
            running=bool(self._robots),
            stopped=bool(gates) and all(state.startswith(_STOPPED) for state in gates.values()),
            latched=tuple((name, why) for name, why in latched.items() if why),
            tuned=self._tuned,
            controls=self._graph.controls,
            settings=self._graph.settings,
            ros=self._name,
            findings=self._doctor.findings,
            stacks=self._stacks,
        )

    def _latched(self, name: str) -> str | None:
        """Return why a robot is latched: what its gate reports now, or its tree's newest tick."""
        gate = self._graph.gates.get(name, "")
        return gate.removeprefix(LATCHED_GATE) if gate.startswith(LATCHED_GATE) else self._robots[name].fault

    def _follow(self, order: Instruction) -> None:
        answer = partial(self._answer, order.number)
        try:
            if order.what == "stop":
                self._graph.stop(answer)
            elif order.what == "reset":
                gates = {state.removeprefix(LATCHED_GATE) for state in self._graph.gates.values()}
                trees = [name for name, robot in self._robots.items() if robot.fault and robot.fault not in gates]
                self._graph.reset(trees, answer)
            elif order.what == "tune":
                model, changes = self._checked(order.robot, order.changes or {})
                self._graph.set_parameters(order.robot, model, changes, answer)
            elif order.what == "cue":
                check_cue(self._sheets, order.robot, order.name)
                self._graph.cue(order.robot, order.name, answer)
            elif order.what == "start":
                self._graph.start(order.robot, order.name, answer)
            elif order.what in ("control", "set"):
                self._rule(order, answer)
            elif order.what == "flush":
                answer("")
            elif order.what == "quit":
                self._quit = True
            else:
                raise ConfigError(_OWN_TIME)
        except ConfigError as error:
            answer(str(error))

    def _rule(self, order: Instruction, answer: Callable[[str], object]) -> None:
        there = self._graph.controls if order.what == "control" else self._graph.settings
        if order.name not in there:
            raise ConfigError(no_such(order.what, order.name, there), key=order.what, value=order.name)
        if order.what == "control":
            self._graph.control(order.name, answer)
        else:
            self._graph.set(order.name, order.value, answer)

    def _checked(self, name: str, changes: Mapping[str, Any]) -> tuple[type[Parameters], dict[str, Any]]:
        """Return the model of a robot's parameters, and what is different in changes that it takes."""
        robot = self._robots.get(name)
        if robot is None or robot.model is None:
            known = [one for one, robot in self._robots.items() if robot.model is not None]
            raise ConfigError(no_such("robot", name, known), key="robot", value=name)
        values = robot.sheet["values"]
        for key, value in changes.items():
            if key not in values:
                raise ConfigError("unknown key", file="change", key=key, value=value)
        # Refused in the words of the model, before the node would.
        validate(robot.model, nested_values({**values, **changes}), "change")
        return robot.model, {key: value for key, value in changes.items() if value != values[key]}

    def _answer(self, number: int | None, refused: str) -> None:
        if number is not None:
            self._answers.append((number, refused))
