"""What is seen of a game from outside becomes the result that the embedded arena would write."""

import pytest
from helpers.scenario_plans import planned

from arena_trees.experiments.plan import draw_world
from arena_trees.experiments.trial import run_trial
from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.games.truth import End
from arena_trees.nodes.monitors.game_record import GameRecord
from arena_trees.nodes.programs.game_programs import TrialRequest, prepare, write_programs
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.messaging.messages import Message
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.world.arena_file import load_arena
from arena_trees.world.arenas import find_arena, load_body, load_fence

START = 5 * SECOND


def plan(scenario="wolf_rabbit_open", **changes):
    return planned(scenario, **changes)


def game(now, phase, verdicts):
    values = {"round": 1, "rabbit_alive": phase != "CAPTURED", "inside_wolf_territory": True, "rabbit_escaped": False}
    return Message("game", "referee", 1, 1, now, {"phase": phase, "verdicts": verdicts, **values})


def put(record, now, distance, speed=0.0):
    record.note_truth("wolf", now, Pose2D(0.0, 0.0, 0.0), Twist2D(speed, 0.0))
    record.note_truth("rabbit", now, Pose2D(distance, 0.0, 0.0), Twist2D())
    record.note_time(now)


def finish(record):
    return record.result(2.0)


def later(record, now):
    """Let so much time go by that what was seen is judged."""
    record.note_time(now + SECOND // 5)


def test_a_catch():
    the_plan = plan()
    record = GameRecord(the_plan, 0, START)
    put(record, START - SECOND, 1.9)
    record.note_active("wolf", "Chase the rabbit")
    record.note_end(End("", "nobody has begun it", 0))
    record.note_message(game(START - SECOND, "CAPTURED", {"9": True}))
    record.note_message(game(START + SECOND, "ACTIVE", {"1": False}))
    put(record, START + SECOND, 1.0, speed=0.3)
    record.note_cue("wolf", "LOST")
    put(record, START + 2 * SECOND, 0.5, speed=0.3)
    record.note_message(game(START + 2 * SECOND, "CAPTURED", {"1": False, "2": True}))
    record.note_end(End("caught", "claim 2 at 0.50 m", START + 2 * SECOND))
    put(record, START + 2 * SECOND + SECOND // 5, 0.5, speed=0.3)
    put(record, START + 3 * SECOND, 0.5)
    record.note_contacts(START + 3 * SECOND + 1, [("wolf", "box_1")])
    record.note_contacts(START + 3 * SECOND + 2, [])
    put(record, START + 4 * SECOND, 0.5)
    assert not record.over, "what was seen last may still lack its messages"
    later(record, START + 4 * SECOND)
    assert record.over
    result = finish(record)
    assert (result.outcome, result.reason, result.seed) == ("caught", "claim 2 at 0.50 m", the_plan.scenario.seed)
    assert result.simulated_s == 4.04
    expected = {
        "caught": True, "time_to_catch_s": 2.0, "game_time_s": 2.0, "catch_true_distance_m": 0.5,
        "catch_false_count": 1, "stop_after_catch_s": 0.2, "lost_events": 1, "collisions": 1, "robot_contacts": 0,
        "latched_robots": 0, "real_time_factor": 2.02, "wolf_breaches": 0,
    }  # fmt: skip
    assert {name: result.values[name] for name in expected} == expected
    assert result.trajectories["wolf"].active[-1] == "Chase the rabbit"
    assert result.trajectories["wolf"].time[0] == 1.0
    assert [one.event for one in result.shown] == ["LOST"]


def test_the_judge_is_told_of_turrets_and_of_each_shot_once():
    the_plan = plan()
    record = GameRecord(the_plan, 0, START)
    seen = []
    record._judge.observe = seen.append
    for number in range(5):
        now = START + number * SECOND // 25
        record.note_turret("wolf", TurretState(now, now, 0, 0.1 * number, 0.0))
        record.note_truth("wolf", now, Pose2D(0.1 * number), Twist2D())
        record.note_truth("rabbit", now, Pose2D(1.0, 0.0, 3.1 + 0.02 * number), Twist2D())
        if number == 2:
            record.note_time(now + SECOND // 50)
            record.note_shot("wolf")
    later(record, START + SECOND)
    wolf, rabbit = ([observed.truth[name] for observed in seen] for name in ("wolf", "rabbit"))
    assert [sample.fired for sample in wolf] == [False, False, False, True, False, False]
    assert not any(sample.fired for sample in rabbit)
    assert [sample.turret[0] for sample in wolf] == pytest.approx([0.0, 0.1, 0.2, 0.25, 0.3, 0.4])
    assert {sample.turret for sample in rabbit} == {None}
    shot = seen[3]
    assert (shot.now, shot.step) == (SECOND // 10, 0), "between two instants of the truth, at the shot's own"
    assert wolf[3].pose.x == pytest.approx(0.25), "where the robot was when it fired, not before or after"
    assert wrap(rabbit[3].pose.yaw - 3.15) == pytest.approx(0.0, abs=1e-9), "across the turn from pi to -pi"
    assert sum(observed.step for observed in seen) == 5 * SECOND // 25


def test_the_judge_is_told_what_a_tree_estimates_until_it_falls_silent():
    record = GameRecord(plan(), 0, START)
    seen = []
    record._judge.observe = seen.append
    record.note_estimates("wolf", START + 1, {"quarry": 1})
    record.note_estimates("wolf", START + SECOND // 25, {"quarry": 2})
    for number in range(25):
        now = START + number * SECOND // 25
        put(record, now, 1.0)
    later(record, START + SECOND)
    boards = [observed.ticks["wolf"].blackboard for observed in seen]
    assert boards[0] == {} == seen[0].ticks["rabbit"].blackboard
    assert [board.get("quarry") for board in boards[1:14]] == [2] * 13
    assert boards[14:] == [{}] * 11


def test_a_survivor_a_breach_and_a_latched_robot():
    the_plan = plan()
    record = GameRecord(the_plan, 0, START)
    put(record, START + SECOND, 1.0)
    put(record, START + 2 * SECOND, 2.5)
    record.note_fault("rabbit", "latched: tree died while moving")
    record.note_message(game(START + 179 * SECOND, "SURVIVED", {}))
    record.note_end(End("survived", "time is up", START + 179 * SECOND))
    put(record, START + 179 * SECOND, 2.5)
    later(record, START + 179 * SECOND)
    result = finish(record)
    assert record.over
    assert (result.outcome, result.values["caught"], result.values["time_to_catch_s"]) == ("survived", False, None)
    assert (result.values["game_time_s"], result.values["rabbit_breaches"]) == (180.0, 1)
    assert (result.values["latched_robots"], dict(result.faults)) == (1, {"rabbit": "latched: tree died while moving"})


def test_an_isolated_game_is_judged_by_the_wolfs_own_word():
    the_plan = plan(isolated=True, duration_s=10.0)
    record = GameRecord(the_plan, 0, START)
    put(record, START + SECOND, 1.5)
    record.note_cue("wolf", "CATCH")
    put(record, START + 2 * SECOND, 1.5)
    put(record, START + 3 * SECOND, 0.5)
    record.note_cue("wolf", "CATCH")
    put(record, START + 4 * SECOND, 0.5)
    put(record, START + 10 * SECOND, 0.5)
    assert not record.over
    later(record, START + 10 * SECOND)
    result = finish(record)
    assert record.over
    assert (result.outcome, result.values["catch_false_count"]) == ("caught", 1)
    assert result.values["catch_true_distance_m"] == 0.5


def test_a_truth_that_falls_silent_ends_the_trial_too():
    record = GameRecord(plan(duration_s=10.0), 0, START)
    record.note_truth("wolf", START + 19 * SECOND, Pose2D(), Twist2D())
    record.note_time(START + 19 * SECOND)
    assert not record.over
    record.note_time(START + 20 * SECOND)
    assert record.over
    assert (record.outcome, finish(record).reason) == ("over", "nothing ended the trial")


@pytest.mark.parametrize("name", ["wolf_rabbit_open", "pacman", "crossroads_lidar"])
def test_names_are_those_of_the_embedded_arena(name):
    the_plan = plan(name, duration_s=1.0)
    record = GameRecord(the_plan, 0, 0)
    for spec in draw_world(the_plan, 0).specs:
        record.note_truth(spec.name, SECOND // 2, spec.start, Twist2D())
    later(record, SECOND)
    assert set(finish(record).values) <= set(run_trial(the_plan, 0).values)


def test_what_cannot_be_read_is_no_state_and_robots_of_which_nothing_is_heard_are_waited_for():
    record = GameRecord(plan(), 0, START)
    record.note_message(Message("game", "referee", 1, 1, START, {"phase": "FLYING"}))
    record.note_truth("wolf", START, Pose2D(), Twist2D())
    put(record, START + SECOND, 1.0)
    later(record, START + SECOND)
    assert len(finish(record).trajectories["wolf"].time) == 1


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
