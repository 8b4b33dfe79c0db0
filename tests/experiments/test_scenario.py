"""Scenarios: those that ship, changes to them, and the worlds that they give."""

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from helpers.scenario_plans import planned

from arena_trees.experiments.plan import draw_world, make_plan
from arena_trees.experiments.scenario import (
    Scenario,
    apply_changes,
    find_scenario,
    load_scenario,
    scenario_names,
)
from arena_trees.games.registry import game_names
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.errors import ConfigError


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_can_be_played(name: str):
    path = find_scenario(name)
    scenario = load_scenario(path)
    assert scenario.description
    assert scenario.seed >= 1000, "seeds below are for tuning"
    plans = [make_plan(scenario, path, path.parent)]
    plans += [make_plan(apply_changes(scenario, changes), path, path.parent) for changes in scenario.variants.values()]
    assert all(plan.robots for plan in plans)


def test_a_gate_allows_for_the_fastest_of_the_other_robots():
    robots = planned("wolf_rabbit", **{"rabbit.gate.max_linear": 0.25, "wolf.gate.max_linear": 0.28}).robots
    assert (robots["wolf"].gate.others_speed, robots["rabbit"].gate.others_speed) == (0.25, 0.28)
    given = planned("wolf_rabbit", **{"wolf.gate.others_speed": 0.1}).robots
    assert (given["wolf"].gate.others_speed, given["rabbit"].gate.others_speed) == (0.1, 0.306)
    assert planned("breach_recovery").robots["wolf"].gate.others_speed == 0.0


def test_the_games_have_the_speeds_of_the_issue():
    robots = planned("wolf_rabbit").robots
    wolf, rabbit = robots["wolf"].parameters, robots["rabbit"].parameters
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
            "rules.after_catch_s": 2.0,
            "bus.loss": 0.1,
            "arena_set.start_distance": 1.0,
            "strategy": "source",
        },
    )
    wolf, rabbit = plan.robots["wolf"], plan.robots["rabbit"]
    assert (wolf.parameters.chase_kp, wolf.parameters.strategy) == (1.5, "source")
    assert wolf.parameters.chase_linear_speed == 0.306, "what the file sets stays"
    assert wolf.sensors.camera.rate_hz == 15.0
    assert wolf.gate.fence_margin == 0.2
    assert rabbit.entry.fence.warning_distance == 0.4
    assert (plan.scenario.duration_s, plan.rules.after_catch_s, plan.scenario.bus.loss) == (60, 2.0, 0.1)
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
    robots: Any = {"wolf": {"role": "wolf"}}
    scenario = Scenario(game="wolf_rabbit", arena="arena_4x4.yaml", robots=robots)
    plan = make_plan(scenario, "mine.yaml", tmp_path)
    assert plan.robots["wolf"].parameters.chase_kp == 0.7  # type: ignore[attr-defined]


def test_a_refused_change_changes_nothing():
    scenario = load_scenario(find_scenario("wolf_rabbit"))
    before = scenario.model_dump()
    with pytest.raises(ConfigError, match="duration_s"):
        apply_changes(scenario, {"seed": 3, "duration_s": math.inf})
    assert scenario.model_dump() == before


def test_an_unknown_game_is_refused_with_the_names_of_all(tmp_path: Path):
    file = tmp_path / "odd.yaml"
    file.write_text("game: mancala\nmap: flat\nrobots:\n  pacman: {role: pacman}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="game: there is no such game; there are crossroads, pacman, ") as reported:
        load_scenario(file)
    assert "mancala" in str(reported.value)
    assert all(name in str(reported.value) for name in game_names())


def mine(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_scenario_names_its_game_and_a_rule_at_the_top_is_told_where_it_belongs(tmp_path):
    with pytest.raises(ConfigError, match="game: is required"):
        load_scenario(mine(tmp_path, "arena: arena_4x4.yaml\nrobots: {wolf: {role: wolf}}\n"))
    text = "game: wolf_rabbit\narena: arena_4x4.yaml\ncatch_distance: 0.5\nrobots: {wolf: {role: wolf}}\n"
    with pytest.raises(ConfigError, match="catch_distance: is a rule of the game: it stands under the key rules"):
        load_scenario(mine(tmp_path, text))


def test_a_role_of_another_game_is_refused():
    scenario = Scenario(game="wolf_rabbit", arena="arena_4x4.yaml", robots={"wolf": {"role": "sheep"}})  # type: ignore[dict-item]
    with pytest.raises(ConfigError, match=r"robots\.wolf\.role: there is no such role in wolf_rabbit"):
        make_plan(scenario, "mine.yaml")


def test_no_robot_has_the_name_under_which_the_rules_send():
    robots: Any = {"wolf": {"role": "wolf"}, "referee": {"role": "rabbit"}}
    scenario = Scenario(game="wolf_rabbit", arena="arena_4x4.yaml", robots=robots)
    with pytest.raises(ConfigError, match=r"robots\.referee: is the name under which the rules of the game send"):
        make_plan(scenario, "mine.yaml")


TEAM: dict[str, Any] = {"game": "wolf_rabbit", "arena": "arena_4x4.yaml", "robots": {"role": "wolf", "count": 2}}


def test_robots_that_are_all_alike_have_a_role_and_a_count_and_a_shipped_arena_goes_by_its_name():
    scenario = apply_changes(Scenario(**TEAM), {"wolf.chase_kp": 1.5, "wolf.sensors.camera.rate_hz": 5.0})
    plan = make_plan(scenario, "mine.yaml")
    assert list(plan.robots) == ["robot_1", "robot_2"]
    assert plan.robots["robot_1"].parameters is plan.robots["robot_2"].parameters
    assert plan.robots["robot_2"].parameters.chase_kp == 1.5  # type: ignore[attr-defined]
    assert plan.robots["robot_2"].sensors.camera.rate_hz == 5.0
    assert list(make_plan(apply_changes(scenario, {"robots.count": 1}), "mine.yaml").robots) == ["robot_1"]
    by_name = apply_changes(Scenario(**TEAM), {"arena": "arena_4x4"})
    assert make_plan(by_name, "mine.yaml").arena == make_plan(Scenario(**TEAM), "mine.yaml").arena


def test_robots_without_a_start_of_their_name_have_that_of_their_role():
    plan = make_plan(apply_changes(Scenario(**TEAM), {"robots.count": 3}), "mine.yaml")
    starts = [spec.start for spec in draw_world(plan, 0).specs]
    assert all(
        robot.fence is not None and robot.fence.inside(start.x, start.y)
        for robot, start in zip(plan.robots.values(), starts, strict=True)
    )
    assert all(one.distance_to(other.x, other.y) >= 0.8 for one, other in itertools.combinations(starts, 2))


@pytest.mark.parametrize("robots", [4, [], {}, "wolf", {"role": "wolf", "count": 0}, {"role": "wolf", "count": 257}])
def test_robots_are_a_map_or_a_team(robots: object):
    with pytest.raises(ConfigError, match="robots"):
        Scenario(game="wolf_rabbit", arena="arena_4x4.yaml", robots=robots)  # type: ignore[arg-type]
