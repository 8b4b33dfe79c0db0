"""Who may go past whom at a crossing: not for longer than the courtesy, not past the old, past those shut out."""

import pytest
from helpers.crossing_model import PLAN
from helpers.crossing_words import claim

from arena_trees.games.crossroads.layout.plan import Key
from arena_trees.games.crossroads.messages import Approach, Stage, Turn
from arena_trees.games.crossroads.scheduling.forecast import Forecast, follows_from
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.robot_table import RequestRecord
from arena_trees.robot.clock import from_seconds

S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST
STRAIGHT, RIGHT, LEFT = Turn.STRAIGHT, Turn.RIGHT, Turn.LEFT
NOW = from_seconds(100.0)
PACE = ProtocolParameters().pace


def entry(key: Key, progress: float = 0.0, silent: float = 0.0, inside: bool = False) -> RequestRecord:
    stage = Stage.PASSING if inside else Stage.WAITING
    return RequestRecord(
        claim(str(key), key.approach, key.turn, stage), NOW - from_seconds(silent), NOW, progress, held=inside
    )


def forecast(holder: RequestRecord, **times: float) -> Forecast:
    return Forecast(NOW, PLAN, ProtocolParameters(**times), [holder])


def held_up(holder_progress: float) -> float:
    """How long b from the south waits longer if c from the east goes right before it, a from the east turning left."""
    free_in = (PLAN.clear_from(Key(E, LEFT), Key(S, STRAIGHT)) - holder_progress) / PACE
    return PLAN.clear_from(Key(E, STRAIGHT), Key(S, STRAIGHT)) / PACE + 0.3 - free_in


@pytest.mark.parametrize("progress", [0.56, 0.9, 1.2])
def test_one_is_passed_where_that_holds_it_up_within_the_courtesy(progress):
    waiting, later = entry(Key(S, STRAIGHT)), entry(Key(E, STRAIGHT))
    delay = held_up(progress)
    assert delay > 0.0
    for courtesy, may in ((delay + 0.01, True), (delay - 0.01, False)):
        ahead = forecast(entry(Key(E, LEFT), progress, inside=True), courtesy=courtesy)
        ahead.wait(waiting, NOW)
        assert ahead.may_pass(later) is may
    ahead.go(later)
    assert waiting.held_up == pytest.approx(delay)


def test_what_it_was_held_up_before_counts_too():
    waiting, later = entry(Key(S, STRAIGHT)), entry(Key(E, STRAIGHT))
    waiting.held_up = 1.0
    ahead = forecast(entry(Key(E, LEFT), 0.9, inside=True), courtesy=held_up(0.9) + 0.9)
    ahead.wait(waiting, NOW)
    assert not ahead.may_pass(later)


def test_whoever_is_in_nobodys_way_may_pass_and_holds_nobody_up():
    waiting, later = entry(Key(S, STRAIGHT)), entry(Key(N, RIGHT))
    ahead = forecast(entry(Key(E, LEFT), inside=True), courtesy=0.0, patience=0.0)
    ahead.wait(waiting, NOW)
    assert ahead.may_pass(later)
    ahead.go(later)
    assert waiting.held_up == 0.0


@pytest.mark.parametrize(("age", "may"), [(19.9, True), (20.0, False)])
def test_nobody_goes_past_one_that_is_old(age, may):
    ahead = forecast(entry(Key(E, LEFT), 0.9, inside=True), courtesy=3600.0)
    ahead.wait(entry(Key(S, STRAIGHT)), NOW - from_seconds(age))
    assert ahead.may_pass(entry(Key(E, STRAIGHT))) is may


def test_one_that_is_shut_out_by_a_silent_one_is_passed_and_so_is_who_waits_for_it():
    ahead = forecast(entry(Key(W, STRAIGHT), 0.5, silent=13.0, inside=True), courtesy=0.0)
    ahead.wait(entry(Key(S, STRAIGHT)), NOW - from_seconds(60.0))
    ahead.wait(entry(Key(E, STRAIGHT)), NOW - from_seconds(50.0))
    assert ahead.may_pass(entry(Key(N, STRAIGHT)))
    assert not PLAN.together(Key(E, STRAIGHT), Key(N, STRAIGHT))


@pytest.mark.parametrize("first_waits", [True, False])
def test_who_waits_for_a_waiting_one_is_held_up_by_nobody_who_is_gone_by_then(first_waits):
    first, second, later = entry(Key(S, STRAIGHT)), entry(Key(E, STRAIGHT)), entry(Key(N, STRAIGHT))
    ahead = forecast(entry(Key(N, LEFT), 1.3, inside=True), courtesy=0.0)
    if first_waits:
        ahead.wait(first, NOW)
    ahead.wait(second, NOW)
    assert PLAN.together(later.key, first.key)
    assert ahead.may_pass(later) is first_waits


def test_one_comes_behind_another_from_the_same_side_and_into_the_same_exit():
    p = PLAN.parameters
    assert follows_from(PLAN, Key(S, STRAIGHT), Key(S, LEFT)) == p.follow_gap
    assert follows_from(PLAN, Key(S, STRAIGHT), Key(E, RIGHT)) == PLAN.movements[Key(S, STRAIGHT)].outside
    assert follows_from(PLAN, Key(S, STRAIGHT), Key(E, STRAIGHT)) == PLAN.clear_from(Key(S, STRAIGHT), Key(E, STRAIGHT))
    assert follows_from(PLAN, Key(S, STRAIGHT), Key(N, STRAIGHT)) == 0.0
