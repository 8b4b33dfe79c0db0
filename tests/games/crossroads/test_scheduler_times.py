"""The instants at which a scheduler begins to grant, and at which it repeats itself, to the nanosecond."""

import pytest
from helpers.crossing_model import PLAN
from helpers.crossing_words import claim, crossing, heard

from arena_trees.games.crossroads.messages import Approach, SchedulerState, Stage, Turn
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.robot.clock import from_seconds

P = ProtocolParameters()
WAY = Approach.SOUTH, Turn.STRAIGHT
LEASE = from_seconds(P.lease * (1.0 + P.clock_drift))
PERIOD = from_seconds(P.publish_period)


@pytest.mark.parametrize("begun", [0, 7])
def test_it_listens_for_the_whole_of_a_lease(begun):
    scheduler = CrossingScheduler("s", 1, PLAN, P)
    states = []
    for now in (begun, begun + LEASE, begun + LEASE + 1):
        scheduler.step(now, [])
        states.append(scheduler.state)
    assert states == [SchedulerState.REBUILDING, SchedulerState.REBUILDING, SchedulerState.OPEN]


def test_one_that_gave_way_does_so_for_the_whole_of_a_lease_and_listens_for_another():
    scheduler = CrossingScheduler("s", 1, PLAN, P)
    scheduler.step(0, [heard(crossing("t", 2), "t")])
    states = []
    for now in (LEASE, LEASE + 1, 2 * LEASE + 1, 2 * LEASE + 2):
        scheduler.step(now, [])
        states.append(scheduler.state)
    listening = [SchedulerState.REBUILDING] * 2
    assert states == [SchedulerState.STANDBY, *listening, SchedulerState.OPEN]


def test_it_repeats_its_state_once_a_period_and_at_once_where_the_clock_went_back():
    scheduler = CrossingScheduler("s", 1, PLAN, P)
    said = [scheduler.step(now, []) is not None for now in (PERIOD, PERIOD, 2 * PERIOD - 1, 2 * PERIOD, PERIOD)]
    assert said == [True, False, False, True, True]


def test_what_it_opens_grants_and_acknowledges_and_what_somebody_has_seen_is_published_at_once():
    scheduler = CrossingScheduler("s", 1, PLAN, P)
    assert scheduler.step(0, []) is not None
    assert scheduler.step(LEASE, []).state is SchedulerState.REBUILDING
    now = LEASE + 1
    assert scheduler.step(now, []).state is SchedulerState.OPEN

    def step(stage=None, sequence=1):
        nonlocal now
        now += PERIOD // 5
        said = [] if stage is None else [claim("a", *WAY, stage, first=True, sequence=sequence)]
        return scheduler.step(now, [heard(one, "a", now, sequence=sequence) for one in said])

    assert [row.robot for row in step(Stage.WAITING).holders] == ["a"]
    assert step() is None
    assert [done.robot for done in step(Stage.LEFT, 2).done] == ["a"]
    assert step() is None
    scheduler = CrossingScheduler("s", 1, PLAN, P)
    scheduler.step(now - LEASE - 1, [])
    scheduler.step(now, [])
    step(Stage.WAITING)
    step(Stage.PASSING, 2)
    scheduler.seen_clear(now, "a")
    assert step().holders == ()
