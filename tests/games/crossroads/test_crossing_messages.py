"""The crossing's messages: what is said is what is read, and nothing else is."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import (
    Approach,
    Crossing,
    CrossingClaim,
    CrossingRequest,
    Done,
    Holder,
    Identity,
    SchedulerState,
    Stage,
    Turn,
    Urgency,
)
from arena_trees.robot.messaging.game_message import MessageError

HOLDER = Holder("r1", 2, 3, Approach.WEST, Turn.LEFT, 0.5, 17, 12.0, 1)
CLAIM = CrossingClaim(
    robot="r1",
    epoch=2,
    sequence=17,
    request=3,
    stage=Stage.WAITING,
    approach=Approach.WEST,
    movement=Turn.LEFT,
    urgency=Urgency.EMERGENCY,
    first=True,
    progress=-0.1,
    waited=4.0,
    lease=2.5,
    scheduler=Identity("s", 1),
    heard=(HOLDER,),
    crossing=1,
)
CROSSING = Crossing(
    scheduler="s", epoch=1, sequence=7, state=SchedulerState.OPEN, holders=(HOLDER,), done=(Done("r2", 1, 4),)
)
ROW = ["r1", 2, 3, "west", "left", 0.5, 17, 12.0, 1]


def test_one_that_names_no_crossing_is_at_the_first_one():
    claim = CLAIM.encode()
    del claim["crossing"]
    claim["heard"] = [ROW[:-1]]
    read = CrossingClaim.decode(claim)
    assert (read.crossing, read.heard[0].crossing) == (0, 0)
    assert read.key == Key(Approach.WEST, Turn.LEFT)


def test_what_is_said_is_what_is_read():
    assert CrossingClaim.decode(CLAIM.encode()) == CLAIM
    assert Crossing.decode(CROSSING.encode()) == CROSSING
    assert str(CROSSING) == "s OPEN: r1"


def test_the_fields_are_those_of_the_contract():
    assert CLAIM.encode() == {
        "robot": "r1",
        "epoch": 2,
        "sequence": 17,
        "request": 3,
        "stage": "WAITING",
        "approach": "west",
        "movement": "left",
        "urgency": 2,
        "first": True,
        "progress": -0.1,
        "waited": 4.0,
        "lease": 2.5,
        "scheduler": ["s", 1],
        "heard": [ROW],
        "crossing": 1,
    }
    assert CROSSING.encode() == {
        "scheduler": "s",
        "epoch": 1,
        "sequence": 7,
        "state": "OPEN",
        "holders": [ROW],
        "done": [["r2", 1, 4]],
    }
    topics = {model: model.topic for model in (CrossingRequest, CrossingClaim, Crossing)}
    assert topics == {CrossingRequest: "crossing_request", CrossingClaim: "crossing_claim", Crossing: "crossing"}


WRONG = [None, True, -1, 1.5, math.nan, math.inf, 10**400, "", "x" * 65, "NOWHERE", [], [1], {}, {"a": 1}]


@pytest.mark.parametrize("key", sorted(set(CLAIM.encode()) - {"crossing", "heard", "scheduler"}))
def test_a_claim_with_a_wrong_field_is_refused(key):
    good = CLAIM.encode()
    refused = 0
    for value in WRONG:
        try:
            CrossingClaim.decode({**good, key: value})
        except MessageError:
            refused += 1
    assert refused >= len(WRONG) - 3
    del good[key]
    with pytest.raises(MessageError):
        CrossingClaim.decode(good)


@pytest.mark.parametrize(
    "change",
    [
        {"heard": [["r1"]]},
        {"heard": [ROW] * 257},
        {"scheduler": ["s"]},
        {"scheduler": ["s", -1]},
        {"lease": -1},
    ],
)
def test_claims_with_strange_lists_are_refused(change):
    with pytest.raises(MessageError):
        CrossingClaim.decode({**CLAIM.encode(), **change})


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(anything, st.sampled_from(sorted(CROSSING.encode())), st.sampled_from(sorted(CLAIM.encode())))
def test_nothing_but_the_one_error_is_raised(value, state_key, claim_key):
    for build in (
        lambda: CrossingClaim.decode(value),
        lambda: CrossingClaim.decode({**CLAIM.encode(), claim_key: value}),
        lambda: Crossing.decode(value),
        lambda: Crossing.decode({**CROSSING.encode(), state_key: value}),
    ):
        try:
            build()
        except MessageError as error:
            assert "\n" not in str(error)
