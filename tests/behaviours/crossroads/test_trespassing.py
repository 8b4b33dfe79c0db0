"""Leaves of a robot that heeds no scheduler, each by hand-made places."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.crosser_bench import PLAN, CrosserBench
from py_trees.common import Status

from arena_trees.behaviours.crossroads import trespassing
from arena_trees.behaviours.crossroads.parameters import TrespasserParameters
from arena_trees.games.crossroads.blackboard import CrossingEntry
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams


def trespassing_bench(leaf: type, **values: Any) -> CrosserBench:
    bench = CrosserBench()
    bench.live = Live(TrespasserParameters(plan=PLAN, **values))
    takes_live = leaf is not trespassing.InBox
    bench.set_up(leaf("Leaf", "robot", *((bench.live,) if takes_live else ())))
    return bench


def test_it_is_in_the_box_from_its_entry_until_it_has_left() -> None:
    bench = trespassing_bench(trespassing.InBox)
    assert bench.tick().status is Status.FAILURE
    bench.at(0.1, lap=3)
    assert bench.tick().status is Status.FAILURE
    bench.put(entered=CrossingEntry(3, bench.now, 5.0))
    assert bench.tick().status is Status.SUCCESS
    bench.put(left=3)
    assert bench.tick().status is Status.FAILURE
    bench.at(-1.0, lap=4)
    assert bench.tick().status is Status.FAILURE


@pytest.mark.parametrize("manner", ["ignores_lease", "stops_in_box", "strays"])
def test_at_its_line_it_goes_in_without_a_lease(manner: str) -> None:
    bench = trespassing_bench(trespassing.GoesIn, manner=manner)
    bench.at(-1.0)
    assert bench.tick().status is Status.FAILURE
    bench.at(0.0)
    assert bench.tick().status is Status.SUCCESS


def test_one_that_pushes_in_waits_for_somebody_in_the_box_or_for_its_time() -> None:
    bench = trespassing_bench(trespassing.GoesIn, manner="pushes_in", push_s=2.0)
    bench.at(0.0)
    assert bench.tick().status is Status.FAILURE
    bench.put(stranger=True)
    assert bench.tick().status is Status.SUCCESS
    bench.put(stranger=False)
    ticks = [bench.tick().status for _ in range(110)]
    assert ticks.index(Status.SUCCESS) == pytest.approx(98, abs=2)


def test_one_that_stops_stands_in_the_middle_for_its_time_and_goes_on() -> None:
    bench = trespassing_bench(trespassing.StopInBox, stop_s=1.0)
    path = bench.at(0.2, speed=0.2)
    bench.put(lead_progress=0.3)
    assert bench.tick().command[0] > 0.2
    bench.at(path.movement.length / 2.0)
    statuses = []
    for _ in range(60):
        outcome = bench.tick()
        statuses.append(outcome.status)
        if outcome.status is Status.RUNNING:
            assert outcome.command == pytest.approx((0.0, 0.0))
    assert statuses.index(Status.FAILURE) == pytest.approx(50, abs=1)
    bench.at(path.movement.length / 2.0, lap=4)
    assert bench.tick().status is Status.RUNNING


def test_one_that_is_held_on_its_way_to_the_middle_stands_no_longer_there() -> None:
    bench = trespassing_bench(trespassing.StopInBox, stop_s=1.0)
    bench.at(0.4)
    bench.put(lead_progress=0.5)
    statuses = [bench.tick().status for _ in range(60)]
    assert statuses.index(Status.FAILURE) == pytest.approx(50, abs=1)


@pytest.mark.parametrize("leaf", [trespassing.StrayAlongLane, trespassing.TrespassAcross])
def test_one_that_strays_steers_from_side_to_side(leaf: type) -> None:
    bench = trespassing_bench(leaf, manner="strays", stray_m=0.15)
    yaw_rates = []
    for along in np.arange(-2.0, -0.4, 0.1):
        bench.at(float(along))
        yaw_rates.append(bench.tick().command[1])
    assert max(yaw_rates) > 0.1
    assert min(yaw_rates) < -0.1


def test_in_the_box_it_heeds_no_traffic_and_beyond_it_does() -> None:
    bench = trespassing_bench(trespassing.TrespassAcross)
    path = bench.at(0.2)
    bench.put(lead_progress=0.3)
    assert bench.tick().command[0] > 0.2
    beyond = path.movement.length + 0.02
    bench.at(beyond)
    bench.put(lead_progress=beyond + 0.1)
    assert bench.tick().command[0] == 0.0


def test_one_that_is_stuck_in_the_box_dodges_now_and_then_and_tries_again() -> None:
    bench = CrosserBench()
    live = Live(TrespasserParameters(plan=PLAN))
    bench.set_up(trespassing.Dodge("Leaf", "robot", live, RandomStreams(1)))
    for tick in range(500):
        bench.at(0.3 + 0.002 * tick)
        assert bench.tick().status is Status.FAILURE
    bench.at(0.3)
    outcomes = [bench.tick() for _ in range(1500)]
    dodges = [outcome.status is Status.RUNNING for outcome in outcomes]
    driven = {outcome.command for outcome in outcomes if outcome.status is Status.RUNNING}
    assert driven == {(-0.1, 0.0), (0.0, 1.0), (0.0, -1.0), (0.1, 0.0)}
    starts = [tick for tick in range(1, 1500) if dodges[tick] and not dodges[tick - 1]]
    assert 2 <= len(starts) <= 10
    assert len({second - first for first, second in pairwise(starts)}) > 1


@pytest.mark.parametrize("aside", [0.3, -0.3])
def test_one_that_is_far_off_its_way_turns_back_to_it(aside: float) -> None:
    bench = CrosserBench()
    live = Live(TrespasserParameters(plan=PLAN))
    bench.set_up(trespassing.Dodge("Leaf", "robot", live, RandomStreams(1)))
    bench.at(0.3, aside=aside)
    outcomes = [bench.tick() for _ in range(2000)]
    turns = {outcome.command[1] for outcome in outcomes if outcome.status is Status.RUNNING and outcome.command[1]}
    assert turns == {-math.copysign(1.0, aside)}
