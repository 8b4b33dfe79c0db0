"""Wall following is played: a short trial of each law, and what the game refuses."""

from typing import Any

import pytest
from helpers.arena import needs_arena

from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.experiments.plan import TrialPlan, make_plan
from arena_trees.simulation.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.simulation.experiments.trial import run_trial


def planned(name: str = "wall_following", **changes: Any) -> TrialPlan:
    path = find_scenario(name)
    return make_plan(apply_changes(load_scenario(path), {"seed": 10, **changes}), path, path.parent)


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
