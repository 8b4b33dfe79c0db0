"""A robot between two crossings in a row: which route it begins, which box it watches, what it does not wait for."""

import math

import pytest
from helpers.crosser_bench import CrosserBench
from helpers.crossing_words import crossing as said
from helpers.crossing_words import heard, holder
from helpers.scans import scan_of_points
from py_trees.common import Status

from arena_trees.behaviours.crossroads import drive
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.behaviours.crossroads.scheduling import TalkToScheduler
from arena_trees.behaviours.crossroads.senses import FindPlace, WatchBox
from arena_trees.games.crossroads.layout.plan import CrossingParameters, plan_of
from arena_trees.games.crossroads.layout.round import rounds_of
from arena_trees.games.crossroads.layout.words import Approach, Key, Turn
from arena_trees.games.crossroads.messages import Crossing
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.random_streams import RandomStreams

ROW = CrossingParameters(crossings=2, size=3.0)
EASTWARD = Key(Approach.WEST, Turn.STRAIGHT)
STREAMS = RandomStreams(1)


def row(**values: object) -> CrosserBench:
    return CrosserBench(plan=ROW, **values)


@pytest.mark.parametrize(
    ("where", "feedback"),
    [
        (Pose2D(-4.5, -0.3, 0.0), "west right"),
        (Pose2D(-1.5, -0.3, 0.0), "west 2 right"),
        (Pose2D(1.5, -0.3, 0.0), "west 2 right"),
        (Pose2D(1.5, 0.3, math.pi), "east right"),
        (Pose2D(3.3, -1.5, math.pi / 2.0), "south 2 right"),
        (Pose2D(-3.0, -0.3, 0.0), "on no lane"),
        (Pose2D(0.0, 0.0, math.pi / 2.0), "on no lane"),
    ],
)
def test_find_place_begins_the_route_of_the_lane_to_the_next_crossing(where: Pose2D, feedback: str) -> None:
    bench = row(movement="right")
    bench.set_up(FindPlace("Find its place", "robot", bench.live, RouteChooser(bench.live, STREAMS)))
    bench.odometry()
    bench.pose(where.x, where.y, where.yaw)
    assert bench.tick().feedback == feedback


def test_on_a_link_nobody_pauses_or_turns_round() -> None:
    bench = row(pause_s=60.0)
    bench.set_up(drive.PauseAtEnd("Pause", "robot", bench.live, STREAMS))
    path = bench.on(EASTWARD, rounds_of(ROW)[EASTWARD].turning - 0.02)
    assert bench.tick().status is Status.SUCCESS
    assert path.pose(path.end).x == pytest.approx(0.0)


def test_the_next_round_leads_to_the_next_crossing() -> None:
    bench = row(movement="left")
    bench.set_up(drive.BeginRound("Begin", "robot", bench.live, RouteChooser(bench.live, STREAMS)))
    bench.on(EASTWARD, rounds_of(ROW)[EASTWARD].end, speed=0.29)
    outcome = bench.tick()
    assert (outcome.status, outcome.feedback) == (Status.SUCCESS, "west 2 left")
    assert bench.get("next_route").key == Key(Approach.WEST, Turn.LEFT, 1)
    assert outcome.command[0] == pytest.approx(bench.parameters.cruise_speed)


def test_it_asks_for_the_crossing_of_its_route() -> None:
    bench = row()
    bench.set_up(TalkToScheduler("Talk", "robot", bench.live, asks_early=True))
    bench.on(Key(Approach.WEST, Turn.LEFT, 1), -0.3)
    (said,) = bench.tick().outbox
    assert (said.crossing, said.key) == (1, Key(Approach.WEST, Turn.LEFT, 1))


@pytest.mark.parametrize(("crossing", "held", "stranger"), [(0, 0, False), (1, 0, True), (1, 1, False)])
def test_it_watches_the_box_before_which_it_is(crossing: int, held: int, stranger: bool) -> None:
    bench = row()
    bench.set_up(WatchBox("Watch the box", "robot", bench.live))
    bench.on(Key(Approach.WEST, Turn.STRAIGHT, crossing), -0.3)
    path = plan_of(ROW).movements[Key(Approach.SOUTH, Turn.STRAIGHT, held)].path
    along = next(0.05 * step for step in range(100) if path.pose(0.05 * step).y >= 0.0)
    lease = holder("other", Approach.SOUTH, Turn.STRAIGHT, 1, progress=along, crossing=held)
    state = heard(said("scheduler", holders=(lease,)), "scheduler", bench.now)
    bench.put(inbox=Inbox({Crossing: {"scheduler": state}}, 1, (state,)))
    seen = [(3.3 + 0.05 * number, 0.3) for number in range(-2, 3)]
    bench.put(scan_pose=Pose2D(0.0, -0.3, 0.0), scan=scan_of_points(seen, bench.now))
    bench.tick()
    assert bench.get("stranger") is stranger
