"""Wall following is played: a trial of each law, chases and their observer, and what the game refuses."""

import math
from typing import Any

import pytest
from helpers import scenario_plans
from helpers.arena import needs_arena
from helpers.walls import BLOCK, TICK, sample

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.trial import run_trial
from arena_trees.games.wall_following.blackboard import LeaderSighting
from arena_trees.games.wall_following.chase import FollowObserver
from arena_trees.robot.errors import ConfigError
from arena_trees.world.line_of_sight import LineOfSight
from arena_trees.world.outline.section import OutlineArena


def planned(name: str = "wall_following", **changes: Any) -> TrialPlan:
    return scenario_plans.planned(name, **{"seed": 10, **changes})


@needs_arena
def test_ours_completes_a_lap_at_the_right_distance_and_the_gate_has_nothing_to_do():
    result = run_trial(planned("wall_following_source_scale"), 0)
    values = result.values
    assert result.outcome == "lap" and values["collisions"] == 0
    assert values["r1_correct_distance_share"] > 0.9
    assert values["r1_gate_share"] == 0.0
    assert 25.0 < values["r1_lap_time_s"] < 40.0


@needs_arena
@pytest.mark.parametrize("side", ["right", "left"])
def test_it_keeps_the_wall_on_its_side(side):
    result = run_trial(
        planned(duration_s=8.0, **{"r1.side": side, "r1.start": {"x": -4.0, "y": 0.0, "yaw_deg": 90.0}}), 0
    )
    end = result.trajectories["r1"].pose[-1]
    assert bool(end[1] > 0.5) is (side == "right")
    assert result.values["r1_gate_share"] == 0.0


@needs_arena
@pytest.mark.parametrize("law", ["rules", "pd", "pid", "subsumption"])
def test_each_law_of_the_report_comes_along(law):
    changes = {"strategy": "source", "r1.law": law, "duration_s": 6.0}
    start = {"x": -11.0, "y": 0.0, "yaw_deg": 90.0}
    result = run_trial(planned("wall_following_source_scale", **changes, **{"r1.start": start}), 0)
    way = result.trajectories["r1"].pose
    assert way[-1, 0] > -9.0 and way[-1, 1] > 1.0
    assert result.values["collisions"] == 0 and not result.faults


def test_the_reports_robot_has_no_guard_that_drives_in_its_place():
    for strategy, obstacles in ((None, True), ("source", False)):
        plan = planned("wall_following_source_scale", strategy=strategy)
        assert plan.robots["r1"].gate.obstacles is obstacles
        assert plan.robots["r1"].gate.deceleration == 20.0


def test_it_refuses_a_robot_that_sees_no_wall():
    with pytest.raises(ConfigError) as caught:
        planned(**{"r1.body.lidar": False})
    assert caught.value.key == "robots.r1.body.lidar"


SIGHT = LineOfSight(OutlineArena.model_validate({"points": BLOCK}).solids())


def sighting(x: float, y: float) -> LeaderSighting:
    away = math.hypot(x, y)
    return LeaderSighting(x, y, away - 0.17, math.atan2(y, x), 0.0, 0, True)


def watched(ticks: int, own: tuple[float, float], other: tuple[float, float], believed: bool, off: float = 0.0):
    """Return what is measured where two robots stand for some ticks, the one following the other or not."""
    observer = FollowObserver("r2", {"r1": 0.17}, SIGHT, 5.0)
    for number in range(ticks):
        truth = {"r2": sample("r2", number * TICK, *own), "r1": sample("r1", number * TICK, *other)}
        seen = sighting(other[0] - own[0] + off, other[1] - own[1]) if believed else None
        observer.observe(number * TICK, truth, seen)
    return observer


def test_a_lock_on_a_robot_that_is_seen_is_no_false_one():
    values = watched(400, (-3.0, 1.5), (-1.5, 1.5), True).values()
    assert values["false_locks"] == 0 and values["occlusions"] == 0 and values["chase_share"] == 1.0
    assert values["gap_m"] == pytest.approx(1.33)


def test_a_lock_through_a_wall_or_beside_the_robot_is_a_false_one():
    through = watched(200, (-1.5, 0.0), (1.5, 0.0), True)
    assert through.values()["false_locks"] == 1 and through.values()["occlusions"] == 1
    assert [mark.label for mark in through.marks] == ["r2: false lock"]
    assert watched(10, (-3.0, 1.5), (-1.5, 1.5), True, off=0.5).values()["false_locks"] == 1
    ignored = watched(200, (-1.5, 0.0), (1.5, 0.0), False).values()
    assert ignored["false_locks"] == 0 and ignored["occlusions"] == 1 and ignored["gap_m"] is None


@needs_arena
def test_ours_keeps_its_gap_and_its_distance_from_the_wall():
    result = run_trial(planned("wall_chase_source_scale"), 0)
    values = result.values
    assert result.outcome == "lap" and values["collisions"] == values["robot_contacts"] == 0
    assert values["r2_gap_m"] == pytest.approx(1.0, abs=0.15)
    assert values["r2_correct_distance_share"] > 0.9 and values["r2_false_locks"] == 0
    assert values["r1_gate_share"] == values["r2_gate_share"] == 0.0


@needs_arena
@pytest.mark.parametrize("name", ["wall_chase", "wall_chase_source_scale"])
@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_a_robot_that_stands_before_it_is_seen_followed_and_not_touched(name, strategy):
    scale = 1.0 if name.endswith("scale") else 0.371
    changes = {
        "duration_s": 12.0,
        "strategy": strategy,
        "r1.speed": 0.02 if scale == 1.0 else 0.05,
        "r2.proof": 0.02,
        "r1.start": {"x": -11.0 * scale, "y": 0.0, "yaw_deg": 90.0},
        "r2.start": {"x": -10.5 * scale, "y": -2.4 * scale, "yaw_deg": 110.0},
    }
    values = run_trial(planned(name, **changes), 0).values
    assert values["r2_chase_share"] > 0.3 and values["robot_contacts"] == 0


def test_a_follower_by_the_second_lidar_needs_one():
    with pytest.raises(ConfigError) as caught:
        planned("wall_chase", **{"r2.sight": "robot_scan"})
    assert caught.value.key == "robots.r2.body.robot_lidar"
