"""The wall follower's leaves and trees, by percepts made by hand."""

import math

import pytest
from helpers.tree_bench import TreeBench
from py_trees.common import Status

from arena_trees.behaviours.wall_following.follow import FollowCurve, LapsOver
from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.behaviours.wall_following.sense import FitWall
from arena_trees.games.wall_following.messages import LapPhase, LapState
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wall_following import wall_follower
from arena_trees.world.body import TURTLEBOT4

WALL = [(x / 20.0, -0.65) for x in range(-40, 41)]


def live(**values) -> Live:
    return Live(WallFollowerParameters(**values))


def hear(bench: TreeBench, phase: LapPhase) -> None:
    state = LapState(phase=phase, laps_s={}, starts={})
    bench.put(inbox=Inbox({LapState: {"rules": Received(state, "rules", 0, 1, bench.now, bench.now)}}, 1))


def test_the_tree_drives_once_scans_have_come_for_a_while_and_stands_when_they_cease():
    bench = TreeBench().set_up(wall_follower.create_root("robot", live(), RandomStreams(1)))
    driven = []
    for number in range(60):
        if number < 30:
            bench.points(*WALL).odometry()
        driven.append(bench.tick().command or (0.0, 0.0))
    assert max(speed for speed, _ in driven[:14]) == 0.0
    assert min(speed for speed, _ in driven[16:50]) > 0.25
    # The newest scan is half a second old by then.
    assert max(speed for speed, _ in driven[56:]) == 0.0


def test_it_stands_once_the_game_is_over():
    bench = TreeBench().set_up(LapsOver("over", "robot"))
    for phase, status in ((LapPhase.RUNNING, Status.FAILURE), (LapPhase.OVER, Status.SUCCESS)):
        hear(bench, phase)
        assert bench.tick().status is status


def test_between_two_scans_the_wall_is_carried_on_by_odometry():
    bench = TreeBench()
    fit = FitWall("fit", "robot", live())
    bench.set_up(fit).points(*WALL).odometry().put(rays=object())
    bench.tick()
    assert bench.get("wall").distance == pytest.approx(0.65, abs=0.01)
    bench.odometry(0.0, -0.2, 0.1).tick()
    assert bench.get("wall").distance == pytest.approx(0.45, abs=0.01)
    assert bench.get("wall").bearing == pytest.approx(-math.pi / 2.0 - 0.1, abs=0.03)


def test_without_a_wall_it_does_nothing():
    bench = TreeBench()
    fit, follow = FitWall("fit", "robot", live()), FollowCurve("follow", "robot", live(), TURTLEBOT4)
    bench.set_up(fit).points().odometry().put(rays=object())
    bench.tick()
    assert bench.get("wall").distance is None
    assert bench.set_up(follow).tick().status is Status.FAILURE


@pytest.mark.parametrize("law", ["rules", "pd", "pid", "subsumption"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_laws_of_the_report_turn_away_from_what_is_ahead_whichever_side_the_wall_is_on(law, side):
    parameters = live(strategy="source", law=law, side=side)
    bench = TreeBench().set_up(wall_follower.create_root("robot", parameters, RandomStreams(1)))
    sign = -1.0 if side == "right" else 1.0
    ahead = [(0.4, y / 20.0) for y in range(-20, 21)]
    for _ in range(20):
        bench.points(*ahead, *((x, sign * -y) for x, y in WALL)).odometry()
        outcome = bench.tick()
    assert outcome.command is not None and outcome.command[1] * -sign > 0.5
