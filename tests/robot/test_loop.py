"""The robot loop: order of a tick, faults and latches, life cycle, messages and cues."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import py_trees
import pytest
from py_trees.blackboard import Blackboard
from py_trees.common import Access, ParallelPolicy, Status
from py_trees.composites import Parallel, Selector

from arena_trees.behaviours.base import Mover
from arena_trees.robot import keys
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.loop import LoopState, RobotLoop
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import Cue, Percepts, Readings, Tracking
from arena_trees.robot.ports import GateDecision

TICK = 20_000_000
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

    def cue(self, cue: Cue) -> None:
        self.cues.append(cue.event)


class Line:
    """A line on which everything said comes back in the next tick."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent: list[Message] = []
        self.waiting: list[Message] = []

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        if "broken" in payload:
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
        for key in keys.PERCEPTS:
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

    def decide(self, percepts: Percepts, command: Twist2D | None, fault: str | None = None) -> GateDecision:
        CALLS.append("gate")
        self.faults.append(fault)
        if self.fails:
            raise ZeroDivisionError("gate")
        self.latched = self.latched or fault
        stop = command is None or self.latched is not None
        return GateDecision(ZERO if stop else command, ("stop",) if stop else (), self.latched)

    def reset(self) -> None:
        self.latched = None


Act = Callable[["Leaf"], Status | None]


class Leaf(Mover):
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
    *leaves: Leaf, robot: str = "wolf", swap: Callable[[], object] | None = None, ready: bool = True
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


def test_a_tick_reads_writes_ticks_gates_and_drives_in_this_order() -> None:
    loop = loop_of(Leaf("Go", "wolf", ahead), swap=lambda: CALLS.append("swap"))
    CALLS.clear()
    loop.step()
    assert CALLS == ["read", "receive", "write", "swap", "tick", "gate", "drive"]


def test_the_record_tells_the_whole_tick() -> None:
    tracking = Tracking("chase", 1.0, 2.0, 3.0, 4.0, 250, 0.02, None)

    def act(leaf: Leaf) -> Status:
        leaf.show("CATCH")
        leaf.say("claim", {"claim": 1})
        leaf.track(tracking)
        return ahead(leaf)

    loop = loop_of(Leaf("Go", "wolf", act), Leaf("Wait", "wolf", idle))
    first, second = loop.step(), loop.step()
    assert (first.tick, first.now, second.tick, second.now) == (0, TICK, 1, 2 * TICK)
    assert (first.robot, first.command, first.twist) == ("wolf", Twist2D(0.2, 0.0), Twist2D(0.2, 0.0))
    assert (first.active, first.cues, first.tracking, first.fault) == ("Go", ("CATCH",), tracking, None)
    assert first.statuses == bytes([1, 1, 1])
    assert first.sequences == (0,) * 8
    assert [message.payload for message in first.sent] == [{"claim": 1}]
    assert (first.received, second.received) == ((), first.sent)
    assert loop.port.cues == ["CATCH", "CATCH"]
    assert loop.writer.received == list(first.sent)


def test_records_are_json_and_equal_runs_give_equal_bytes() -> None:
    def run() -> list[str]:
        loop = loop_of(Leaf("Go", "wolf", lambda leaf: leaf.say("a", {"z": 1, "b": [True, None]}) or ahead(leaf)))
        lines = [loop.step().to_json() for _ in range(3)]
        loop.close()
        return lines

    first = run()
    assert first == run()
    values = json.loads(first[1])
    assert values["twist"] == [0.2, 0.0]
    assert values["received"] == [["a", "wolf", 0, 1, 0, {"b": [True, None], "z": 1}]]


def test_nobody_writing_means_stop() -> None:
    loop = loop_of(Leaf("Wait", "wolf", idle))
    record = loop.step()
    assert (record.command, record.twist, record.reasons, record.fault) == (None, ZERO, ("stop",), None)


def test_a_command_holds_for_one_tick_only() -> None:
    ticks = iter([True, False])
    loop = loop_of(Leaf("Go once", "wolf", lambda leaf: ahead(leaf) if next(ticks) else idle(leaf)))
    loop.step()
    loop.step()
    assert driven(loop) == [(0.2, 0.0), (0.0, 0.0)]


def test_two_writers_in_a_tick_are_a_fault() -> None:
    loop = loop_of(Leaf("First", "wolf", ahead), Leaf("Second", "wolf", ahead))
    record = loop.step()
    assert record.twist == ZERO
    assert record.fault is not None
    assert record.fault.startswith("Second raised CommandConflictError")


def test_an_exception_stops_every_behaviour_and_latches_with_one_line() -> None:
    other = Leaf("Other", "wolf", ahead)
    bad = Leaf("Bad", "wolf", explode)
    loop = loop_of(other, bad)
    record = loop.step()
    assert record.fault == "Bad raised RuntimeError: bang twice"
    assert (record.twist, record.command, record.active) == (ZERO, None, "LATCHED")
    assert other.terminated == [Status.INVALID]
    assert all(node.status is Status.INVALID for node in loop.tree.root.iterate())
    CALLS.clear()
    assert {loop.step().twist for _ in range(5)} == {ZERO}
    assert "tick" not in CALLS
    assert loop.gate.faults[-1] == record.fault


@pytest.mark.parametrize("value", [None, True, "RUNNING", 1])
def test_a_status_that_is_none_is_a_fault(value: Any) -> None:
    loop = loop_of(Leaf("Other", "wolf", ahead), Leaf("Bad", "wolf", lambda _: value))
    record = loop.step()
    assert (record.twist, record.fault) == (ZERO, "Bad returned no valid status")


def test_a_selector_does_not_hide_a_status_that_is_none() -> None:
    bad, good = Leaf("Bad", "wolf", lambda _: None), Leaf("Good", "wolf", ahead)
    root = Selector(name="Any", memory=False, children=[bad, good])
    loop = RobotLoop(Port("wolf"), None, Writer("wolf"), py_trees.trees.BehaviourTree(root), Gate())
    loop.configure()
    loop.activate()
    record = loop.step()
    assert (record.twist, record.fault) == (ZERO, "Bad returned no valid status")


@pytest.mark.parametrize(
    "command", [Twist2D(math.nan, 0.0), Twist2D(0.0, math.inf), Twist2D(-math.inf, math.nan), 0.2, "go", (0.1, 0.0)]
)
def test_a_command_that_is_no_velocity_is_a_fault_even_when_written_past_drive(command: Any) -> None:
    def act(leaf: Leaf) -> Status:
        leaf.outputs.command = command
        return Status.RUNNING

    loop = loop_of(Leaf("Quiet", "wolf", idle), Leaf("Bad", "wolf", act))
    record = loop.step()
    assert (record.twist, record.command) == (ZERO, None)
    assert record.fault is not None
    assert record.fault.startswith("Bad commanded ")


@pytest.mark.parametrize("twist", [(math.nan, 0.0), (0.0, math.inf)])
def test_drive_refuses_what_is_not_finite(twist: tuple[float, float]) -> None:
    loop = loop_of(Leaf("Bad", "wolf", lambda leaf: leaf.drive(*twist) or Status.RUNNING))
    assert str(loop.step().fault).startswith("Bad raised ValueError: the command is not finite")


def test_a_terminate_that_raises_does_not_keep_others_running() -> None:
    first, second = Leaf("First", "wolf", ahead, terminate=boom), Leaf("Second", "wolf", idle, terminate=boom)
    last = Leaf("Last", "wolf", idle)
    bad = Leaf("Bad", "wolf", explode)
    record = loop_of(first, second, last, bad).step()
    assert record.fault is not None
    assert record.fault.startswith("Bad raised RuntimeError")
    assert "First raised RuntimeError: boom; Second raised RuntimeError: boom" in record.fault
    assert last.terminated == [Status.INVALID]
    assert all(leaf.status is Status.INVALID for leaf in (first, second, last, bad))


def test_a_terminate_that_raises_while_deactivating_latches() -> None:
    loop = loop_of(Leaf("Bad", "wolf", ahead, terminate=boom), Leaf("Last", "wolf", idle))
    loop.step()
    loop.deactivate()
    assert loop.fault == "Bad raised RuntimeError: boom"
    assert loop.state is LoopState.INACTIVE
    loop.activate()
    assert loop.step().twist == ZERO


@pytest.mark.parametrize("method", ["setup", "initialise", "update", "terminate"])
def test_one_robots_fault_leaves_the_other_running(method: str) -> None:
    act = boom if method == "update" else (lambda leaf: ahead(leaf) and Status.SUCCESS)
    hooks = {} if method == "update" else {method: boom}
    bad = loop_of(Leaf("Bad", "wolf", act, **hooks), ready=False)
    good = loop_of(Leaf("Go", "rabbit", ahead), robot="rabbit")
    if bad.configure():
        bad.activate()
    for _ in range(4):
        bad.step()
        good.step()
    assert str(bad.fault).startswith("Bad")
    assert set(driven(bad)) == {(0.0, 0.0)}
    assert driven(good) == [(0.2, 0.0)] * 4
    assert good.fault is None


def test_a_refused_setup_cannot_be_activated() -> None:
    loop = loop_of(Leaf("Bad", "wolf", ahead, setup=boom), ready=False)
    assert not loop.configure()
    assert loop.fault == "Bad: setup raised RuntimeError: boom"
    with pytest.raises(ArenaTreesError, match="UNCONFIGURED"):
        loop.activate()
    assert loop.step().twist == ZERO


def test_a_command_in_setup_is_a_fault_of_its_leaf() -> None:
    def write(leaf: Leaf) -> None:
        leaf.drive(0.1, 0.0)

    loop = loop_of(Leaf("Good", "wolf", ahead), Leaf("Bad", "wolf", ahead, setup=write), ready=False)
    assert not loop.configure()
    assert loop.fault == "Bad: wrote a command in setup"


def test_perception_and_gate_and_parameters_that_raise_latch_too() -> None:
    for breakage, words in (("writer", "perception raised"), ("gate", "velocity gate raised")):
        loop = loop_of(Leaf("Go", "wolf", ahead))
        loop.step()
        getattr(loop, breakage).fails = True
        record = loop.step()
        assert record.twist == ZERO
        assert str(record.fault).startswith(words)
        assert loop.step().twist == ZERO
        loop.close()
    loop = loop_of(Leaf("Go", "wolf", ahead), swap=lambda: boom(None))  # type: ignore[arg-type]
    assert str(loop.step().fault).endswith("raised RuntimeError: boom")


@pytest.mark.parametrize("broken", ["topic", ("a", {"broken": 1}), 5])
def test_an_outbox_that_cannot_be_sent_latches(broken: Any) -> None:
    def act(leaf: Leaf) -> Status:
        leaf.outputs.outbox.append(broken)
        return ahead(leaf)

    loop = loop_of(Leaf("Go", "wolf", act))
    assert "sending" in str(loop.step().fault)
    assert loop.step().twist == ZERO


def test_a_robot_alone_sends_nothing() -> None:
    leaf = Leaf("Go", "wolf", lambda leaf: leaf.say("claim", {}) or ahead(leaf))
    loop = RobotLoop(Port("wolf"), None, Writer("wolf"), py_trees.trees.BehaviourTree(leaf), Gate())
    loop.configure()
    loop.activate()
    record = loop.step()
    assert (record.sent, record.received, record.fault) == ((), (), None)


def test_a_gate_latched_from_outside_stops_the_behaviours() -> None:
    leaf = Leaf("Go", "wolf", ahead)
    loop = loop_of(leaf)
    loop.step()
    loop.gate.latched = "operator stop"
    record = loop.step()
    assert (record.twist, record.fault, record.active) == (ZERO, "operator stop", "LATCHED")
    assert leaf.terminated == [Status.INVALID]
    loop.gate.latched = None
    assert loop.step().fault == "operator stop"


def test_a_reset_leads_to_inactive_and_only_activate_moves_again() -> None:
    ticks = iter([False, True, False])
    loop = loop_of(Leaf("Go", "wolf", lambda leaf: explode(leaf) if next(ticks) else ahead(leaf)))
    loop.step()
    loop.step()
    loop.activate()
    assert loop.fault is not None
    assert loop.step().twist == ZERO
    loop.reset()
    assert (loop.fault, loop.state) == (None, LoopState.INACTIVE)
    assert loop.step().twist == ZERO
    loop.activate()
    assert loop.step().twist == Twist2D(0.2, 0.0)


def test_a_loop_that_is_not_active_drives_zero_and_does_not_tick() -> None:
    loop = loop_of(Leaf("Go", "wolf", ahead))
    loop.step()
    loop.deactivate()
    CALLS.clear()
    record = loop.step()
    assert (record.twist, record.active) == (ZERO, "INACTIVE")
    assert "tick" not in CALLS


def test_the_life_cycle_refuses_wrong_turns() -> None:
    loop = loop_of(Leaf("Go", "wolf", ahead), ready=False)
    with pytest.raises(ArenaTreesError):
        loop.activate()
    loop.configure()
    loop.activate()
    with pytest.raises(ArenaTreesError):
        loop.configure()
    loop.close()
    for call in (loop.configure, loop.activate):
        with pytest.raises(ArenaTreesError):
            call()


def keys_of(robot: str) -> set[str]:
    return {key for key in {*Blackboard.storage, *Blackboard.metadata} if key.startswith(f"/{robot}/")}


@pytest.mark.parametrize("configured", [True, False])
def test_closing_removes_this_robots_keys_only(configured: bool) -> None:
    shut: list[str] = []
    wolfish = loop_of(Leaf("Go", "wolf2", ahead), robot="wolf2")
    others = len(Blackboard.clients)
    leaf = Leaf("Go", "wolf", ahead, shutdown=lambda leaf: shut.append(leaf.name))
    loop = loop_of(leaf, ready=configured)
    if configured:
        loop.step()
    wolfish.step()
    before = keys_of("wolf2")
    assert keys_of("wolf")
    loop.close()
    loop.close()
    assert shut == ["Go"]
    assert keys_of("wolf") == set()
    assert keys_of("wolf2") == before
    assert len(Blackboard.clients) == others
    assert wolfish.step().twist == Twist2D(0.2, 0.0)


def test_a_shutdown_that_raises_does_not_keep_others_open() -> None:
    shut: list[str] = []
    bad = Leaf("Bad", "wolf", ahead, shutdown=boom)
    loop = loop_of(bad, Leaf("Last", "wolf", idle, shutdown=lambda leaf: shut.append(leaf.name)))
    loop.step()
    loop.close()
    assert shut == ["Last"]
    assert loop.fault == "Bad: shutdown raised RuntimeError: boom"
    assert keys_of("wolf") == set()


def test_the_same_name_can_be_used_again_after_closing() -> None:
    for _ in range(2):
        loop = loop_of(Leaf("Go", "wolf", ahead))
        assert loop.step().twist == Twist2D(0.2, 0.0)
        loop.close()
