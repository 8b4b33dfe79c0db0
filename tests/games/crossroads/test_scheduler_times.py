"""The instants at which a scheduler begins to grant, and at which it repeats itself, to the nanosecond."""

import pytest
from helpers.crossing_model import PLAN
from helpers.crossing_words import crossing, heard

from arena_trees.games.crossroads.messages import SchedulerState
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.robot.clock import from_seconds

P = ProtocolParameters()
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
