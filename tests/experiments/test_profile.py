"""Profiles: ranges that each trial draws, and what of them a scenario overrides."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.scenario_plans import planned

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.profile import Profile, load_profile, profile_names
from arena_trees.experiments.scenario import scenario_names
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.nodes.programs.game_programs import prepare, write_programs
from arena_trees.nodes.programs.played import PlayedParameters, load_played
from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.physics.robot import SensorParameters

FIELD = load_profile("field")
WALLS = """
arena:
  walls_offset_m: {low: 0.02, high: 0.02, source: me too}
  walls_offset_yaw: {low: 0.009, high: 0.009, source: me too}
"""


def dropout(plan: TrialPlan, robot: str = "wolf") -> float:
    return float(plan.robots[robot].sensors.lidar.dropout)


def written(folder: Path, text: str) -> str:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_each_trial_and_each_robot_draws_its_own_and_a_seed_the_same():
    plan = planned("wolf_rabbit", profile="field", seed=400)
    drawn = [plan.for_trial(index) for index in range(4)]
    values = [dropout(trial, robot) for trial in drawn for robot in ("wolf", "rabbit")]
    assert len(set(values)) == 8
    limits = FIELD.sensors["lidar.dropout"]
    assert all(limits.low <= value <= limits.high for value in values)
    assert dropout(plan) == dropout(drawn[0]), "a plan is drawn for the first trial"
    again = planned("wolf_rabbit", profile="field", seed=402)
    assert again.robots["wolf"].sensors == drawn[2].robots["wolf"].sensors
    assert again.bus == drawn[2].bus != drawn[3].bus


def test_a_profile_changes_no_start():
    field, clean = planned("wolf_rabbit", profile="field"), planned("wolf_rabbit")
    assert [spec.start for spec in draw_world(field, 3).specs] == [spec.start for spec in draw_world(clean, 3).specs]


def test_clean_walls_stand_where_the_map_has_them():
    world = draw_world(planned("wolf_rabbit"), 3)
    assert world.standing is world.layout


@pytest.mark.parametrize("name", scenario_names())
def test_walls_stand_elsewhere_than_on_the_map_and_robots_and_judges_know_the_map(name: str, tmp_path: Path):
    mapped = planned(name, seed=400)
    if mapped.has_world:
        return
    plan = planned(name, profile=written(tmp_path, WALLS), seed=400)
    for index in range(2):
        world, clean = draw_world(plan, index), draw_world(mapped, index)
        assert world.layout == clean.layout
        assert [spec.start for spec in world.specs] == [spec.start for spec in clean.specs]
        assert world.standing == draw_world(plan, index).standing == draw_world(plan.for_trial(index), index).standing
        moved = [a.name for a, b in zip(world.layout.solids, world.standing.solids, strict=True) if a != b]
        assert moved
        assert not [one for one in moved if "box" in one or "post" in one]
        for spec in world.specs:
            world.standing.check_place(spec.start, spec.body.radius, "start")
    assert draw_world(plan, 0).standing.solids != draw_world(plan, 1).standing.solids


def test_the_arena_has_the_walls_as_they_stand_and_a_result_the_map(tmp_path: Path):
    plan = planned("wolf_rabbit", profile=written(tmp_path, WALLS), duration_s=0.2)
    trial, world = Trial(plan, 1), draw_world(plan, 1)
    try:
        assert trial.arena.layout == world.standing != world.layout == trial.layout
    finally:
        trial.close()
    assert run_trial(plan, 1, trace=True).layout == world.layout


def test_misplaced_walls_alone_change_what_a_robot_does_and_repeat(tmp_path: Path):
    plan = planned("crossroads_lidar", profile=written(tmp_path, WALLS), duration_s=0.6)
    one, two = (run_trial(plan, 1, trace=True).trace_sha256 for _ in range(2))
    assert one == two != run_trial(planned("crossroads_lidar", duration_s=0.6), 1, trace=True).trace_sha256


def test_what_a_scenario_or_its_game_gives_is_not_drawn():
    plan = planned("wolf_rabbit", profile="field", **{"wolf.sensors.lidar.dropout": 0.0, "bus.loss": 0.0})
    assert (dropout(plan), plan.bus.loss) == (0.0, 0.0)
    assert dropout(plan, "rabbit") > 0.0
    assert plan.bus.delay_s != planned("wolf_rabbit").bus.delay_s


def test_clean_draws_nothing():
    plan = planned("wolf_rabbit")
    assert plan.for_trial(3) is plan
    assert plan.robots["wolf"].sensors == SensorParameters()


def test_robots_that_are_all_alike_draw_apart():
    plan = planned("crossroads_lidar", profile="field")
    assert len({dropout(plan, name) for name in plan.robots}) == len(plan.robots)


def test_a_tree_of_ones_own_stays():
    plan = planned("wolf_rabbit", profile="field")

    def create_root(robot, live, streams):
        raise NotImplementedError

    assert plan.with_trees({"wolf": create_root}).for_trial(2).robots["wolf"].create_root is create_root


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_with_sensors_can_be_played_in_the_field(name: str):
    if planned(name).has_world:
        with pytest.raises(ConfigError, match=r"profile: robots of this world have no sensors"):
            planned(name, profile="field")
    else:
        planned(name, profile="field").for_trial(1)


@pytest.mark.parametrize("name", ["wolf_rabbit", "pursuit_dodging", "pacman", "crossroads_lidar", "wall_chase"])
def test_a_trial_in_the_field_is_played_and_repeats(name: str):
    plan = planned(name, profile="field", seed=410, duration_s=0.6)
    one, two = (run_trial(plan, 1, trace=True).trace_sha256 for _ in range(2))
    clean = run_trial(planned(name, seed=410, duration_s=0.6), 1, trace=True).trace_sha256
    assert one == two != clean


def test_a_file_of_ones_own(tmp_path: Path):
    text = "sensors: {lidar.dropout: {low: 0.5, high: 0.5, source: my hall}}\n"
    assert dropout(planned("wolf_rabbit", profile=written(tmp_path, text))) == 0.5


@pytest.mark.parametrize(
    ("text", "finds"),
    [
        ("sensors: {lidar.dropout: {low: 0.5, high: 0.1, source: me too}}", "low is above high"),
        ("sensors: {lidar.dropout: {low: .nan, high: 0.1, source: me too}}", "low"),
        ("sensors: {lidar.dropout: {low: 0.1, high: 0.2}}", "source"),
        ("sensors: {lidar.dropout: {low: 0.1, hihg: 0.2, source: me too}}", r"mine.yaml: sensors.lidar.dropout.hihg"),
        ("sensors: {lidar.dropuot: {low: 0.1, high: 0.2, source: me too}}", "dropuot"),
        ("sensors: {lidar.dropout: {low: 0.1, high: 1.2, source: me too}}", r"mine.yaml: sensors.lidar.dropout.high"),
        ("bus: {lots: {low: 0.1, high: 0.2, source: me too}}", "lots"),
        ("arena: {walls_offset_m: {low: 0.0, high: 0.5, source: me too}}", r"mine.yaml: arena.walls_offset_m.high"),
        ("arena: {walls_offset_m: {low: 0.0, high: .nan, source: me too}}", "high"),
        ("arena: {walls_ofset_m: {low: 0.0, high: 0.01, source: me too}}", "walls_ofset_m"),
        ("robots: {}", "robots"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, finds: str):
    with pytest.raises(ConfigError, match=finds):
        planned("wolf_rabbit", profile=written(tmp_path, text))


def test_an_unknown_profile_is_named():
    with pytest.raises(ConfigError, match=r"did you mean field"):
        planned("wolf_rabbit", profile="filed")


def test_every_range_that_ships_has_a_source_and_is_within_its_setting():
    assert profile_names() == ("clean", "field")
    assert isinstance(FIELD, Profile)
    for one in (*FIELD.sensors.values(), *FIELD.bus.values(), *FIELD.arena.values()):
        assert one.low < one.high
        assert one.source


def test_a_node_that_is_given_a_trials_seed_draws_what_that_trial_has_in_the_arena(tmp_path: Path):
    order = prepare("wolf_rabbit_open", [], {"profile": "field", "seed": 400})
    second = replace(order, index=2)
    programs = {one.name: one for one in write_programs(second, tmp_path)}
    given = programs["arena_simulator"].parameters
    simulated = load_played(PlayedParameters(scenario=given["scenario"], seed=given["seed"], set=tuple(given["set"])))
    embedded = planned("wolf_rabbit_open", profile="field", seed=400).for_trial(2)
    assert {name: robot.sensors for name, robot in simulated.robots.items()} == {
        name: robot.sensors for name, robot in embedded.robots.items()
    }
    standing = draw_world(simulated, 0).standing
    assert standing == draw_world(embedded, 2).standing == draw_world(second.plan, second.index).standing
    assert standing != draw_world(embedded, 2).layout


def test_each_trials_nodes_have_what_is_drawn_for_it(tmp_path: Path):
    text = "sensors: {camera.threshold: {low: 0.3, high: 0.7, source: me too}}\n"
    order = prepare("wolf_rabbit_open", [], {"profile": written(tmp_path, text), "camera": "rendered", "seed": 400})
    drawn = []
    for index in range(3):
        programs = write_programs(replace(order, index=index), tmp_path)
        detectors = [one.parameters["threshold"] for one in programs if one.module == "sign_detector"]
        robots = order.plan.for_trial(index).robots.values()
        assert detectors == [robot.sensors.camera.threshold for robot in robots]
        drawn += detectors
    assert len(set(drawn)) == 6
