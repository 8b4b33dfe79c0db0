"""Which programs a scenario is played by on ROS, and what each is given."""

import pytest
from helpers.scenario_plans import planned as plan

from arena_trees.experiments.plan import draw_world
from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.nodes.programs.game_programs import TrialRequest, prepare, write_programs
from arena_trees.robot.errors import ConfigError
from arena_trees.world.arena_file import load_arena
from arena_trees.world.arenas import find_arena, load_body, load_fence


def test_the_programs_are_told_what_the_scenario_says(tmp_path):
    the_plan = plan("wolf_rabbit", **{"rules.catch_distance": 0.5, "wolf.gate.max_linear": 0.2})
    programs = {
        program.name: program for program in write_programs(TrialRequest("it", ("a=1",), the_plan, 3), tmp_path)
    }
    robots = {f"{robot}.{part}" for robot in ("wolf", "rabbit") for part in ("tree_node", "velocity_gate")}
    assert set(programs) == robots | {
        "wolf.geofence_supervisor",
        "rabbit.geofence_supervisor",
        "game",
        "arena_simulator",
    }
    assert list(programs)[-1] == "arena_simulator"
    for name in ("game", "arena_simulator"):
        reported = programs[name].parameters
        assert (reported["scenario"], reported["seed"], reported["set"]) == ("it", the_plan.scenario.seed + 3, ["a=1"])
    assert (programs["game"].parameters["truth"], programs["game"].parameters["autostart"]) == ("ground_truth", False)
    gate, tree = programs["wolf.velocity_gate"], programs["wolf.tree_node"]
    assert (gate.parameters["role"], gate.parameters["rules"]) == ("wolf", ["catch_distance=0.5"])
    assert (gate.parameters["max_linear"], gate.vital, tree.vital) == (0.2, True, False)
    assert "allow_loose_gate" not in gate.parameters
    assert gate.parameters["obstacles"] is True
    allowed = {program.name: program for program in write_programs(TrialRequest("it", (), the_plan, 3, True), tmp_path)}
    assert allowed["wolf.velocity_gate"].parameters["allow_loose_gate"] is True
    assert (tree.namespace, tree.node, tree.enclave) == ("/wolf", "tree", "/wolf_rabbit/wolf/tree")
    assert tree.remaps == {"/tf": "tf", "/tf_static": "tf_static", "cmd_vel_raw": "cmd_vel_raw"}
    assert load_fence(str(tree.parameters["arena"]), "wolf") is not None


def test_the_programs_are_told_of_bodies_that_are_none_of_a_turtlebot(tmp_path):
    changes = {"wolf.body.radius": 0.25, "wolf.body.max_linear": 0.6, "wolf.gate.max_linear": 0.5}
    the_plan = plan("wolf_rabbit", **changes)
    programs = {program.name: program for program in write_programs(TrialRequest("it", (), the_plan, 3), tmp_path)}
    gate = programs["wolf.velocity_gate"].parameters
    assert (gate["hull_radius"], gate["max_linear"], gate["max_wheel"]) == (0.25, 0.5, 0.6)
    arena = str(gate["arena"])
    # Told twice, so that it is known on a map, too, which is no arena file.
    for told in (load_body(arena, "wolf", "wolf", gate["body"]), load_body("", "wolf", "wolf", gate["body"])):
        assert told == the_plan.robots["wolf"].body
    assert load_body(arena, "wolf") == told
    assert "body" not in programs["rabbit.velocity_gate"].parameters
    fence = load_fence(arena, "wolf")
    assert fence is not None and fence.inset == pytest.approx(0.35)


def test_on_a_map_nothing_holds_a_robot_and_rules_may_see_by_its_localisation(tmp_path):
    the_plan = plan("pacman", judged_by="localisation")
    programs = {program.name: program for program in write_programs(TrialRequest("pacman", (), the_plan, 0), tmp_path)}
    assert set(programs) == {"pacman.tree_node", "pacman.velocity_gate", "game", "arena_simulator"}
    assert programs["pacman.tree_node"].parameters["arena"] == "" and programs["game"].parameters["truth"] == "tf"


def test_tree_and_gate_are_told_of_the_body_and_a_role_that_knows_its_arena_of_the_written_one(tmp_path):
    the_plan = plan("pursuit_hiding", **{"robots.evader.body": {"turret": {"max_yaw_rate": 2.0}, "barrel": {}}})
    programs = {program.name: program for program in write_programs(TrialRequest("it", (), the_plan, 0), tmp_path)}
    for part in ("tree_node", "velocity_gate"):
        told = programs[f"evader.{part}"].parameters
        body = load_body(told["arena"], "evader", "evader", told["body"])
        assert body == the_plan.robots["evader"].body
        assert body.turret.max_yaw_rate == 2.0 and body.barrel is not None
        assert told["arena"] == str(tmp_path / "arena.yaml")


def test_a_role_with_a_localiser_gets_its_node_and_is_told_its_start(tmp_path):
    changes = {"robots.count": 2, "rules.plan.size": 3.0, "rules.localiser.walls": False, "crosser.movement": "left"}
    the_plan = plan("crossroads_lidar", **changes)
    programs = {program.name: program for program in write_programs(TrialRequest("it", (), the_plan, 3), tmp_path)}
    parts = ("tree_node", "velocity_gate", "localiser")
    robots = {f"robot_{number}.{part}" for number in (1, 2) for part in parts}
    assert set(programs) == robots | {"game", "arena_simulator"}
    eyes = programs["robot_2.localiser"].parameters
    assert (eyes["role"], eyes["seed"], eyes["markers"]) == ("crosser", the_plan.scenario.seed + 3, False)
    assert not eyes["camera"]
    start = next(spec.start for spec in draw_world(the_plan, 3).specs if spec.name == "robot_2")
    assert eyes["start"] == [start.x, start.y, start.yaw]
    assert {"localiser.walls=false", "plan.size=3.0"} <= set(eyes["rules"])
    tree = programs["robot_2.tree_node"].parameters
    assert (tree["movement"], tree["plan.size"]) == ("left", 3.0)
    for name in robots:
        assert crossing_of(load_arena(find_arena(programs[name].parameters["arena"]))).plan.size == 3.0


@pytest.mark.parametrize(
    ("scenario", "changes", "key"),
    [
        ("wolf_rabbit", ["bus.loss=0.1"], "bus"),
        ("wolf_rabbit", ["variants={x: {}}"], "variants"),
        ("crossroads_lidar", ["rules.sensing=kinematic"], "rules.sensing"),
        ("crossroads_lidar", ["rules.deaths=[{dies: robot}]"], "rules.deaths"),
        (
            "crossroads_lidar",
            ["rules.sensing=rendered", "crosser.sensors.camera.kind=rendered"],
            "robot_1.sensors.camera.kind",
        ),
    ],
)
def test_what_is_only_in_the_embedded_arena_is_refused(scenario, changes, key):
    with pytest.raises(ConfigError) as refused:
        prepare(scenario, changes, {})
    assert refused.value.key == key
