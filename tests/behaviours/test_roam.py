"""Roaming: legs, spins, obstacle turns, forced forward and the warning band."""

import math
from typing import Any

import numpy as np
import pytest
from helpers.tree_bench import TICK, TreeBench, wall
from py_trees.common import Status

from arena_trees.behaviours.parameters import RoamParameters
from arena_trees.behaviours.roam import ForceForward, ForwardLeg, HeadForCentroid, ObstacleTurn, ScanSpin
from arena_trees.behaviours.turn import MeasuredTurn
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import roam

R, S = Status.RUNNING, Status.SUCCESS

# Pinned here, so that tuning the defaults moves no test.
PINNED = {
    "roam_linear_speed": 0.2,
    "max_angular_speed": 1.5,
    "obstacle_distance": 0.5,
    "obstacle_cone_deg": 30.0,
    "obstacle_turn_speed": 1.0,
    "warning_gain": 2.0,
    "warning_speed_scale": 0.5,
}


def rng(seed: int = 0) -> np.random.Generator:
    return RandomStreams(seed).generator("test")


def live(**values: Any) -> Live[RoamParameters]:
    return Live(RoamParameters(**{**PINNED, **values}))


def seconds_running(bench: TreeBench, command: tuple[float, float], longest: int = 1000) -> float:
    """Tick until SUCCESS and return how long the command was given."""
    for k in range(longest):
        outcome = bench.tick()
        if outcome.status is S:
            assert outcome.command is None
            return k * TICK / SECOND
        assert outcome.command == pytest.approx(command)
    raise AssertionError("it never ended")


def test_a_leg_is_straight_and_lasts_its_drawn_time() -> None:
    draws = rng()
    bench = TreeBench().set_up(ForwardLeg("Forward", "robot", live(leg_min_s=0.5, leg_max_s=2.0), draws))
    lengths = [seconds_running(bench, (0.2, 0.0)) for _ in range(12)]
    again = rng()
    wanted = [again.uniform(0.5, 2.0) for _ in range(12)]
    assert lengths == pytest.approx(wanted, abs=0.021)
    assert max(lengths) - min(lengths) > 0.5


def test_a_live_change_of_speed_is_driven_in_the_next_tick() -> None:
    cell = live()
    bench = TreeBench().set_up(ForwardLeg("Forward", "robot", cell, rng()))
    assert bench.tick().command == (0.2, 0.0)
    cell.propose({"roam_linear_speed": 0.1})
    assert bench.tick().command == (0.2, 0.0)
    cell.swap()
    assert bench.tick().command == (0.1, 0.0)


def test_an_obstacle_turn_goes_to_either_side_for_its_drawn_angle() -> None:
    cell = live(obstacle_turn_min_deg=90.0, obstacle_turn_max_deg=180.0, obstacle_turn_speed=1.0)
    bench = TreeBench().set_up(ObstacleTurn("Turn away", "robot", cell, rng(3)))
    sides, times = [], []
    for _ in range(16):
        first = bench.tick()
        sides.append(first.command[1])
        assert first.feedback == ("to the left" if sides[-1] > 0.0 else "to the right")
        times.append(TICK / SECOND + seconds_running(bench, (0.0, sides[-1])))
    assert set(sides) == {1.0, -1.0}
    assert 4 <= sides.count(1.0) <= 12
    assert math.radians(90) - 0.02 <= min(times) <= max(times) <= math.radians(180) + 0.03
    assert max(times) - min(times) > 0.5


@pytest.mark.parametrize(("blind", "seconds"), [(True, 0.4), (False, 0.1)])
def test_forced_forward_minds_obstacles_unless_blind(blind: bool, seconds: float) -> None:
    bench = TreeBench().points().set_up(ForceForward("Force", "robot", live(force_forward_s=0.4), blind=blind))
    assert [outcome.status for outcome in bench.ticks(5)] == [R] * 5
    bench.points(*wall(0.4))
    assert 0.1 + seconds_running(bench, (0.2, 0.0)) == pytest.approx(seconds)


def test_forced_forward_without_a_scan_ends_by_time() -> None:
    bench = TreeBench().set_up(ForceForward("Force", "robot", live(force_forward_s=0.2), blind=False))
    assert seconds_running(bench, (0.2, 0.0)) == pytest.approx(0.2)


def spin(bench: TreeBench, cell: Live[RoamParameters], yaw: float = 3.0) -> tuple[float, float]:
    """Turn as commanded until the spin ends; return the angle turned and the fastest yaw rate."""
    begin, fastest = yaw, 0.0
    for _ in range(2000):
        outcome = bench.odometry(yaw=math.remainder(yaw, math.tau)).tick()
        if outcome.status is S:
            return yaw - begin, fastest
        assert outcome.command[0] == 0.0
        fastest = max(fastest, abs(outcome.command[1]))
        yaw += outcome.command[1] * TICK / SECOND
    raise AssertionError("it never ended")


def test_a_spin_turns_by_its_drawn_angle_whole_revolutions_included() -> None:
    cell = live(scan_turn_min_deg=200.0, scan_turn_max_deg=500.0, scan_turn_speed=1.5)
    bench = TreeBench().set_up(ScanSpin("Scan", "robot", cell, rng(2)))
    turned = [spin(bench, cell) for _ in range(6)]
    again = rng(2)
    for angle, fastest in turned:
        wanted = math.radians(again.uniform(200.0, 500.0)) * (1.0 if again.integers(2) else -1.0)
        assert angle == pytest.approx(wanted, abs=0.11)
        assert fastest == 1.5
    assert min(angle for angle, _ in turned) < 0.0 < max(angle for angle, _ in turned)


def test_a_spin_waits_for_odometry() -> None:
    bench = TreeBench().set_up(ScanSpin("Scan", "robot", live(), rng()))
    outcome = bench.tick()
    assert (outcome.status, outcome.command, outcome.feedback) == (R, None, "waiting for odometry")


def test_a_measured_turn_slows_down_and_always_arrives() -> None:
    turn = MeasuredTurn(-2.0)
    assert turn.rate(0.6) == -0.6
    turn.update(1.0)
    assert turn.update(-0.9) == pytest.approx(-0.1)
    assert turn.rate(0.6) == pytest.approx(-0.3)
    assert turn.update(-0.99) == pytest.approx(-0.01)
    assert turn.rate(0.6) == -0.15
    assert turn.rate(0.1) == -0.1


@pytest.mark.parametrize(
    ("yaw", "linear", "angular"),
    [
        (math.pi, 0.1, 0.0),
        (math.pi - 0.3, 0.1 * (1.0 - 0.5 * 0.6 / 1.5), 0.6),
        (0.0, 0.0, 1.5),
        (-math.pi + 0.3, 0.1 * (1.0 - 0.5 * 0.6 / 1.5), -0.6),
    ],
)
def test_in_the_warning_band_it_steers_to_the_centroid_at_half_speed(yaw: float, linear: float, angular: float) -> None:
    bench = TreeBench().set_up(HeadForCentroid("Centre", "robot", live(), blind=True))
    outcome = bench.fence(FenceStatus.WARNING).pose(1.7, 0.0, yaw).tick()
    assert outcome.status is R
    assert outcome.command[0] == pytest.approx(linear)
    assert abs(outcome.command[1]) == pytest.approx(abs(angular))
    if 0.0 < abs(angular) < 1.5:
        assert outcome.command[1] == pytest.approx(angular)


def test_the_way_to_the_centroid_leads_round_an_obstacle_unless_blind() -> None:
    for blind in (True, False):
        bench = TreeBench().set_up(HeadForCentroid("Centre", "robot", live(), blind=blind))
        outcome = bench.fence(FenceStatus.WARNING).pose(1.7, 0.0, math.pi).points((0.35, 0.05)).tick()
        assert (outcome.command[1] == 0.0) is blind
        assert outcome.command[1] <= 0.0


def test_boxed_in_near_the_fence_it_turns_on_the_spot_and_without_a_pose_it_knows_no_way():
    ring = [(0.3 * math.cos(a), 0.3 * math.sin(a)) for a in np.linspace(-math.pi, math.pi, 60)]
    bench = TreeBench().set_up(HeadForCentroid("Centre", "robot", live(), blind=False))
    outcome = bench.fence(FenceStatus.WARNING).pose(1.7, 0.0, 2.0).points(*ring).tick()
    assert outcome.command == (0.0, 0.75)
    bench = TreeBench().set_up(HeadForCentroid("Centre", "robot", live(), blind=False))
    assert bench.fence(FenceStatus.WARNING).tick().status is Status.FAILURE


def patrol(blind: bool, **values: Any) -> TreeBench:
    quick = {"leg_min_s": 0.2, "leg_max_s": 0.2, "scan_turn_min_deg": 20.0, "scan_turn_max_deg": 20.0}
    quick |= {"obstacle_turn_min_deg": 10.0, "obstacle_turn_max_deg": 10.0, "force_forward_s": 0.2}
    root = roam("Patrol", "robot", live(**{**quick, **values}), RandomStreams(4), blind=blind, forward_first=blind)
    return TreeBench().points().odometry().set_up(root)


def walk(bench: TreeBench, ticks: int, turning: bool = True) -> list[str]:
    """Tick, turn as commanded, and return the active leaves without repetitions."""
    names: list[str] = []
    yaw = 0.0
    for _ in range(ticks):
        outcome = bench.odometry(yaw=yaw).tick()
        if turning and outcome.command is not None:
            yaw += outcome.command[1] * TICK / SECOND
        if outcome.active and names[-1:] != [outcome.active]:
            names.append(outcome.active)
    return names


def test_patrol_alternates_legs_and_scans() -> None:
    assert walk(patrol(blind=True), 60)[:4] == ["Forward", "Scan", "Forward", "Scan"]
    assert walk(patrol(blind=False), 60)[:4] == ["Scan", "Forward", "Scan", "Forward"]


@pytest.mark.parametrize("blind", [True, False])
def test_an_obstacle_is_turned_from_and_then_passed(blind: bool) -> None:
    bench = patrol(blind)
    walk(bench, 20)
    bench.points(*wall(0.4))
    assert walk(bench, 1) == ["Turn away"]
    bench.points()
    assert walk(bench, 40)[:2] == ["Turn away", "Force forward"]


def test_a_blind_robot_ignores_the_obstacle_for_the_cooldown_and_ours_does_not() -> None:
    for blind in (True, False):
        bench = patrol(blind, obstacle_cooldown_s=0.6)
        bench.points(*wall(0.4))
        names = walk(bench, 25)
        assert names[0] == "Turn away"
        assert ("Force forward" in names) is blind


def test_the_warning_band_comes_before_obstacles_and_legs() -> None:
    bench = patrol(blind=False)
    walk(bench, 5)
    bench.fence(FenceStatus.WARNING).pose(1.7).points(*wall(0.4))
    assert walk(bench, 2) == ["Head for the centroid"]
    bench.fence(FenceStatus.SAFE)
    assert walk(bench, 1) == ["Turn away"]


def test_every_tick_of_a_patrol_commands_at_most_once() -> None:
    bench = patrol(blind=False)
    idle = sum(bench.odometry(yaw=0.4 * k).tick().command is None for k in range(100))
    # A tick in which a leg ends may stay without a command, but no more than that.
    assert idle < 20
