"""The search: to where the target was, then round, once a loss."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, TreeBench, target, wall
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.search import SearchLastBearing
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.configuration.parameters import Live

R, F = Status.RUNNING, Status.FAILURE
PINNED = {"chase_linear_speed": 0.306, "max_angular_speed": 1.5, "search_s": 12.0, "search_reach": 0.6}


def searching(**values: Any) -> TreeBench:
    bench = TreeBench().set_up(SearchLastBearing("Search", "robot", Live(WolfParameters(**{**PINNED, **values}))))
    return bench.points().odometry()


def lose(bench: TreeBench, **changes: Any) -> TreeBench:
    seen = bench.now - SECOND
    return bench.follow(target(bench, stamp=seen, seen=seen, in_sight=False, **changes))


@pytest.mark.parametrize(
    "changes",
    [{"in_sight": True}, {"confirmed": False}],
    ids=["still in sight", "seen in one image only"],
)
def test_what_was_not_lost_is_not_searched_for(changes: dict[str, Any]) -> None:
    bench = searching()
    assert bench.tick().status is F
    assert lose(bench).follow(target(bench, **{"in_sight": False, **changes})).tick().status is F


def test_it_turns_to_the_last_position_and_drives_there() -> None:
    bench = lose(searching(), position=(0.0, 2.0))
    outcome = bench.tick()
    assert outcome.command[0] == 0.0
    assert outcome.command[1] > 0.0
    outcome = bench.odometry(yaw=math.pi / 2).tick()
    assert outcome.command == (pytest.approx(0.306), pytest.approx(0.0))
    assert outcome.feedback == "to where it was"


def test_it_goes_round_an_obstacle_on_the_way() -> None:
    bench = lose(searching(), position=(2.0, 0.0))
    bench.points((0.4, 0.1))
    outcome = bench.tick()
    assert outcome.command[1] < 0.0


@pytest.mark.parametrize(("velocity", "side"), [(30.0, -1.0), (-30.0, 1.0)])
def test_there_it_looks_round_the_way_the_target_went(velocity: float, side: float) -> None:
    bench = lose(searching(scan_turn_speed=1.5), position=(1.0, 0.0), velocity_px=velocity)
    yaw, turned = 0.0, 0.0
    for _ in range(400):
        outcome = bench.odometry(0.7, 0.0, math.remainder(yaw, math.tau)).tick()
        if outcome.status is F:
            break
        assert outcome.command == (0.0, side * 1.5)
        assert outcome.feedback == "looking round"
        yaw += outcome.command[1] * to_seconds(TICK)
        turned = abs(yaw)
    assert turned == pytest.approx(math.tau, abs=0.1)
    assert outcome.feedback == "not found"
    # The same loss is not searched for again, a new one is.
    assert bench.tick().status is F
    assert lose(bench, position=(1.0, 0.0)).tick().status is R


@pytest.mark.parametrize("position", [None, (2.0, 0.0)])
def test_without_a_way_or_a_position_it_looks_round_where_it_is(position: tuple[float, float] | None) -> None:
    ring = [(0.3 * math.cos(0.1 * k), 0.3 * math.sin(0.1 * k)) for k in range(63)]
    bench = lose(searching(), position=position)
    bench.points(*(wall(5.0) if position is None else ring))
    outcome = bench.tick()
    assert outcome.feedback == "looking round"
    assert outcome.command[0] == 0.0


def test_it_gives_up_in_time_and_does_not_begin_after_an_old_loss():
    bench = lose(searching(search_s=1.0), position=(50.0, 0.0))
    statuses = [bench.odometry().tick().status for _ in range(60)]
    assert statuses == [R] * 50 + [F] * 10
    bench = searching(search_s=2.0)
    seen = bench.now
    bench.follow(target(bench, stamp=seen, seen=seen, in_sight=False))
    bench.now += 10 * SECOND
    assert bench.tick().status is F


def test_a_false_alarm_meanwhile_does_not_call_it_off() -> None:
    bench = lose(searching(), position=(0.0, 2.0))
    first = bench.tick().command
    bench.follow(target(bench, position=(0.0, -2.0), confirmed=False, in_sight=False))
    outcome = bench.tick()
    assert (outcome.status, outcome.command) == (R, first)


def test_without_odometry_it_does_not_search() -> None:
    bench = lose(searching())
    assert bench.put(odometry=None).tick().status is F
