"""Home and energy: locked once, measured, driven to; spent, exhausted, rested."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TreeBench
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.energy import Exhausted, Rest, SpendEnergy
from arena_trees.behaviours.wolf_rabbit.home import DriveHome, LockHome, NearHome
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D

R, S, F = Status.RUNNING, Status.SUCCESS, Status.FAILURE
PINNED = {
    "max_angular_speed": 1.2,
    "return_heading_gain": 1.8,
    "return_yaw_drive_threshold": 0.55,
    "return_turn_slowdown": 0.45,
    "home_arrival_radius": 0.25,
}


def live(**values: Any) -> Live[RabbitParameters]:
    return Live(RabbitParameters(**{**PINNED, **values}))


def test_home_is_the_first_odometry_and_stays_it() -> None:
    bench = TreeBench().set_up(LockHome("Home", "robot"))
    assert bench.tick().status is S
    assert bench.get("home") is None
    bench.odometry(1.0, 2.0, 0.5).tick()
    bench.odometry(-3.0, 0.0, 0.0).tick(5)
    assert bench.get("home") == Pose2D(1.0, 2.0, 0.5)


def test_a_new_run_locks_a_new_home() -> None:
    leaf = LockHome("Home", "robot")
    bench = TreeBench().set_up(leaf).odometry(1.0)
    bench.tick()
    bench.set_up(leaf).odometry(2.0)
    assert bench.get("home") is None
    bench.tick()
    assert bench.get("home") == Pose2D(2.0)


def near_rows(leaf: NearHome, distances: list[float]) -> list[Status]:
    bench = TreeBench().set_up(leaf).put(home=Pose2D(1.0, 1.0))
    return [bench.odometry(1.0, 1.0 + distance).tick().status for distance in distances]


def test_near_home_has_one_radius_or_two() -> None:
    distances = [0.0, 0.44, 0.46, 0.44]
    assert near_rows(NearHome("Near?", "robot", lambda: 0.45), distances) == [S, S, F, S]
    wide = NearHome("Near?", "robot", lambda: 0.4, lambda: 0.8)
    assert near_rows(wide, [0.0, 0.5, 0.79, 0.81, 0.5, 0.41, 0.39, 0.79]) == [S, S, S, F, F, F, S, S]


@pytest.mark.parametrize("lacking", ["odometry", "home"])
def test_without_odometry_or_home_nothing_is_near(lacking: str) -> None:
    bench = TreeBench().set_up(NearHome("Near?", "robot", lambda: 0.45)).put(home=Pose2D()).odometry()
    assert bench.tick().status is S
    assert bench.put(**{lacking: None}).tick().status is F


@pytest.mark.parametrize(
    ("yaw", "linear", "angular"),
    [
        (0.0, 0.22, 0.0),
        (-0.5, 0.22 * (1.0 - 0.45 * 0.9 / 1.2), 0.9),
        (0.5, 0.22 * (1.0 - 0.45 * 0.9 / 1.2), -0.9),
        (-0.56, 0.0, 0.56 * 1.8),
        (2.0, 0.0, -1.2),
        (-2.0, 0.0, 1.2),
    ],
)
def test_it_drives_home_by_document_000s_formula(yaw: float, linear: float, angular: float) -> None:
    """w = clamp(K wrap(target - yaw)); only turning beyond the yaw gate; v (1 - 0.45 |w| / w_max)."""
    bench = TreeBench().set_up(DriveHome("Home", "robot", live(), lambda: 0.22)).put(home=Pose2D(2.0, 0.0))
    outcome = bench.odometry(0.0, 0.0, yaw).tick()
    assert (outcome.status, outcome.command) == (R, (pytest.approx(linear), pytest.approx(angular)))


def test_at_home_it_stands_and_what_is_in_the_way_there_is_driven_round():
    bench = TreeBench().set_up(DriveHome("Home", "robot", live(), lambda: 0.22)).put(home=Pose2D(2.0, 0.0))
    assert bench.odometry(1.76).tick().command == (0.0, 0.0)
    assert bench.odometry(1.74).tick().command == (pytest.approx(0.22), 0.0)
    bench.odometry().points((0.4, 0.1))
    outcome = bench.tick()
    assert outcome.command[1] < 0.0
    # What lies behind home is not in the way.
    bench.odometry(1.7).points((0.45, 0.0))
    outcome = bench.tick()
    assert outcome.command == (pytest.approx(0.22), 0.0)


@pytest.mark.parametrize("lacking", ["odometry", "home"])
def test_without_odometry_or_home_it_waits(lacking: str) -> None:
    bench = TreeBench().set_up(DriveHome("Home", "robot", live(), lambda: 0.22)).put(home=Pose2D(2.0)).odometry()
    outcome = bench.put(**{lacking: None}).tick()
    assert (outcome.status, outcome.command, outcome.feedback) == (R, None, "waiting for odometry")


def test_energy_is_spent_by_time() -> None:
    bench = TreeBench().set_up(SpendEnergy("Spend", "robot", live(energy_start=50.0), lambda: 4.0))
    assert bench.get("energy") == 50.0
    bench.tick(51)
    assert bench.get("energy") == pytest.approx(46.0)


def test_a_pause_costs_nothing_and_energy_ends_at_zero() -> None:
    bench = TreeBench().set_up(SpendEnergy("Spend", "robot", live(energy_start=1.0), lambda: 4.0))
    bench.tick()
    bench.now += 10_000_000_000
    bench.tick()
    assert bench.get("energy") == 1.0
    bench.tick(100)
    assert bench.get("energy") == 0.0


def test_a_clock_that_goes_back_gives_no_energy() -> None:
    bench = TreeBench().set_up(SpendEnergy("Spend", "robot", live(energy_start=10.0), lambda: 4.0))
    bench.tick(2)
    before = bench.get("energy")
    bench.now -= 500_000_000
    bench.tick()
    assert bench.get("energy") == before


@pytest.mark.parametrize(("energy", "status"), [(0.0, S), (0.01, F), (100.0, F)])
def test_exhausted(energy: float, status: Status) -> None:
    bench = TreeBench().set_up(Exhausted("Exhausted?", "robot")).put(energy=energy)
    assert bench.tick().status is status


def test_a_rest_lasts_until_it_may_resume() -> None:
    leaf = Rest("Rest", "robot", live(rest_energy_gain_per_sec=15.0, rest_resume_energy=60.0))
    bench = TreeBench().set_up(leaf).put(energy=0.0)
    outcomes = [bench.tick()]
    while outcomes[-1].status is R:
        outcomes.append(bench.tick())
    assert len(outcomes) * 0.02 == pytest.approx(4.0, abs=0.05)
    assert {outcome.command for outcome in outcomes[:-1]} == {(0.0, 0.0)}
    assert [cue for outcome in outcomes for cue in outcome.cues] == ["REST"]
    assert bench.get("energy") == pytest.approx(60.0, abs=0.4)


def test_a_rest_never_overfills() -> None:
    leaf = Rest("Rest", "robot", live(rest_energy_gain_per_sec=100.0, rest_resume_energy=100.0))
    bench = TreeBench().set_up(leaf).put(energy=99.5)
    outcomes = bench.ticks(2)
    assert outcomes[-1].status is S
    assert bench.get("energy") == 100.0
    assert math.isfinite(bench.get("energy"))
