"""Scenarios: those that ship, changes to them, and the worlds that they give."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.any_game import change_any, load_any, plan_any
from arena_trees.simulation.plan import TrialPlan, draw_world, make_plan
from arena_trees.simulation.scenario import (
    Scenario,
    apply_changes,
    find_scenario,
    load_scenario,
    parse_assignments,
    scenario_names,
)


def planned(name: str, **changes: object) -> TrialPlan:
    path = find_scenario(name)
    return make_plan(apply_changes(load_scenario(path), changes), path, path.parent)


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_can_be_played(name: str):
    path = find_scenario(name)
    scenario = load_any(path)
    assert scenario.description
    assert scenario.seed >= 1000, "seeds below are for tuning"
    plans = [plan_any(scenario, path, path.parent)]
    plans += [plan_any(change_any(scenario, changes), path, path.parent) for changes in scenario.variants.values()]
    assert all(plan.robots for plan in plans)


def test_the_games_have_the_speeds_of_the_issue():
    robots = planned("wolf_rabbit").robots
    wolf, rabbit = robots["wolf"].parameters, robots["rabbit"].parameters
    assert isinstance(wolf, WolfParameters)
    assert (wolf.chase_linear_speed, wolf.roam_linear_speed) == (0.306, 0.20)
    assert (rabbit.return_linear_speed, rabbit.wander_radius) == (0.22, 0.8)  # type: ignore[attr-defined]


def test_changes_reach_everything():
    plan = planned(
        "wolf_rabbit",
        **{
            "duration_s": 60,
            "wolf.chase_kp": 1.5,
            "wolf.sensors.camera.rate_hz": 15.0,
            "wolf.gate.fence_margin": 0.2,
            "rabbit.fence.warning_distance": 0.4,
            "robots.rabbit.set.wander_radius": 0.5,
            "end.after_catch_s": 2.0,
            "bus.loss": 0.1,
            "arena_set.start_distance": 1.0,
            "strategy": "source",
        },
    )
    wolf, rabbit = plan.robots["wolf"], plan.robots["rabbit"]
    assert isinstance(wolf.parameters, WolfParameters)
    assert (wolf.parameters.chase_kp, wolf.parameters.strategy) == (1.5, "source")
    assert wolf.parameters.chase_linear_speed == 0.306, "what the file sets stays"
    assert wolf.sensors.camera.rate_hz == 15.0
    assert wolf.entry.gate.fence_margin == 0.2
    assert rabbit.entry.fence.warning_distance == 0.4
    assert (plan.scenario.duration_s, plan.scenario.end.after_catch_s, plan.scenario.bus.loss) == (60, 2.0, 0.1)
    assert plan.arena.start_distance == 1.0


def test_strategies_and_sensors_meet_the_same_worlds():
    ours = planned("wolf_rabbit", strategy="arena")
    theirs = planned("wolf_rabbit", **{"strategy": "source", "wolf.sensors.camera.rate_hz": 5.0})
    for index in range(5):
        assert draw_world(ours, index).layout == draw_world(theirs, index).layout
    assert draw_world(ours, 0).layout != draw_world(ours, 1).layout


def test_values_are_read_as_yaml():
    read = parse_assignments(["a=1", "b = 2.5", "c=1e3", "d=text", "e={x: 1}", "f=", "g=a=b"])
    assert read == {"a": 1, "b": 2.5, "c": 1000.0, "d": "text", "e": {"x": 1}, "f": None, "g": "a=b"}


def test_starts_outside_go_through_all_headings():
    plan = planned("breach_recovery")
    headings = []
    for index in range(12):
        (spec,) = draw_world(plan, index).specs
        x, y = spec.start.x, spec.start.y
        assert plan.robots["wolf"].fence.signed_distance(x, y) == pytest.approx(-0.3)
        outward = math.atan2(y, 0.0) if abs(y) > 2.0 else math.atan2(0.0, x)
        headings.append(round(math.degrees(spec.start.yaw - outward)) % 360)
    assert headings == [index * 30 for index in range(12)]


def test_a_given_start_is_where_the_robot_starts():
    plan = planned("wolf_rabbit", **{"wolf.start": {"x": -1.5, "y": 1.0, "yaw_deg": 90.0}})
    for index in range(3):
        pose = next(spec.start for spec in draw_world(plan, index).specs if spec.name == "wolf")
        assert (pose.x, pose.y, pose.yaw) == pytest.approx((-1.5, 1.0, math.pi / 2))


def test_files_beside_the_scenario_come_first(tmp_path: Path):
    (tmp_path / "wolf.yaml").write_text("/**: {ros__parameters: {chase_kp: 0.7}}")
    plan = make_plan(Scenario(robots={"wolf": {"role": "wolf"}}), "mine.yaml", tmp_path)  # type: ignore[dict-item]
    assert plan.robots["wolf"].parameters.chase_kp == 0.7  # type: ignore[attr-defined]


def test_a_refused_change_changes_nothing():
    scenario = load_scenario(find_scenario("wolf_rabbit"))
    before = scenario.model_dump()
    with pytest.raises(ConfigError, match="duration_s"):
        apply_changes(scenario, {"seed": 3, "duration_s": math.inf})
    assert scenario.model_dump() == before


def test_an_unknown_game_is_refused_with_the_names_of_all(tmp_path: Path):
    file = tmp_path / "odd.yaml"
    file.write_text("game: pacmn\nmap: flat\nrobots:\n  pacman: {role: pacman}\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match="game: there is no such game; there are wolf_rabbit, pacman, crossroads"
    ) as told:
        load_any(file)
    assert "pacmn" in str(told.value)
