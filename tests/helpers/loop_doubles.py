"""Doubles of everything round a robot loop, and a leaf that does what a test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import py_trees
from py_trees.common import Access, ParallelPolicy, Status
from py_trees.composites import Parallel

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.robot import keys
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Cue, Percepts, Readings
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.turret import TurretRates

TICK = 20_000_000


class Note(GameMessage, topic="note"):
    """Says something."""

    text: str = ""
    number: int = 0


CALLS: list[str] = []


class Port:
    """A robot that remembers what it was told."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.time = 0
        self.driven: list[Twist2D] = []
        self.cues: list[str] = []

    def now(self) -> int:
        return self.time

    def read(self) -> Readings:
        CALLS.append("read")
        self.time += TICK
        return Readings(self.time)

    def drive(self, twist: Twist2D) -> None:
        CALLS.append("drive")
        self.driven.append(twist)

    def aim(self, rates: TurretRates) -> None:
        self.aimed = rates

    def fire(self) -> None:
        self.shots = getattr(self, "shots", 0) + 1

    def cue(self, cue: Cue) -> None:
        self.cues.append(cue.event)


class Line:
    """A line on which everything said comes back in the next tick."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent: list[Message] = []
        self.waiting: list[Message] = []

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        if payload.get("text") == "broken":
            raise TypeError("payload is not plain")
        message = Message(topic, self.name, 0, len(self.sent) + 1, 0, payload)
        self.sent.append(message)
        self.waiting.append(message)
        return message

    def receive(self) -> Sequence[Message]:
        CALLS.append("receive")
        waiting, self.waiting = self.waiting, []
        return waiting


class Writer:
    """Writes the clock."""

    def __init__(self, robot: str) -> None:
        self.board = py_trees.blackboard.Client(name="writer", namespace=keys.namespace(robot))
        for key in keys.percept_keys():
            self.board.register_key(key, Access.WRITE)
        self.fails = False
        self.received: list[Message] = []

    def write(self, readings: Readings, messages: Sequence[Message]) -> Percepts:
        CALLS.append("write")
        if self.fails:
            raise ZeroDivisionError("writer")
        self.received.extend(messages)
        self.board.now = readings.now
        return Percepts(readings.now)

    def close(self) -> None:
        self.board.unregister(clear=True)


class Gate:
    """Lets everything through that is a velocity, and latches otherwise."""

    def __init__(self) -> None:
        self.latched: str | None = None
        self.fails = False
        self.faults: list[str | None] = []

    def decide(
        self,
        percepts: Percepts,
        command: Twist2D | None,
        fault: str | None = None,
        aim: TurretRates | None = None,
        fire: bool = False,
    ) -> GateDecision:
        CALLS.append("gate")
        self.faults.append(fault)
        if self.fails:
            raise ZeroDivisionError("gate")
        self.latched = self.latched or fault
        if command is None or self.latched is not None:
            return GateDecision(ZERO, ("stop",), self.latched)
        return GateDecision(command, (), None)

    def reset(self) -> None:
        self.latched = None


Act = Callable[["Leaf"], Status | None]


class Leaf(ActionBehaviour):
    """Does in each method what the test says."""

    def __init__(self, name: str, robot: str, act: Act, **other: Callable[[Leaf], None]) -> None:
        super().__init__(name, robot)
        self.act = act
        self.other = other
        self.terminated: list[Status] = []

    def _do(self, method: str) -> None:
        if method in self.other:
            self.other[method](self)

    def setup(self, **kwargs: Any) -> None:
        self._do("setup")

    def initialise(self) -> None:
        self._do("initialise")

    def update(self) -> Status:
        CALLS.append("tick")
        return self.act(self)  # type: ignore[return-value]

    def terminate(self, new_status: Status) -> None:
        self.terminated.append(new_status)
        self._do("terminate")

    def shutdown(self) -> None:
        self._do("shutdown")


def ahead(leaf: Leaf) -> Status:
    leaf.drive(0.2, 0.0)
    return Status.RUNNING


def idle(leaf: Leaf) -> Status:
    return Status.RUNNING


def explode(leaf: Leaf) -> Status:
    raise RuntimeError("bang\n  twice")


def boom(leaf: Leaf) -> None:
    raise RuntimeError("boom")


def loop_of(
    *leaves: Leaf, robot: str = "wolf", swap: Callable[[], Mapping[str, Any] | None] | None = None, ready: bool = True
) -> RobotLoop:
    """Return a loop whose leaves are ticked side by side."""
    root = Parallel(name="All", policy=ParallelPolicy.SuccessOnAll(synchronise=False), children=list(leaves))
    tree = py_trees.trees.BehaviourTree(root)
    loop = RobotLoop(Port(robot), Line(robot), Writer(robot), tree, Gate(), swap)
    if ready:
        assert loop.configure()
        loop.activate()
    return loop


def driven(loop: RobotLoop) -> list[tuple[float, float]]:
    port = loop.port
    assert isinstance(port, Port)
    return [(twist.linear, twist.angular) for twist in port.driven]
