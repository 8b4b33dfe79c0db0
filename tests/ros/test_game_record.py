"""What is seen of a game from outside becomes the result that the embedded arena would write."""

from __future__ import annotations

import pytest

from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase, Pellet
from arena_trees.nodes.game_programs import Order, check_playable, write_programs
from arena_trees.nodes.game_record import GameRecord
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.simulation.plan import draw_world, make_plan
from arena_trees.simulation.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.simulation.trial import run_trial

START = 5 * SECOND


def plan(scenario="wolf_rabbit_open", **changes):
    path = find_scenario(scenario)
    return make_plan(apply_changes(load_scenario(path), changes), path, path.parent)


def game(now, phase, verdicts):
    payload = {"phase": phase, "round": 1, "rabbit_alive": phase != "CAPTURED", "verdicts": verdicts}
    return Message("game", "referee", 1, 1, now, payload)


def put(record, now, distance, speed=0.0):
    record.note_truth("wolf", now, Pose2D(0.0, 0.0, 0.0), Twist2D(speed, 0.0))
    record.note_truth("rabbit", now, Pose2D(distance, 0.0, 0.0), Twist2D())
    record.note_time(now)


def finish(record, the_plan):
    return record.result(0, draw_world(the_plan, 0).layout, 2.0)


def test_a_catch():
    the_plan = plan()
    record = GameRecord(the_plan, START)
    put(record, START - SECOND, 1.9)
    record.note_active("wolf", "Chase the rabbit")
    record.note_cue("wolf", "LOST")
    record.note_message(game(START - SECOND, "CAPTURED", {"9": True}))
    put(record, START + SECOND, 1.0, speed=0.3)
    record.note_message(game(START + SECOND, "ACTIVE", {"1": False}))
    put(record, START + 2 * SECOND, 0.5, speed=0.3)
    record.note_message(game(START + 2 * SECOND, "CAPTURED", {"1": False, "2": True}))
    assert not record.over
    put(record, START + 2 * SECOND + SECOND // 5, 0.5, speed=0.3)
    put(record, START + 3 * SECOND, 0.5)
    record.note_contacts({"collisions": 1, "robot_contacts": 0})
    put(record, START + 4 * SECOND, 0.5)
    assert record.over
    result = finish(record, the_plan)
    assert (result.outcome, result.reason, result.seed) == ("caught", "claim 2 at 0.50 m", the_plan.scenario.seed)
    assert result.simulated_s == 4.0
    expected = {
        "caught": True, "time_to_catch_s": 2.0, "game_time_s": 2.0, "catch_true_distance_m": 0.5,
        "catch_false_count": 1, "stop_after_catch_s": 0.2, "lost_events": 1, "collisions": 1, "latched_robots": 0,
        "real_time_factor": 2.0, "wolf_breaches": 0,
    }  # fmt: skip
    assert {name: result.values[name] for name in expected} == expected
    assert result.trajectories["wolf"].active[-1] == "Chase the rabbit"
    assert result.trajectories["wolf"].time[0] == 1.0


def test_a_survivor_a_breach_and_a_latched_robot():
    the_plan = plan()
    record = GameRecord(the_plan, START)
    put(record, START + SECOND, 1.0)
    put(record, START + 2 * SECOND, 2.5)
    record.note_fault("rabbit", "latched: tree died while moving")
    record.note_message(game(START + 180 * SECOND, "SURVIVED", {}))
    record.note_time(START + 180 * SECOND)
    result = finish(record, the_plan)
    assert record.over
    assert (result.outcome, result.values["caught"], result.values["time_to_catch_s"]) == ("survived", False, None)
    assert (result.values["game_time_s"], result.values["rabbit_breaches"]) == (180.0, 1)
    assert (result.values["latched_robots"], dict(result.faults)) == (1, {"rabbit": "latched: tree died while moving"})


def test_an_isolated_game_is_judged_by_the_wolfs_own_word():
    the_plan = plan(isolated=True, duration_s=10.0)
    record = GameRecord(the_plan, START)
    put(record, START + SECOND, 1.5)
    record.note_cue("wolf", "CATCH")
    put(record, START + 2 * SECOND, 0.5)
    record.note_cue("wolf", "CATCH")
    assert not record.over
    record.note_time(START + 10 * SECOND)
    result = finish(record, the_plan)
    assert record.over
    assert (result.outcome, result.values["catch_false_count"]) == ("caught", 1)
    assert result.values["catch_true_distance_m"] == 0.5


def test_a_referee_that_falls_silent_ends_the_trial_too():
    the_plan = plan(duration_s=10.0)
    record = GameRecord(the_plan, START)
    put(record, START + 19 * SECOND, 1.0)
    assert not record.over
    record.note_time(START + 20 * SECOND)
    assert record.over
    assert (record.outcome, finish(record, the_plan).reason) == ("over", "the rules did not end the game")


def test_names_are_those_of_the_embedded_arena():
    the_plan = plan(duration_s=1.0)
    record = GameRecord(the_plan, 0)
    put(record, SECOND, 1.0)
    record.note_contacts({"collisions": 0, "robot_contacts": 0})
    assert set(finish(record, the_plan).values) <= set(run_trial(the_plan, 0).values)


def pacman(now, phase, left, score, lives=1):
    pellets = tuple(Pellet(number, float(number), 0.0) for number in left)
    state = PacmanGame(now, now, 1, PacmanPhase(phase), 1, score, lives, 3, pellets, ())
    return Message("pacman", "pacman_game", 1, 1, now, state.to_payload())


def play(record, *states):
    """Note states of a game, one a second."""
    for second, (phase, left, score, lives) in enumerate(states, 1):
        record.note_message(pacman(START + second * SECOND, phase, left, score, lives))
        record.note_time(START + second * SECOND)


def test_a_round_of_pacman_that_is_completed():
    the_plan = plan("pacman")
    record = GameRecord(the_plan, START)
    play(
        record,
        ("STARTING", (0, 1, 2), 0, 1),
        ("RUNNING", (0, 1, 2), 0, 1),
        ("RUNNING", (0, 2), 1, 1),
        ("RUNNING", (), 3, 1),
        ("COMPLETE", (), 3, 1),
    )
    assert not record.over
    record.note_contacts({"collisions": 1, "robot_contacts": 0})
    record.note_time(START + 6 * SECOND)
    assert record.over
    result = finish(record, the_plan)
    assert (result.outcome, result.reason, result.simulated_s) == ("complete", "all 3 pellets", 6.0)
    expected = {
        "completed": True, "all_but_one": True, "deaths": 0, "pellets_collected": 3, "completion_time_s": 3.0,
        "collisions": 1, "latched_robots": 0,
    }  # fmt: skip
    assert {name: result.values[name] for name in expected} == expected


def test_a_round_of_pacman_that_ends_in_a_death_and_a_pellet_taken_by_hand():
    the_plan = plan("pacman", **{"rules.lives": 2})
    record = GameRecord(the_plan, START)
    play(
        record,
        ("RUNNING", (0, 1, 2), 0, 2),
        ("DYING", (0, 1, 2), 0, 1),
        ("DYING", (0, 1, 2), 0, 1),
        ("RUNNING", (0, 2), 0, 1),
        ("RUNNING", (2,), 1, 1),
        ("DYING", (2,), 1, 0),
    )
    record.note_time(START + 7 * SECOND)
    assert record.over
    result = finish(record, the_plan)
    assert (result.outcome, result.reason) == ("died", "1 pellets left")
    expected = {
        "completed": False,
        "all_but_one": False,
        "deaths": 2,
        "pellets_collected": 1,
        "completion_time_s": None,
    }
    assert {name: result.values[name] for name in expected} == expected


def test_pacman_that_is_declared_complete_too_early_is_not_and_time_ends():
    the_plan = plan("pacman", duration_s=10.0)
    record = GameRecord(the_plan, START)
    play(record, ("RUNNING", (0, 1, 2), 0, 1), ("COMPLETE", (2,), 2, 1))
    result = finish(record, the_plan)
    assert (result.outcome, result.values["completed"]) == ("over", False)
    assert result.reason == "declared complete with 1 pellets left"
    record = GameRecord(the_plan, START)
    record.note_time(START + 10 * SECOND)
    assert (record.over, finish(record, the_plan).reason) == (True, "time is up")


def test_the_programs_of_pacman_are_told_what_the_scenario_says(tmp_path):
    ghosts = [{"name": "clyde", "start": [1.5, 2.0]}, {"name": "inky", "kind": "chase"}]
    the_plan = plan("pacman", **{"rules.ghosts": ghosts, "rules.pellets.spacing": 1.5, "judged_by": "localisation"})
    programs = {program.name: program for program in write_programs(Order("pacman", (), the_plan, 3), tmp_path)}
    assert set(programs) == {"pacman.tree_node", "pacman.velocity_gate", "pacman_game", "arena_simulator"}
    game, start = programs["pacman_game"].parameters, draw_world(the_plan, 3).specs[0].start
    assert game["ghosts"] == ["clyde:clyde_source:1.5:2.0", "inky:chase"]
    assert (game["pellets.spacing"], game["judged_by"], game["seed"]) == (
        1.5,
        "localisation",
        the_plan.scenario.seed + 3,
    )
    assert game["home"] == [start.x, start.y, start.yaw]
    assert programs["pacman.tree_node"].parameters["arena"] == ""


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"end.recovery": {}}, "end.recovery"), ({"bus.loss": 0.1}, "bus"), ({"variants": {"x": {}}}, "variants")],
)
def test_what_is_only_in_the_embedded_arena_is_refused(changes, key):
    scenario = load_scenario(find_scenario("wolf_rabbit"))
    check_playable(scenario)
    with pytest.raises(ConfigError) as refused:
        check_playable(apply_changes(scenario, changes))
    assert refused.value.key == key
