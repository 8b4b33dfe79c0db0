"""The rules of a crossing: their scheduler, what people may tell it, its lives, and equal answers to equal inputs."""

from typing import Any

import pytest
from helpers.crossing_words import claim, heard

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.messages import Approach, Crossing, SchedulerState, Stage, Turn
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.rules import CrossingRules
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.game import Carry, GameContext, Player, SwitchOff
from arena_trees.games.truth import TruthSample
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import EMPTY, Inbox
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.crossing.plan import CrossingParameters

ROBOTS = ("robot_1", "robot_2")
LONG = from_seconds(13.0)


def made(**rules: Any) -> CrossingRules:
    road = CrossingParameters(size=3.0)
    players = {name: Player(name, "crosser", CrosserParameters(plan=road)) for name in ROBOTS}
    wanted = CrossroadsRules(sensing="lidar", roster=False, plan=road).with_changes(rules)
    return CrossingRules(GameContext(wanted, players, 60.0, RandomStreams(0)))


def said(stage: Stage = Stage.WAITING, sequence: int = 1, **more: Any) -> Inbox:
    word = claim("robot_1", Approach.SOUTH, Turn.STRAIGHT, stage, first=True, sequence=sequence, **more)
    return Inbox(received=(heard(word, "robot_1", sequence=sequence),))


def opened(**rules: Any) -> CrossingRules:
    """Return rules whose scheduler has listened for long enough."""
    game = made(**rules)
    game.begin(0)
    game.step(0, {}, EMPTY)
    game.step(LONG, {}, EMPTY)
    return game


def test_the_scheduler_begins_by_itself_and_lets_a_robot_in():
    game = made()
    (reported,) = game.step(0, {}, EMPTY)
    assert isinstance(reported, Crossing)
    assert (reported.state, reported.epoch) == (SchedulerState.REBUILDING, 1)
    assert game.state is reported
    game.step(LONG, {}, EMPTY)
    (reported,) = game.step(LONG + SECOND, {}, said())
    assert isinstance(reported, Crossing)
    assert [holder.robot for holder in reported.holders] == ["robot_1"]
    assert game.diagnostics(LONG + SECOND)[:2] == (True, "OPEN")


def test_each_life_has_a_higher_number_also_after_the_one_that_its_host_gives():
    game = made()
    lives = []
    for epoch in (0, 5000, 0):
        game.epoch = epoch
        game.begin(0)
        lives.append(game.scheduler.epoch)
    assert lives == [1, 5000, 5001]


def test_stopped_they_let_nobody_in_until_they_begin_again():
    game = opened()
    game.stop(LONG, "stopped by a person")
    assert list(game.step(LONG + SECOND, {}, said())) == []
    assert game.end.reason == "stopped by a person"
    game.begin(LONG + SECOND)
    assert game.end is None
    assert list(game.step(LONG + SECOND, {}, EMPTY))


def test_people_tell_who_is_away():
    game = opened()
    game.step(LONG + SECOND, {}, said())
    game.step(LONG + SECOND, {}, said(Stage.PASSING, 2, progress=0.5))
    later = 10 * LONG
    assert game.diagnostics(later)[:2] == (False, "OPEN, silent inside: robot_1")
    assert game.controls["seen_clear"](later) == "seen to be away: robot_1"
    assert game.controls["seen_clear"](later) == "nobody in the crossing is silent"
    game.step(later, {}, said(Stage.WAITING, 3, request=2))
    with pytest.raises(ArenaTreesError, match="lease"):
        game.settings["seen_clear"](later, "robot_1")
    assert game.settings["seen_clear"](2 * later, "robot_1") == "robot_1 was seen to be away"
    for nobody in (None, 7, ""):
        with pytest.raises(ArenaTreesError, match="name of a robot"):
            game.settings["seen_clear"](later, nobody)


def test_document_003_knows_nobody_who_is_away():
    game = opened(protocol="source")
    with pytest.raises(ArenaTreesError, match="waits for ever"):
        game.settings["seen_clear"](LONG, "robot_1")


def test_who_dies_is_switched_off_and_carried_away_later():
    game = made(deaths=[{"dies": "robot", "robot": "robot_1", "for_s": 2.0}, {"dies": "scheduler", "at_s": 5.0}])
    truth = {name: TruthSample(name, 0, Pose2D(0.3, -2.0 - k)) for k, name in enumerate(ROBOTS)}
    game.begin(0)
    assert [type(one) for one in game.step(0, truth, said())] == [SwitchOff, Crossing]
    assert all(isinstance(one, Crossing) for one in game.step(SECOND, truth, EMPTY))
    carry = next(iter(game.step(2 * SECOND, truth, EMPTY)))
    assert isinstance(carry, Carry)
    assert carry.robot == "robot_1"
    assert min(abs(carry.pose.x), abs(carry.pose.y)) > 1.0
    assert isinstance(game.scheduler, CrossingScheduler)
    assert list(game.step(5 * SECOND, truth, EMPTY)) == []
    assert game.scheduler is None
    assert game.diagnostics(5 * SECOND)[:2] == (False, "no scheduler")


def test_equal_inputs_give_equal_answers():
    games = made(), made()
    for tick in range(100):
        now = tick * SECOND // 5
        inbox = said(sequence=tick + 1) if tick % 3 == 0 else EMPTY
        answers = [list(game.step(now, {}, inbox)) for game in games]
        assert answers[0] == answers[1]
