"""Faults in a robot loop: contained, named, latched, and no business of the other robots."""

import math
from typing import Any

import py_trees
import pytest
from helpers.loop_doubles import CALLS, Gate, Leaf, Port, Writer, ahead, boom, driven, explode, idle, loop_of
from py_trees.common import Status
from py_trees.composites import Selector

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.loop import LoopState, RobotLoop
from arena_trees.robot.turret import STEADY, TurretRates


def test_two_writers_in_a_tick_are_a_fault_also_where_they_are_one():
    loop = loop_of(Leaf("First", "wolf", ahead), Leaf("Second", "wolf", ahead))
    record = loop.step()
    assert record.twist == ZERO
    assert record.fault.startswith("Second raised CommandConflictError")
    assert record.fault.endswith("already written by First")
    record = loop_of(Leaf("Go", "wolf", lambda leaf: ahead(leaf) and ahead(leaf))).step()
    assert str(record.fault).endswith("already written by itself")


def aims(leaf: Leaf) -> Status:
    leaf.aim(0.5, 0.1)
    leaf.fire()
    return Status.RUNNING


def test_two_who_aim_in_a_tick_are_a_fault_and_fire_nothing_but_one_who_aims_and_one_who_drives_none():
    loop = loop_of(Leaf("First", "wolf", aims), Leaf("Second", "wolf", aims))
    record = loop.step()
    assert record.fault == "Second raised AimConflictError: the turret of this tick is already aimed"
    assert (record.twist, record.aim, record.turret, record.trigger, record.fired) == (
        ZERO, None, STEADY, False, False,
    )  # fmt: skip
    assert loop.port.aimed == STEADY and not hasattr(loop.port, "shots")  # type: ignore[attr-defined]
    record = loop_of(Leaf("First", "wolf", aims), Leaf("Second", "wolf", ahead)).step()
    assert (record.fault, record.aim, record.trigger) == (None, TurretRates(0.5, 0.1), True)


@pytest.mark.parametrize("rates", [TurretRates(math.nan), "fast"])
def test_rates_that_are_none_are_a_fault(rates: Any) -> None:
    def write(leaf: Leaf) -> Status:
        leaf.outputs.aim = rates
        return Status.RUNNING

    record = loop_of(Leaf("Bad", "wolf", write)).step()
    assert str(record.fault).startswith("the tree aimed ")
    assert (record.aim, record.turret) == (None, STEADY)


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
