"""Rules and judge of wall following, by truth made by hand."""

import math
from dataclasses import replace

import pytest
from helpers.scenario_plans import planned
from helpers.walls import TICK, context, sample, seen, tick

from arena_trees.games.game import Judge
from arena_trees.games.truth import End
from arena_trees.games.wall_following.laps import Lap, LapRules
from arena_trees.games.wall_following.messages import LapPhase, LapState, StartPlace
from arena_trees.games.wall_following.rules import LapTimer
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import EMPTY
from arena_trees.trees.wall_following.game import GAME

RULES = LapRules(finish_radius=0.5)


def on_circle(turn: float, radius: float = 1.8) -> Pose2D:
    """Return a place on a clockwise way round, from the left."""
    angle = math.pi - turn
    return Pose2D(radius * math.cos(angle), radius * math.sin(angle))


def lap(turns: float, seconds: float, rules: LapRules = RULES) -> float | None:
    """Return the time (s) of a lap after so many turns round in a time (s)."""
    one = Lap(rules, on_circle(0.0), 0)
    for step in range(101):
        one.observe(round(step * seconds * SECOND / 100), on_circle(turns * math.tau * step / 100))
    return one.time_s


def test_a_lap_goes_round_and_back_and_takes_its_time():
    assert lap(1.0, 40.0) == pytest.approx(40.0, abs=2.0)
    assert lap(-1.0, 40.0) is not None
    assert lap(0.9, 40.0) is None
    assert lap(1.0, 10.0) is None
    # Whoever stays where it began, or goes away and comes back, was not round.
    assert lap(0.0, 40.0) is None
    there_and_back = Lap(RULES, on_circle(0.0), 0)
    for step, turn in enumerate([*range(0, 50), *range(50, -1, -1)]):
        there_and_back.observe(step * SECOND, on_circle(turn * math.tau / 100))
    assert there_and_back.time_s is None


def played(timer: LapTimer, seconds: float, turns: float, *names: str, contacts: tuple[str, ...] = ()) -> None:
    timer.begin(0)
    for step in range(round(seconds * 10) + 1):
        now = step * SECOND // 10
        pose = on_circle(turns * math.tau * step / (seconds * 10))
        timer.step(now, {name: sample(name, now, pose.x, pose.y, 0.0, *contacts) for name in names}, EMPTY)


def test_the_game_ends_with_the_last_lap():
    timer = LapTimer(context("r1", "r2", finish_radius=0.5))
    assert timer.state.phase is LapPhase.WAITING
    played(timer, 30.0, 1.0, "r1")
    assert timer.end is None and set(timer.state.laps_s) == {"r1"}
    timer = LapTimer(context("r1", "r2", finish_radius=0.5))
    played(timer, 30.0, 1.0, "r1", "r2")
    assert timer.end is not None and timer.end.outcome == "lap" and timer.state.phase is LapPhase.OVER


def test_time_and_a_contact_end_the_game_unless_a_contact_may_not():
    timer = LapTimer(context())
    played(timer, 1.0, 0.1, "r1", contacts=("outline_1",))
    assert timer.end == End("collided", "r1 touched outline_1", 0)
    timer = LapTimer(context(contact_ends=False))
    played(timer, 1.0, 0.1, "r1", contacts=("outline_1",))
    assert timer.end is None
    timer = LapTimer(context(duration_s=20.0))
    played(timer, 21.0, 0.5, "r1")
    assert timer.end is not None and timer.end.outcome == "over"


def judged(judge: Judge, ticks: int, x: float, **more) -> Judge:
    """Let a robot stand to the right of the block for some ticks, at a place x."""
    first = more.pop("first", 0)
    for number in range(first, first + ticks):
        now = number * TICK
        judge.observe(seen(now, sample("r1", now, x, 0.0, more.get("rate", 0.0)), ticks=(more["tick"](now),)))
    return judge


def test_the_judge_counts_time_by_the_truth_and_messages_by_the_ray():
    judge = GAME.make_judge(context())
    # 0.65 and 0.9 m from the wall; the robot's own rays say the opposite half of the time.
    judged(judge, 30, 1.65, tick=lambda now: tick("r1", now, 0.9))
    judged(judge, 10, 1.90, first=30, tick=lambda now: tick("r1", now, 0.65))
    judged(judge, 10, 1.90, first=40, tick=lambda now: tick("r1", now, None))
    values = judge.values()
    assert values["r1_correct_distance_share"] == 0.6
    assert values["r1_odometry_correct_distance_share"] == 0.25
    assert values["r1_wall_distance_m"] == pytest.approx(0.6 * 0.65 + 0.4 * 0.9)
    assert values["laps_completed"] is False and values["r1_lap_time_s"] is None


def test_no_share_of_a_wall_that_nobody_knows():
    judge = GAME.make_judge(replace(context(), arena=None))
    judged(judge, 10, 1.65, tick=lambda now: tick("r1", now, 0.65))
    values = judge.values()
    assert values["r1_correct_distance_share"] is None and values["r1_wall_distance_m"] is None
    assert values["r1_odometry_correct_distance_share"] == 1.0, "by its own ray"


@pytest.mark.parametrize(("scenario", "counted"), [("wall_chase", set()), ("wall_chase_source_scale", {"r1", "r2"})])
def test_rays_of_a_robot_whose_lidar_sees_its_follower_count_for_nothing(scenario, counted):
    judge = GAME.make_judge(planned(scenario).first_context())
    judge.observe(seen(0, sample("r1", 0, 1.0, 0.0), sample("r2", 0, 2.0, 0.0)))
    shares = {name for name in judge.values() if name.endswith("_odometry_correct_distance_share")}
    assert {name.split("_")[0] for name in shares} == counted | {"r2"}


def test_the_judge_counts_what_the_gate_took_away():
    judge = GAME.make_judge(context())
    judged(judge, 6, 1.65, tick=lambda now: tick("r1", now))
    judged(judge, 2, 1.65, first=6, tick=lambda now: tick("r1", now, reasons=("obstacle",)))
    # Without a command, or with one that stands, nothing is taken away.
    judged(judge, 9, 1.65, first=8, tick=lambda now: tick("r1", now, command=None, reasons=("no command", "no scan")))
    assert judge.values()["r1_gate_share"] == 0.25


def test_the_judge_tells_ripple_from_a_bend_and_notes_who_is_stuck():
    bend, ripple = GAME.make_judge(context()), GAME.make_judge(context())
    judged(bend, 600, 1.65, rate=0.5, tick=lambda now: tick("r1", now))
    for number in range(600):
        now = number * TICK
        rate = 0.5 if number // 5 % 2 else -0.5
        ripple.observe(seen(now, sample("r1", now, 1.65, number * 0.01, rate), ticks=(tick("r1", now),)))
    bend_values, ripple_values = bend.values(), ripple.values()
    assert bend_values["r1_heading_rate_rms"] == pytest.approx(0.5)
    assert bend_values["r1_heading_ripple_rms"] == pytest.approx(0.0, abs=1e-9)
    assert ripple_values["r1_heading_ripple_rms"] == pytest.approx(0.5, abs=0.02)
    assert bend_values["r1_stuck_count"] == 1 and ripple_values["r1_stuck_count"] == 0


def test_the_judge_measures_no_longer_than_the_lap_lasts():
    judge = GAME.make_judge(context(isolated=True, finish_radius=0.5))
    for step in range(1, 1101):
        now = step * TICK
        pose = on_circle(math.tau * step / 1000, 1.65)
        judge.observe(seen(now, sample("r1", now, pose.x, pose.y), ticks=(tick("r1", now),)))
        if judge.over:
            break
    values = judge.values()
    assert judge.outcome == "lap" and values["laps_completed"] is True
    assert values["r1_lap_time_s"] == pytest.approx(19.5, abs=0.6)
    assert [mark.label for mark in judge.marks()] == ["r1: lap"]
    assert judge.shapes() and judge.charts()


def test_the_place_where_a_lap_ends_is_drawn_with_its_time():
    start = StartPlace(x=1.0, y=2.0, radius=0.5)
    running = LapState(phase=LapPhase.RUNNING, laps_s={}, starts={"r1": start})
    over = LapState(phase=LapPhase.OVER, laps_s={"r1": 30.0}, starts={"r1": start})
    assert len(GAME.shapes(running)) == 1 and len(GAME.shapes(over)) == 2
