"""What is seen of a game from outside becomes the result that the embedded arena would write."""

import pytest
from helpers.scenario_plans import planned

from arena_trees.experiments.plan import draw_world
from arena_trees.experiments.trial import run_trial
from arena_trees.games.pursuit.blackboard import QUARRY, RECKONED, Quarry
from arena_trees.games.truth import End
from arena_trees.recording.judging.observed_game import ObservedGame
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D, wrap
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Tracking
from arena_trees.robot.plain_values import plain_value
from arena_trees.robot.ports import GateDecision
from arena_trees.robot.ros_messages.gate_decisions import RecordedDecision
from arena_trees.robot.timing import TICK
from arena_trees.sensors.turret.sensor import TurretState

START = 5 * SECOND
EVERY = 2 * TICK


def plan(scenario="wolf_rabbit_open", **changes):
    return planned(scenario, **changes)


def observed(the_plan, start=START):
    world = draw_world(the_plan, 0)
    starts = {spec.name: spec.start for spec in world.specs}
    return ObservedGame(the_plan.game, the_plan.context(0, starts), start, 0, world.layout)


def watched(the_plan):
    """Return an observed game, and the list of what its judge sees."""
    game, seen = observed(the_plan), []
    game._judge.observe = seen.append
    return game, seen


def state(now, phase, verdicts, number=1):
    values = {
        "round": number,
        "rabbit_alive": phase != "CAPTURED",
        "inside_wolf_territory": True,
        "rabbit_escaped": False,
    }
    return Message("game", "referee", 1, 1, now, {"phase": phase, "verdicts": verdicts, **values})


def put(game, now, distance, speed=0.0):
    game.note_truth("wolf", now, Pose2D(0.0, 0.0, 0.0), Twist2D(speed, 0.0))
    game.note_truth("rabbit", now, Pose2D(distance, 0.0, 0.0), Twist2D())
    game.note_time(now)


def stay(game, begin_s, end_s, distance, speed=0.0):
    """Let the robots be so far from each other between two times since the start, the second left out."""
    for now in range(START + round(begin_s * SECOND), START + round(end_s * SECOND), EVERY):
        put(game, now, distance, speed)


def later(game, now):
    """Let so much time go by that what was seen is judged."""
    game.note_time(now + SECOND // 2)


def tick(now, active="Chase the rabbit", number=0, **values):
    return Tick(now, b"", active, number=number, **values)


def test_a_catch():
    the_plan = plan()
    game = observed(the_plan)
    put(game, START - SECOND, 1.9)
    game.note_end(End("", "nobody has begun it", 0))
    game.note_message(state(START - SECOND, "CAPTURED", {"9": True}))
    game.note_message(state(START + SECOND // 50, "CAPTURED", {"9": True}, 0))
    game.note_message(state(START + SECOND, "ACTIVE", {"1": False}))
    game.note_tick("wolf", tick(START + SECOND, cues=("LOST",)))
    stay(game, 0.0, 2.0, 1.0, speed=0.3)
    game.note_message(state(START + 2 * SECOND, "CAPTURED", {"1": False, "2": True}))
    game.note_end(End("caught", "claim 2 at 0.50 m", START + 2 * SECOND))
    game.note_tick("wolf", tick(START + 2 * SECOND, "Rejoice"))
    stay(game, 2.0, 2.21, 0.5, speed=0.3)
    stay(game, 2.24, 3.2, 0.5)
    game.note_contacts(START + 3 * SECOND + 1, [("wolf", "box_1")])
    game.note_contacts(START + 3 * SECOND + 2, [])
    stay(game, 3.2, 3.52, 0.5)
    assert not game.over, "what was seen last may still lack its messages"
    later(game, START + 4 * SECOND)
    assert game.over
    result = game.result(2.0)
    assert (result.outcome, result.reason, result.seed) == ("caught", "claim 2 at 0.50 m", the_plan.scenario.seed)
    assert result.simulated_s == 3.56
    expected = {
        "caught": True, "time_to_catch_s": 2.0, "game_time_s": 2.0, "catch_true_distance_m": 0.5,
        "catch_false_count": 1, "stop_after_catch_s": 0.2, "lost_events": 1, "collisions": 1, "robot_contacts": 0,
        "latched_robots": 0, "real_time_factor": 1.78, "wolf_breaches": 0,
    }  # fmt: skip
    assert {name: result.values[name] for name in expected} == expected
    way = result.trajectories["wolf"]
    assert (way.time[0], way.active[0], way.active[30], way.active[-1]) == (0.0, "", "Chase the rabbit", "")
    assert [one.event for one in result.shown] == ["LOST"]


def test_the_last_states_of_an_earlier_round_are_no_catch():
    """A wolf whose tree was built anew counts its claims from 1 again, so that a catch may change no verdict."""
    game = observed(plan())
    game.note_message(state(START, "CAPTURED", {"1": True}, 1))
    game.note_message(state(START + SECOND, "ACTIVE", {"1": True}, 2))
    game.note_message(state(START + 3 * SECOND, "CAPTURED", {"1": True}, 2))
    game.note_end(End("caught", "claim 1 at 0.50 m", START + 3 * SECOND))
    stay(game, 0.0, 5.0, 0.5)
    later(game, START + 5 * SECOND)
    result = game.result()
    assert (result.values["time_to_catch_s"], result.outcome) == (3.0, "caught")


def test_each_shot_is_judged_once_and_by_where_turrets_pointed_then():
    game, seen = watched(plan())
    for number in range(5):
        now = START + number * EVERY
        game.note_turret("wolf", TurretState(now, now, 0, 0.1 * number, 0.0))
        game.note_truth("wolf", now, Pose2D(0.1 * number), Twist2D(2.5, 0.0))
        game.note_truth("rabbit", now, Pose2D(1.0, 0.0, 3.1 + 0.02 * number), Twist2D())
        if number == 2:
            game.note_time(now + SECOND // 50)
            game.note_shot("wolf")
    later(game, START + 4 * EVERY - SECOND // 5)
    wolf, rabbit = ([one.truth[name] for one in seen] for name in ("wolf", "rabbit"))
    assert [sample.fired for sample in wolf] == [False, False, False, True, False, False]
    assert not any(sample.fired for sample in rabbit)
    assert [sample.turret[0] for sample in wolf] == pytest.approx([0.0, 0.1, 0.2, 0.25, 0.3, 0.4])
    assert {sample.turret for sample in rabbit} == {None}
    assert {sample.twist.linear for sample in wolf} == {2.5}
    shot = seen[3]
    assert (shot.now, shot.step) == (SECOND // 10, 0), "between two instants of the truth, at the shot's own"
    assert wolf[3].pose.x == pytest.approx(0.25), "where the robot was when it fired, not before or after"
    assert wrap(rabbit[3].pose.yaw - 3.15) == pytest.approx(0.0, abs=1e-9), "across the turn from pi to -pi"
    assert sum(one.step for one in seen) == 5 * EVERY


def test_estimates_are_those_of_the_newest_tick_until_the_tree_is_silent():
    the_plan = plan("pursuit_empty")
    game, seen = watched(the_plan)
    quarry = Quarry(1.0 / 3.0, -2.0, 0.1, 0.0, 0.05, 2.1, 0.02, -0.3, 7, True)
    board = {QUARRY: plain_value(quarry), RECKONED: [0.1, 0.2, 0.3], "other": 1}
    game.note_tick("chaser", tick(START + EVERY, blackboard=board))
    game.note_tick("chaser", tick(START + 2 * EVERY, blackboard={QUARRY: {"x": 1.0}}))
    for number in range(25):
        now = START + number * EVERY
        game.note_truth("chaser", now, Pose2D(), Twist2D())
        game.note_time(now)
    later(game, START + SECOND)
    boards = [one.ticks["chaser"].blackboard if "chaser" in one.ticks else None for one in seen]
    assert boards[0] is None and "evader" not in seen[0].ticks
    assert boards[1] == {QUARRY: Quarry(*(0.333333, *list(vars_of(quarry))[1:])), RECKONED: Pose2D(0.1, 0.2, 0.3)}
    assert boards[2:14] == [{RECKONED: Pose2D(0.1, 0.2, 0.3)}] * 12, "what is none of the type is none"
    assert boards[15:25] == [None] * 10


def vars_of(value):
    return (getattr(value, name) for name in type(value).__dataclass_fields__)


def test_the_chase_is_measured_and_what_the_gate_took_away_is_known():
    game, seen = watched(plan())
    taken = GateDecision(ZERO, ("scan_timeout",), None)
    chase = Tracking("chase", 100.0, 110.0, 0.0, 120.0, 250, 10.0, None)
    for number in range(50):
        now = START + number * TICK
        game.note_tick("wolf", tick(now, number=number, command=Twist2D(0.2, 0.0), tracking=chase, cues=("SEEN",)))
        if number == 26:
            game.note_decision("wolf", RecordedDecision(START + 12 * EVERY, taken))
        if number % 2 == 0:
            put(game, now, 1.0)
    later(game, START + SECOND - EVERY)
    ticks = [one.ticks["wolf"] for one in seen[:24]]
    assert {one.tracking for one in ticks} == {chase}
    assert [one.reasons for one in ticks] == [()] * 12 + [("scan_timeout",)] * 12
    assert sum(len(one.cues) for one in ticks) == 47, "every cue once, of ticks that no observation falls on as well"


def test_a_survivor_a_breach_and_a_latched_robot():
    game = observed(plan())
    stay(game, 0.0, 2.0, 1.0)
    stay(game, 2.0, 179.0, 2.5)
    game.note_fault("rabbit", "latched: tree died while moving")
    game.note_message(state(START + 179 * SECOND, "SURVIVED", {}))
    game.note_end(End("survived", "time is up", START + 179 * SECOND))
    stay(game, 179.0, 179.2, 2.5)
    later(game, START + 179 * SECOND)
    result = game.result(2.0)
    assert game.over
    assert (result.outcome, result.values["caught"], result.values["time_to_catch_s"]) == ("survived", False, None)
    assert (result.values["game_time_s"], result.values["rabbit_breaches"]) == (180.0, 1)
    assert (result.values["latched_robots"], dict(result.faults)) == (1, {"rabbit": "latched: tree died while moving"})


def test_an_isolated_game_is_judged_by_what_the_wolf_itself_takes_for_a_catch():
    game = observed(plan(isolated=True, duration_s=10.0))
    game.note_tick("wolf", tick(START + SECOND, cues=("CATCH",)))
    game.note_tick("wolf", tick(START + 3 * SECOND, cues=("CATCH",)))
    stay(game, 0.0, 2.0, 1.5)
    stay(game, 2.0, 10.0, 0.5)
    assert not game.over
    later(game, START + 10 * SECOND)
    result = game.result()
    assert game.over
    assert (result.outcome, result.values["catch_false_count"]) == ("caught", 1)
    assert result.values["catch_true_distance_m"] == 0.5
    assert result.values["real_time_factor"] is None


def test_a_truth_that_falls_silent_ends_the_trial_too():
    game = observed(plan(duration_s=10.0))
    stay(game, 0.0, 2.0, 1.0)
    game.note_time(START + 19 * SECOND)
    assert not game.over
    game.note_time(START + 20 * SECOND)
    assert game.over
    assert (game.outcome, game.result(2.0).reason) == ("over", "nothing ended the trial")


def test_a_robot_that_is_not_seen_for_a_while_is_not_in_the_truth():
    game, seen = watched(plan())
    for number in range(50):
        now = START + number * EVERY
        if not 10 <= number < 15 and not 25 <= number < 45:
            game.note_truth("wolf", now, Pose2D(0.01 * number), Twist2D())
        game.note_truth("rabbit", now, Pose2D(1.0), Twist2D())
        game.note_time(now)
    later(game, START + 49 * EVERY - SECOND // 5)
    assert len(seen) == 50 and all("rabbit" in one.truth for one in seen)
    missing = [number for number, one in enumerate(seen) if "wolf" not in one.truth]
    assert missing == list(range(32, 45)), "0.2 s are bridged; in 0.8 s it is carried on for 0.3 s"
    assert seen[12].truth["wolf"].pose.x == pytest.approx(0.12)


@pytest.mark.parametrize("name", ["wolf_rabbit_open", "pacman", "crossroads_lidar"])
def test_names_are_those_of_the_embedded_arena(name):
    the_plan = plan(name, duration_s=1.0)
    game = observed(the_plan, 0)
    for spec in draw_world(the_plan, 0).specs:
        game.note_truth(spec.name, SECOND // 2, spec.start, Twist2D())
    later(game, SECOND)
    assert set(game.result(2.0).values) <= set(run_trial(the_plan, 0).values)


def test_what_cannot_be_read_is_no_state():
    game, seen = watched(plan())
    game.note_message(Message("game", "referee", 1, 1, START, {"phase": "FLYING"}))
    put(game, START, 1.0)
    later(game, START)
    assert seen and {one.state for one in seen} == {None}
