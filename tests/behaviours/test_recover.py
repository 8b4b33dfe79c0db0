"""Recovery from a breach: align, drive inside; and the turn after a chase that ran into the fence."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, TreeBench
from py_trees.common import Status

from arena_trees.behaviours.recover import AlignInward, DriveInward
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.return_turn import ReturnTurn
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.idioms import back_inside

R, S = Status.RUNNING, Status.SUCCESS
PINNED = {
    "max_angular_speed": 1.5,
    "breach_align_gain": 3.0,
    "breach_align_tolerance": 0.12,
    "breach_drive_speed": 0.2,
    "return_turn_deg": 160.0,
    "return_turn_speed": 0.75,
    "return_turn_gain": 1.6,
    "return_turn_tolerance": 0.15,
}


def live(**values: Any) -> Live[WolfParameters]:
    return Live(WolfParameters(**{**PINNED, **values}))


def outside(leaf: Any, yaw: float, x: float = 2.3, **ways: tuple[float, float]) -> TreeBench:
    """Stand outside the right edge; the way inside leads straight back, the centroid lies at the origin."""
    bench = TreeBench().set_up(leaf)
    return bench.fence(FenceStatus.BREACH, **{"way_inside": (1.5, 0.0), **ways}).pose(x, 0.0, yaw)


@pytest.mark.parametrize(
    ("yaw", "angular"),
    [(math.pi - 0.3, 0.9), (-math.pi + 0.3, -0.9), (0.4, 1.5), (-0.4, -1.5)],
)
def test_it_aligns_the_short_way(yaw: float, angular: float) -> None:
    outcome = outside(AlignInward("Align", "robot", live(), to_centroid=False), yaw).tick()
    assert (outcome.status, outcome.command) == (R, (0.0, pytest.approx(angular)))
    assert outcome.cues == ["BREACH"]


@pytest.mark.parametrize(("yaw", "status"), [(math.pi - 0.11, S), (math.pi - 0.13, R)])
def test_aligned_is_within_the_tolerance(yaw: float, status: Status) -> None:
    outcome = outside(AlignInward("Align", "robot", live(), to_centroid=False), yaw).tick()
    assert outcome.status is status
    assert (outcome.command is None) is (status is S)


@pytest.mark.parametrize("leaf", [AlignInward, DriveInward])
@pytest.mark.parametrize("to_centroid", [True, False])
def test_the_way_leads_to_the_centroid_or_to_the_nearest_point_inside(leaf: Any, to_centroid: bool) -> None:
    bench = outside(leaf("Leaf", "robot", live(), to_centroid=to_centroid), math.pi, way_inside=(2.0, -0.2))
    outcome = bench.fence(FenceStatus.BREACH, way_inside=(2.0, -0.2), centroid=(0.0, 1.0)).tick()
    # Facing -x, the point at -y is to the left, the centroid at +y to the right.
    assert outcome.command[1] * (-1.0 if to_centroid else 1.0) > 0.0


@pytest.mark.parametrize("leaf", [AlignInward, DriveInward])
@pytest.mark.parametrize("lacking", ["pose", "geofence"])
def test_without_a_pose_it_waits_and_does_not_move(leaf: Any, lacking: str) -> None:
    bench = outside(leaf("Leaf", "robot", live(), to_centroid=False), 0.0)
    outcome = bench.put(**{lacking: None}).tick()
    assert (outcome.status, outcome.command, outcome.feedback) == (R, None, "waiting for a pose")


def test_it_drives_inside_until_the_fence_says_so() -> None:
    for status in (FenceStatus.SAFE, FenceStatus.WARNING):
        bench = outside(DriveInward("Drive", "robot", live(), to_centroid=False), math.pi)
        assert bench.tick().command == (0.2, pytest.approx(0.0, abs=1e-9))
        assert bench.fence(FenceStatus.UNKNOWN).tick().status is R
        outcome = bench.fence(status).tick()
        assert (outcome.status, outcome.command) == (S, None)


@pytest.mark.parametrize(("off", "linear"), [(0.9, 0.2), (1.2, 0.0)])
def test_while_far_off_its_way_it_only_turns(off: float, linear: float) -> None:
    outcome = outside(DriveInward("Drive", "robot", live(), to_centroid=False), math.pi - off).tick()
    assert outcome.command == (linear, 1.5)


@pytest.mark.parametrize("to_centroid", [True, False])
def test_ours_drives_round_an_obstacle_on_the_way(to_centroid: bool) -> None:
    bench = outside(DriveInward("Drive", "robot", live(), to_centroid=to_centroid), math.pi)
    bench.points((0.3, 0.1))
    outcome = bench.tick()
    assert (abs(outcome.command[1]) < 1e-9) is to_centroid
    assert outcome.command[1] < 1e-9


def step(bench: TreeBench, x: float, yaw: float) -> tuple[float, float]:
    """Tick and move as commanded; return x and yaw."""
    linear, angular = bench.pose(x, 0.0, yaw).tick().command or (0.0, 0.0)
    yaw += angular * TICK / SECOND
    return x + linear * math.cos(yaw) * TICK / SECOND, yaw


@pytest.mark.parametrize("heading", [math.radians(30.0 * k) for k in range(12)])
def test_from_every_heading_it_comes_back_inside(heading: float) -> None:
    bench = outside(back_inside("robot", live(), to_centroid=False), heading)
    x, yaw = 2.3, heading
    for _ in range(300):
        x, yaw = step(bench, x, yaw)
        if x < 1.8:
            break
    assert x < 1.8
    bench.fence(FenceStatus.SAFE)
    assert bench.pose(x, 0.0, yaw).tick().status is S
    assert bench.tick().status is Status.FAILURE


@pytest.mark.parametrize("seed", range(4))
def test_the_return_turn_turns_by_its_angle_to_a_random_side(seed: int) -> None:
    bench = TreeBench().set_up(ReturnTurn("Return turn", "robot", live(), RandomStreams(seed).generator("r")))
    outcome = bench.tick()
    assert (outcome.status, outcome.command, outcome.feedback) == (R, None, "waiting for odometry")
    yaw, fastest = 2.5, 0.0
    for _ in range(600):
        outcome = bench.odometry(yaw=math.remainder(yaw, math.tau)).tick()
        if outcome.status is S:
            break
        assert outcome.command[0] == 0.0
        fastest = max(fastest, abs(outcome.command[1]))
        yaw += outcome.command[1] * TICK / SECOND
    assert abs(yaw - 2.5) == pytest.approx(math.radians(160.0), abs=0.16)
    assert fastest == 0.75


def test_the_return_turn_goes_to_both_sides() -> None:
    bench = TreeBench().set_up(ReturnTurn("Turn", "robot", live(), RandomStreams(1).generator("r"))).odometry()
    sides = []
    for _ in range(20):
        outcome = bench.tick()
        sides.append(outcome.command[1])
        bench.root.stop(Status.INVALID)
    assert set(sides) == {0.75, -0.75}
