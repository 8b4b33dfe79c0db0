"""Leaves that drive along the route, each by hand-made places: how far they go, what they write, when they end."""

from typing import Any

import pytest
from helpers.crosser_bench import ROUNDS, CrosserBench
from py_trees.common import Status

from arena_trees.behaviours.crossroads import drive
from arena_trees.behaviours.crossroads.following import braking_distance, free_distance, is_first, near_line, speed_for
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.games.crossroads.layout.words import Key, LaneKey
from arena_trees.games.crossroads.messages import Approach, Turn
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams

STREAMS = RandomStreams(1)


def driving(leaf: type, *more: Any, **values: Any) -> CrosserBench:
    bench = CrosserBench(**values)
    bench.set_up(leaf("Drive", "robot", bench.live, *more))
    return bench


def test_approach_line_drives_and_stands_at_its_place() -> None:
    bench = driving(drive.ApproachLine)
    bench.at(-1.0)
    assert bench.tick().command == (bench.parameters.cruise_speed, pytest.approx(0.0))
    bench.at(0.001)
    outcome = bench.tick()
    assert (outcome.status, outcome.command) == (Status.RUNNING, (0.0, 0.0))
    assert bench.get("halted") is None


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_it_steers_back_to_the_path(side: float) -> None:
    bench = driving(drive.ApproachLine)
    bench.at(-1.0, aside=0.05 * side)
    command = bench.tick().command
    assert command[1] * side < -0.05


def test_it_stands_behind_what_is_ahead() -> None:
    bench = driving(drive.ApproachLine)
    bench.at(-1.0)
    plan = bench.parameters.plan
    bench.put(lead_progress=-1.0 + plan.follow_gap - plan.robot_radius)
    assert bench.tick().command == (0.0, 0.0)
    bench.put(lead_progress=0.0)
    assert bench.tick().command > (0.0, 0.0)


def test_without_a_route_nothing_is_driven() -> None:
    bench = driving(drive.DriveOut)
    outcome = bench.tick()
    assert (outcome.status, outcome.command, outcome.feedback) == (Status.FAILURE, None, "on no lane")


@pytest.mark.parametrize("turn", list(Turn))
def test_cross_ends_where_the_next_one_fits_behind_it(turn: Turn) -> None:
    bench = driving(drive.Cross)
    path = bench.at(0.3, turn)
    outcome = bench.tick()
    assert (outcome.status, outcome.feedback, bench.get("left")) == (Status.RUNNING, f"south {turn.value}", None)
    bench.at(path.movement.length + bench.parameters.place_margin + 0.001, turn, lap=7)
    outcome = bench.tick()
    assert (outcome.status, bench.get("left")) == (Status.SUCCESS, 7)
    bench.set_up(bench.root)  # type: ignore[arg-type]
    assert bench.get("left") is None


def test_drive_out_ends_where_it_can_brake_for_the_turn() -> None:
    bench = driving(drive.DriveOut)
    path = ROUNDS[Key(Approach.SOUTH, Turn.STRAIGHT)]
    end = path.turning - braking_distance(0.29, bench.parameters)
    bench.at(end - 0.05, speed=0.29)
    assert bench.tick().status is Status.RUNNING
    bench.at(end, speed=0.29)
    assert bench.tick().status is Status.SUCCESS


def test_pause_at_end_waits_as_long_as_drawn() -> None:
    bench = driving(drive.PauseAtEnd, STREAMS, pause_s=2.0)
    bench.at(ROUNDS[Key(Approach.SOUTH, Turn.STRAIGHT)].turning)
    drawn = float(STREAMS.generator("pauses").exponential(2.0))
    began = bench.now
    while bench.tick().status is Status.RUNNING:
        assert bench.now - began < from_seconds(drawn + 0.1)
    assert (bench.now - began) / 1e9 == pytest.approx(drawn, abs=0.05)


@pytest.mark.parametrize(("pause_s", "beyond"), [(0.0, 0.0), (5.0, 0.05)])
def test_pause_at_end_is_over_at_once(pause_s: float, beyond: float) -> None:
    bench = driving(drive.PauseAtEnd, STREAMS, pause_s=pause_s)
    bench.at(ROUNDS[Key(Approach.SOUTH, Turn.STRAIGHT)].turning + beyond)
    assert bench.tick().status is Status.SUCCESS


def test_turn_round_follows_the_half_circle_to_its_end() -> None:
    bench = driving(drive.TurnRound)
    path = bench.at(ROUNDS[Key(Approach.SOUTH, Turn.STRAIGHT)].turning + 0.2)
    outcome = bench.tick()
    assert outcome.status is Status.RUNNING
    assert outcome.command[1] > 0.3
    bench.at(path.end - 0.01)
    assert bench.tick().status is Status.SUCCESS


def test_begin_round_chooses_the_next_route() -> None:
    bench = CrosserBench(movement="left")
    bench.set_up(drive.BeginRound("Begin", "robot", bench.live, RouteChooser(bench.live, STREAMS)))
    path = bench.at(ROUNDS[Key(Approach.SOUTH, Turn.STRAIGHT)].end)
    bench.put(lead_progress=path.end)
    outcome = bench.tick()
    route = bench.get("next_route")
    assert (outcome.status, outcome.feedback) == (Status.SUCCESS, "north left")
    assert (route.lap, route.approach, route.turn, route.begun) == (
        4,
        Approach.NORTH,
        Turn.LEFT,
        bench.now - 20_000_000,
    )
    assert route.start == pytest.approx(ROUNDS[Key(Approach.NORTH, Turn.LEFT)].begin, abs=1e-6)
    # What was ahead on the old route is not ahead on the new one.
    assert outcome.command > (0.0, -1.0)


def test_begin_round_needs_a_pose() -> None:
    bench = CrosserBench()
    bench.set_up(drive.BeginRound("Begin", "robot", bench.live, RouteChooser(bench.live, STREAMS)))
    bench.at(1.0)
    bench.put(progress=type(bench.get("progress"))(1.0, 0.0))
    assert bench.tick().status is Status.FAILURE
    assert bench.get("next_route") is None


def test_the_chooser_draws_the_same_again_after_a_reset() -> None:
    chooser = RouteChooser(CrosserBench().live, STREAMS)

    def draw() -> list[Turn]:
        return [chooser.begin(lap, LaneKey(Approach.SOUTH), Pose2D(0.3, -2.0, 1.57), 0).turn for lap in range(20)]

    drawn = draw()
    assert set(drawn) == set(Turn)
    chooser.reset()
    assert draw() == drawn


def test_what_is_ahead_and_how_near_the_line_is() -> None:
    bench = CrosserBench()
    p = bench.parameters
    assert free_distance(1.0, None, p) == float("inf")
    assert free_distance(1.0, 2.0, p) == pytest.approx(1.0 + p.plan.robot_radius - p.plan.follow_gap)
    assert is_first(-0.4, None, p)
    assert is_first(-0.4, 0.0, p)
    assert not is_first(-0.4, -0.2, p)
    assert not is_first(-0.6, None, p)
    bench.at(-0.3, speed=0.29)
    assert not near_line(bench.get("progress"), p)
    bench.at(-0.1, speed=0.29)
    assert near_line(bench.get("progress"), p)


def test_speed_is_what_bends_and_room_allow() -> None:
    bench = CrosserBench()
    p = bench.parameters
    path = bench.at(-1.0, Turn.RIGHT, speed=0.29)
    straight = speed_for(path, bench.get("progress"), 5.0, p)
    assert straight == p.cruise_speed
    assert speed_for(path, bench.get("progress"), 0.0, p) == 0.0
    short = speed_for(path, bench.get("progress"), 0.05, p)
    assert braking_distance(short, p) == pytest.approx(0.05)
    bench.at(0.6, Turn.RIGHT, speed=0.29)
    assert speed_for(path, bench.get("progress"), 5.0, p) < straight
