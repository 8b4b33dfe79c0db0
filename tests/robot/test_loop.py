"""The robot loop: order of a tick, its record, life cycle, messages and cues."""

import json

import py_trees
import pytest
from helpers.loop_doubles import (
    CALLS,
    TICK,
    Gate,
    Leaf,
    Note,
    Port,
    Writer,
    ahead,
    boom,
    driven,
    explode,
    idle,
    loop_of,
)
from py_trees.blackboard import Blackboard
from py_trees.common import Status

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import ZERO, Twist2D
from arena_trees.robot.loop import LoopState, RobotLoop
from arena_trees.robot.percepts import Tracking, sequence_names


def test_a_tick_reads_writes_ticks_gates_and_drives_in_this_order() -> None:
    loop = loop_of(Leaf("Go", "wolf", ahead), swap=lambda: CALLS.append("swap"))
    CALLS.clear()
    loop.step()
    assert CALLS == ["read", "receive", "write", "swap", "tick", "gate", "drive"]


def test_the_record_tells_the_whole_tick() -> None:
    tracking = Tracking("chase", 1.0, 2.0, 3.0, 4.0, 250, 0.02, None)

    def act(leaf: Leaf) -> Status:
        leaf.show("CATCH")
        leaf.send(Note(number=1))
        leaf.track(tracking)
        return ahead(leaf)

    loop = loop_of(Leaf("Go", "wolf", act), Leaf("Wait", "wolf", idle))
    first, second = loop.step(), loop.step()
    assert (first.tick, first.now, second.tick, second.now) == (0, TICK, 1, 2 * TICK)
    assert (first.robot, first.command, first.twist) == ("wolf", Twist2D(0.2, 0.0), Twist2D(0.2, 0.0))
    assert (first.active, first.cues, first.tracking, first.fault) == ("Go", ("CATCH",), tracking, None)
    assert first.statuses == bytes([1, 1, 1])
    assert first.sequences == (0,) * len(sequence_names())
    assert [message.payload for message in first.sent] == [{"text": "", "number": 1}]
    assert (first.received, second.received) == ((), first.sent)
    assert loop.port.cues == ["CATCH", "CATCH"]
    assert loop.writer.received == list(first.sent)


def test_a_tick_in_which_no_leaf_runs_names_the_one_that_ran_last() -> None:
    answers = iter((Status.RUNNING, Status.SUCCESS, Status.RUNNING))
    loop = loop_of(Leaf("Go", "wolf", lambda leaf: next(answers)))
    assert [loop.step().active for _ in range(3)] == ["Go", "Go", "Go"]


def test_records_are_json_and_equal_runs_give_equal_bytes() -> None:
    def run() -> list[str]:
        loop = loop_of(Leaf("Go", "wolf", lambda leaf: leaf.send(Note(text="z", number=1)) or ahead(leaf)))
        lines = [loop.step().to_json() for _ in range(3)]
        loop.close()
        return lines

    first = run()
    assert first == run()
    values = json.loads(first[1])
    assert values["twist"] == [0.2, 0.0]
    assert values["received"] == [["note", "wolf", 0, 1, 0, {"number": 1, "text": "z"}]]


def test_nobody_writing_means_stop_and_a_command_holds_for_one_tick_only():
    loop = loop_of(Leaf("Wait", "wolf", idle))
    record = loop.step()
    assert (record.command, record.twist, record.reasons, record.fault) == (None, ZERO, ("stop",), None)
    ticks = iter([True, False])
    loop = loop_of(Leaf("Go once", "wolf", lambda leaf: ahead(leaf) if next(ticks) else idle(leaf)))
    loop.step()
    loop.step()
    assert driven(loop) == [(0.2, 0.0), (0.0, 0.0)]


def test_where_the_clock_goes_back_what_waits_for_an_instant_begins_anew() -> None:
    until: list[int] = []

    def begin(leaf: Leaf) -> None:
        until.append(leaf.now + 3 * TICK)

    loop = loop_of(
        Leaf("Wait", "wolf", lambda leaf: Status.RUNNING if leaf.now < until[-1] else Status.SUCCESS, initialise=begin)
    )
    loop.port.time = 100 * TICK
    loop.step()
    loop.port.time = 0
    waiting = [loop.step().statuses[-1] for _ in range(4)]
    assert until == [104 * TICK, 4 * TICK]
    running, done = waiting[0], waiting[-1]
    assert waiting == [running, running, running, done] and running != done
    assert loop.fault is None


def test_a_robot_alone_sends_nothing() -> None:
    leaf = Leaf("Go", "wolf", lambda leaf: leaf.send(Note()) or ahead(leaf))
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


def test_after_closing_a_name_can_be_used_again_and_its_tree_by_another():
    for _ in range(2):
        loop = loop_of(Leaf("Go", "wolf", ahead))
        assert loop.step().twist == Twist2D(0.2, 0.0)
        loop.close()
    loop = loop_of(Leaf("Go", "wolf", ahead))
    loop.close()
    assert not loop.tree.visitors
