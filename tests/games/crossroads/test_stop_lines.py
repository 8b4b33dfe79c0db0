"""The stop lines of a crossing: where they lie, and whom the scheduler's messages give a lease."""

import math
import pickle

import pytest
from helpers import crossing_words
from helpers.crossing_words import carried, crossing, heard

from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.messages import MESSAGES, Approach, Crossing, SchedulerState, Turn
from arena_trees.games.crossroads.stop_lines import received_lease, stop_line_limit
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.messaging.inbox import EMPTY, Inbox, Mailbox, Received
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.motion_limit import Situation
from arena_trees.safety.parameters import GateParameters

OPEN, STANDBY, REBUILDING = SchedulerState.OPEN, SchedulerState.STANDBY, SchedulerState.REBUILDING
LIMIT = stop_line_limit("wolf", CrossingParameters())


def holder(robot="wolf", lease=12.0, answers=7, epoch=1):
    return crossing_words.holder(
        robot, Approach.SOUTH, Turn.STRAIGHT, request=3, answers=answers, lease=lease, epoch=epoch
    )


def reported(*holders, now=0, name="scheduler", epoch=5, state=OPEN):
    return heard(crossing(name, epoch, holders=holders, state=state), name, now)


def news(*states: Received[Crossing]) -> Inbox:
    return Inbox({Crossing: {state.sender: state for state in states}}, 1, states)


def percepts_of(inbox, now=0):
    return Percepts(now, inbox=inbox)


def lease(*states, known=None, now=0):
    percepts = percepts_of(news(*states), now)
    found = LIMIT.observe(known, Situation(GateParameters(), percepts, Pose2D(), ZERO, None))
    return found is not None and found.stands(now)


def test_without_a_message_there_is_no_lease():
    assert not lease()
    assert lease(reported(holder()))


@pytest.mark.parametrize(
    "states",
    [
        (reported(),),
        (reported(holder("rabbit")),),
        (reported(holder(lease=0.0)),),
        (reported(holder(), state=STANDBY),),
        (reported(holder()), reported(epoch=6, name="a")),
        (reported(holder()), reported(name="z")),
        (reported(holder()), reported(name="z", state=REBUILDING)),
    ],
)
def test_who_is_not_named_by_the_scheduler_that_is_obeyed_has_none(states):
    assert not lease(*states)
    assert not lease(*reversed(states))


def test_one_that_has_given_way_and_one_of_a_lower_number_count_for_nothing():
    assert lease(reported(holder()), reported(name="z", epoch=9, state=STANDBY))
    assert lease(reported(holder()), reported(name="z", epoch=4))


@pytest.mark.parametrize("number", [0, 1])
def test_a_lease_is_for_the_lines_of_its_own_crossing(number):
    limit = stop_line_limit("wolf", CrossingParameters(crossings=2))
    row = holder()._replace(crossing=number)
    found = limit.lease(percepts_of(news(reported(row))))
    assert found.area == number
    assert {line.area for line in limit.lines} == {0, 1}


def test_repeating_a_lease_makes_it_no_longer_but_a_new_answer_does():
    known = received_lease("wolf", percepts_of(news(reported(holder(lease=2.0)))))
    again = reported(holder(lease=2.0), now=SECOND)
    assert not lease(again, known=known, now=2 * SECOND)
    assert lease(again, now=2 * SECOND)
    assert lease(reported(holder(lease=2.0, answers=8), now=SECOND), known=known, now=2 * SECOND)
    assert lease(reported(holder(lease=2.0, epoch=2), now=SECOND), known=known, now=2 * SECOND)


@pytest.mark.parametrize(
    "change",
    [
        {"holders": [["wolf", 1, 3, "south", "straight", 0.0, 7, math.nan]]},
        {"holders": [["wolf", 1, 3, "south", "straight", 0.0, 7, -1.0]]},
        {"holders": [["wolf", 1, 3, "up", "straight", 0.0, 7, 12.0]]},
        {"holders": "wolf"},
        {"state": "WIDE OPEN"},
        {"epoch": -1},
        {"scheduler": "somebody else"},
    ],
)
def test_a_malformed_message_gives_none(change):
    good = carried(reported(holder()).message, "scheduler")
    assert received_lease("wolf", percepts_of(Mailbox(MESSAGES).take([good], 0))) is not None
    bad = Message(good.topic, "scheduler", 0, 1, 0, {**good.payload, **change})
    assert received_lease("wolf", percepts_of(Mailbox(MESSAGES).take([bad], 0))) is None


@pytest.mark.parametrize("approaches", [3, 4])
def test_the_lines_of_a_crossing_lie_across_the_lanes_that_lead_in(approaches):
    lines = stop_line_limit("wolf", CrossingParameters(approaches=approaches, lane_width=0.8, setback=0.2)).lines
    places = {line.name: (round(line.x, 9), round(line.y, 9)) for line in lines}
    assert places == {
        "south": (0.4, -1.0),
        "east": (1.0, 0.4),
        **({"north": (-0.4, 1.0)} if approaches == 4 else {}),
        "west": (-1.0, -0.4),
    }
    for line in lines:
        assert line.half_width == pytest.approx(0.4)
        # One metre on, a robot is in the square.
        on = line.pose.compose(Pose2D(0.3))
        assert max(abs(on.x), abs(on.y)) < 0.8


def test_the_limit_says_what_it_reads_and_can_be_sent_to_another_process():
    assert LIMIT.topics == ("crossing",)
    said = news(reported(holder("rabbit")))
    assert LIMIT.report(None, percepts_of(EMPTY)) == {"crossing": "silent", "lease": "none"}
    assert LIMIT.report(None, percepts_of(said)) == {"crossing": "scheduler OPEN: rabbit", "lease": "none"}
    sent = pickle.loads(pickle.dumps(LIMIT))
    assert sent.lines == LIMIT.lines
    assert sent.lease(percepts_of(news(reported(holder())))) == received_lease(
        "wolf", percepts_of(news(reported(holder())))
    )
