"""The chase: steering, speed, the way, and its cues."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, WIDTH, TreeBench, target, wall
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.chase import ChaseBySource, ChaseSign
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus, Tracking

HALF = WIDTH / 2.0

# Pinned here, so that tuning the defaults moves no test.
PINNED = {
    "chase_linear_speed": 0.306,
    "max_angular_speed": 1.5,
    "chase_kp": 2.0,
    "chase_kp_source": 2.0,
    "chase_kd": 0.15,
    "chase_derivative_alpha": 0.6,
    "chase_deadband": 0.02,
    "chase_turn_slowdown": 0.5,
    "chase_warning_speed_scale": 0.5,
    "catch_standoff": 0.40,
    "catch_closing_gain": 2.0,
    "vision_timeout": 0.7,
}


def chase(strategy: str = "arena", **values: Any) -> TreeBench:
    leaf = {"arena": ChaseSign, "source": ChaseBySource}[strategy]
    bench = TreeBench().set_up(leaf("Chase", "robot", Live(WolfParameters(**{**PINNED, **values}))))
    return bench.points()


def command(bench: TreeBench, px: float = HALF, **changes: Any) -> tuple[float, float]:
    found = bench.follow(target(bench, px, **changes)).tick().command
    return found


@pytest.mark.parametrize("strategy", ["arena", "source"])
@pytest.mark.parametrize(("px", "sign"), [(20.0, 1.0), (90.0, 1.0), (160.0, -1.0), (249.0, -1.0)])
def test_it_turns_towards_the_target(strategy: str, px: float, sign: float) -> None:
    """A column left of the middle needs a counter-clockwise, positive yaw rate."""
    assert command(chase(strategy=strategy), px)[1] * sign > 0.0


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_left_and_right_are_mirrored(strategy: str) -> None:
    left, right = command(chase(strategy=strategy), HALF - 30.0), command(chase(strategy=strategy), HALF + 30.0)
    assert left[0] == pytest.approx(right[0])
    assert left[1] == pytest.approx(-right[1])


def test_the_source_steers_by_document_000s_formula() -> None:
    """P and filtered D on the error in half images; v (1 - 0.5 |w| / w_max)."""
    bench = chase(strategy="source")
    first = command(bench, HALF + 25.0)
    assert first[1] == pytest.approx(-2.0 * 0.2)
    assert first[0] == pytest.approx(0.306 * (1.0 - 0.5 * 0.4 / 1.5))
    assert command(bench, HALF + 25.0)[1] == pytest.approx(-0.4)
    derivative = 0.6 * (0.2 - 0.1) / 0.02
    # The filter starts at the second update of the PID, which knows a time step first.
    assert command(bench, HALF + 12.5)[1] == pytest.approx(-(2.0 * 0.1 - 0.15 * derivative))


@pytest.mark.parametrize(("px", "turns"), [(HALF, False), (HALF + 2.4, False), (HALF - 2.4, False), (HALF + 2.6, True)])
def test_the_source_does_not_turn_within_the_deadband(px: float, turns: bool) -> None:
    assert (command(chase(strategy="source"), px)[1] != 0.0) is turns


@pytest.mark.parametrize("strategy", ["arena", "source"])
@pytest.mark.parametrize("px", [-5000.0, 5000.0])
def test_a_wild_prediction_is_limited(strategy: str, px: float) -> None:
    linear, angular = command(chase(strategy=strategy), px)
    assert abs(angular) <= 1.5
    assert 0.0 <= linear <= 0.306 * 0.5 + 1e-9


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_the_more_it_turns_the_slower_it_drives(strategy: str) -> None:
    speeds = [command(chase(strategy=strategy), px)[0] for px in (HALF, HALF + 15.0, HALF + 30.0, HALF + 60.0)]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[0] == pytest.approx(0.306)
    assert speeds[-1] < 0.9 * speeds[0]


@pytest.mark.parametrize("strategy", ["arena", "source"])
@pytest.mark.parametrize(("status", "share"), [(FenceStatus.SAFE, 1.0), (FenceStatus.WARNING, 0.5)])
def test_the_warning_band_takes_its_share_of_the_speed(strategy: str, status: FenceStatus, share: float) -> None:
    bench = chase(strategy=strategy).fence(status)
    assert command(bench)[0] == pytest.approx(0.306 * share)


def test_ours_closes_slowly_and_stops_at_the_stand_off_and_the_source_drives_on_whatever_the_range():
    speeds = [command(chase(), range=away)[0] for away in (0.30, 0.40, 0.45, 0.50, 2.0)]
    assert speeds == pytest.approx([0.0, 0.0, 0.1, 0.2, 0.306])
    assert command(chase(strategy="source"), range=0.2)[0] == pytest.approx(0.306)
    assert command(chase(strategy="source"), range=None)[0] == pytest.approx(0.306)


def test_each_strategy_has_a_gain_of_its_own() -> None:
    assert command(chase(strategy="source", chase_kp_source=1.0), HALF + 25.0)[1] == pytest.approx(-0.2)
    assert command(chase(strategy="source", chase_kp=1.0), HALF + 25.0)[1] == pytest.approx(-0.4)
    assert command(chase(chase_kp=1.0), HALF + 25.0)[1] == pytest.approx(-0.2)


def test_ours_goes_round_what_stands_between_but_the_targets_own_hull():
    bench = chase()
    bench.points((0.4, 0.08))
    linear, angular = command(bench, range=2.0)
    assert angular < 0.0
    assert linear > 0.0
    bench = chase()
    bench.points((0.4, -0.08))
    assert command(bench, range=2.0)[1] > 0.0
    hull = [(0.7 + 0.17 * math.cos(a), 0.17 * math.sin(a)) for a in (2.2, 2.6, 3.1, 3.6, 4.0)]
    bench = chase()
    bench.points(*hull)
    assert command(bench, range=0.7)[1] == 0.0


def test_with_no_way_on_it_stands_and_keeps_its_aim() -> None:
    ring = [(0.3 * math.cos(0.1 * k), 0.3 * math.sin(0.1 * k)) for k in range(63)]
    bench = chase()
    bench.points(*ring)
    linear, angular = command(bench, HALF - 20.0, range=3.0)
    assert linear == 0.0
    assert angular > 0.0


def test_the_sources_steering_never_looks_at_the_lidar() -> None:
    bench = chase(strategy="source")
    bench.points(*wall(0.3))
    assert command(bench, range=3.0) == (pytest.approx(0.306), 0.0)


def test_its_account_is_what_it_steered_by() -> None:
    bench = chase()
    seen = target(bench, 140.0, filtered_px=138.0, velocity_px=7.0)
    outcome = bench.follow(seen).tick()
    assert outcome.tracking == Tracking("chase", 140.0, 138.0, 7.0, 140.0, WIDTH, 0.02, 1.5)
    assert outcome.tracking.error == pytest.approx(15.0 / HALF)


def test_the_derivative_of_an_earlier_chase_is_forgotten() -> None:
    bench = chase()
    fresh = command(bench, HALF + 20.0)
    command(bench, HALF - 60.0)
    command(bench, HALF + 60.0)
    bench.root.stop(Status.INVALID)
    assert command(bench, HALF + 20.0) == pytest.approx(fresh)


@pytest.mark.parametrize(("ticks", "cues"), [(5, []), (60, ["LOST"])])
def test_it_says_that_the_target_was_lost_only_where_that_ends_it(ticks: int, cues: list[str]) -> None:
    bench = chase()
    outcome = bench.follow(target(bench)).tick()
    assert outcome.cues == ["CHASE"]
    assert bench.tick(ticks).cues == []
    bench.put(cues=[], now=bench.now)
    bench.root.stop(Status.INVALID)
    assert [cue.event for cue in bench.get("cues")] == cues


def test_without_a_target_there_is_no_chase() -> None:
    outcome = chase().tick()
    assert (outcome.status, outcome.command) == (Status.FAILURE, None)


def test_two_ticks_are_a_tick_apart() -> None:
    bench = chase(strategy="source", chase_kp_source=0.0, chase_kd=0.0, chase_ki=1.0)
    command(bench, HALF + 50.0)
    # One tick of integral: 0.4 half images for 20 ms.
    assert command(bench, HALF + 50.0)[1] == pytest.approx(-0.4 * TICK * 1e-9)
