"""The Crossroads report's scheduler: one at a time, in order."""

from helpers.crossing_model import PLAN
from helpers.scheduler_desk import Desk

from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Approach, Stage, Turn
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.source_scheduler import SourceScheduler
from arena_trees.robot.clock import from_seconds

S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST
STRAIGHT, RIGHT, LEFT = Turn.STRAIGHT, Turn.RIGHT, Turn.LEFT
TIMES = ProtocolParameters()


def test_the_source_lets_one_in_at_a_time_in_order_and_a_third_is_not_forgotten():
    desk = Desk(SourceScheduler)
    for robot, approach in (("a", S), ("b", N), ("c", E)):
        assert desk.hear(desk.say(robot, approach, STRAIGHT)) == {"a"}
    outside = PLAN.movements[Key(S, STRAIGHT)].outside
    assert desk.hear(desk.say("a", S, STRAIGHT, Stage.PASSING, progress=outside - 0.01)) == {"a"}
    assert desk.hear(desk.say("a", S, STRAIGHT, Stage.PASSING, progress=outside)) == {"b"}
    assert desk.hear(desk.say("b", N, STRAIGHT, Stage.LEFT)) == {"c"}


def test_the_source_queues_nobody_behind_another_one_and_is_blocked_for_good_by_a_death_inside():
    desk = Desk(SourceScheduler)
    assert desk.hear(desk.say("behind", S, LEFT, first=False)) == set()
    assert desk.hear(desk.say("ahead", S, STRAIGHT)) == {"ahead"}
    assert desk.hear(desk.say("behind", S, LEFT)) == {"ahead"}
    desk = Desk(SourceScheduler)
    desk.hear(desk.say("a", S, STRAIGHT), desk.say("b", N, STRAIGHT))
    assert desk.hear(after=3600.0) == {"a"}


def test_the_reports_scheduler_acknowledges_at_once_who_has_left():
    desk = Desk(SourceScheduler)
    assert desk.hear(desk.say("a", S, STRAIGHT)) == {"a"}
    desk.now += from_seconds(0.02)
    state = desk.scheduler.step(desk.now, [desk.say("a", S, STRAIGHT, Stage.LEFT)])
    assert [done.robot for done in state.done] == ["a"]


def test_the_reports_scheduler_repeats_its_state_at_its_period():
    scheduler = SourceScheduler("s", 1, PLAN)
    told = [tick for tick in range(51) if scheduler.step(from_seconds(0.02 * tick), []) is not None]
    every = round(TIMES.publish_period / 0.02)
    assert told == list(range(0, 51, every))


def test_the_reports_scheduler_publishes_at_once_whom_it_lets_in():
    desk = Desk(SourceScheduler)
    desk.now += from_seconds(0.02)
    state = desk.scheduler.step(desk.now, [desk.say("a", S, STRAIGHT)])
    assert [holder.robot for holder in state.holders] == ["a"]
    assert desk.scheduler.step(desk.now + from_seconds(0.02), []) is None
