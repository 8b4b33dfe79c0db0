"""Leaves at the stop line, each by hand-made places and leases: when they let a robot in, and what they note."""

import pytest
from helpers.crosser_bench import CrosserBench
from helpers.crossing_words import crossing, heard
from py_trees.common import Status

from arena_trees.behaviours.crossroads.conditions import AtLine, Granted
from arena_trees.behaviours.crossroads.yielding import EnterCrossing, YieldToScheduler
from arena_trees.games.crossroads.blackboard import CrossingEntry, LeaseState
from arena_trees.games.crossroads.messages import Crossing, Stage, Turn
from arena_trees.robot.messaging.inbox import Inbox


@pytest.mark.parametrize(
    ("along", "stage", "left_s", "halted", "expected"),
    [
        (0.0, Stage.WAITING, 30.0, None, Status.SUCCESS),
        (-0.02, Stage.ENTERING, 30.0, None, Status.SUCCESS),
        (-0.5, Stage.ENTERING, 30.0, None, Status.FAILURE),
        (-0.5, Stage.ENTERING, 30.0, 3, Status.SUCCESS),
        (-0.5, Stage.ENTERING, 30.0, 2, Status.FAILURE),
        (0.0, Stage.WAITING, 2.0, None, Status.FAILURE),
        (0.0, Stage.WAITING, 0.0, None, Status.FAILURE),
        (0.0, Stage.PASSING, 30.0, None, Status.FAILURE),
        (0.0, Stage.LEFT, 30.0, None, Status.FAILURE),
    ],
)
def test_granted(along: float, stage: Stage, left_s: float, halted: int | None, expected: Status) -> None:
    bench = CrosserBench()
    bench.set_up(Granted("Granted?", "robot", bench.live))
    bench.at(along)
    bench.hold(stage, left_s)
    assert bench.put(halted=halted).tick().status is expected


def test_granted_without_a_route_or_a_lease() -> None:
    bench = CrosserBench()
    bench.set_up(Granted("Granted?", "robot", bench.live))
    assert bench.tick().status is Status.FAILURE
    bench.at(0.0)
    assert bench.tick().status is Status.FAILURE


def test_a_lease_says_whether_it_is_enough() -> None:
    lease = LeaseState(Stage.WAITING, until=5_000_000_000, held_until=1_000_000_000)
    assert lease.left(6_000_000_000) == 0.0
    assert lease.may_enter(2_000_000_000, 2.9)
    assert not lease.may_enter(2_000_000_000, 3.0)
    # A second scheduler was heard.
    assert not lease.may_enter(1_000_000_000, 0.0)


def test_enter_crossing_notes_when_and_for_how_long() -> None:
    bench = CrosserBench()
    bench.set_up(EnterCrossing("Enter", "robot", bench.live))
    path, now = bench.at(0.0, Turn.LEFT), bench.now
    outcome = bench.tick()
    needed = bench.parameters.crossing_time(path, 0.0)
    assert (outcome.status, bench.get("entered")) == (Status.SUCCESS, CrossingEntry(3, now, needed))
    assert outcome.command > (0.2, -1.0)


@pytest.mark.parametrize(
    ("along", "halted", "expected"),
    [
        (-0.03, None, Status.SUCCESS),
        (-0.05, None, Status.FAILURE),
        (-0.3, 3, Status.SUCCESS),
        (-0.3, 2, Status.FAILURE),
    ],
)
def test_at_line(along: float, halted: int | None, expected: Status) -> None:
    bench = CrosserBench()
    bench.set_up(AtLine("At the line?", "robot"))
    assert bench.tick().status is Status.FAILURE
    bench.at(along)
    assert bench.put(halted=halted).tick().status is expected


def test_yield_stands_and_says_whom_it_waits_for() -> None:
    bench = CrosserBench()
    bench.set_up(YieldToScheduler("Wait", "robot"))
    bench.hold(Stage.WAITING)
    first, second = bench.ticks(2)
    assert (first.status, first.command, first.cues) == (Status.RUNNING, (0.0, 0.0), ["YIELD"])
    assert (second.cues, second.feedback) == ([], "nobody schedules")
    reported = heard(crossing("s"), "s", bench.now)
    bench.put(inbox=Inbox({Crossing: {"s": reported}}, 1, (reported,)))
    assert bench.tick().feedback == "waits: s OPEN: empty"
    assert bench.get("asked") is None


def test_yield_asks_where_nothing_was_asked_on_the_way() -> None:
    bench = CrosserBench()
    bench.set_up(YieldToScheduler("Wait", "robot"))
    bench.hold(Stage.LEFT)
    began = bench.now
    bench.tick(3)
    assert bench.get("asked") == began
