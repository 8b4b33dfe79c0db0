"""The crossing's messages: what is said is what is read, and nothing else is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.crossroads.messages import (
    Approach,
    Crossing,
    CrossingClaim,
    CrossingMessageError,
    Holder,
    SchedulerState,
    Stage,
    Turn,
    Urgency,
)

HOLDER = Holder("r1", 2, 3, Approach.WEST, Turn.LEFT, 0.5, 17, 12.0)
CLAIM = CrossingClaim(
    "r1", 2, 17, 3, Stage.WAITING, Approach.WEST, Turn.LEFT, Urgency.EMERGENCY, True, -0.1, 4.0, 2.5, ("s", 1),
    (HOLDER,),
)  # fmt: skip
CROSSING = Crossing(5, 6, 7, "s", 1, SchedulerState.OPEN, (HOLDER,), (("r2", 1, 4),))


def test_what_is_said_is_what_is_read():
    assert CrossingClaim.from_payload(CLAIM.to_payload()) == CLAIM
    assert Crossing.from_payload(CROSSING.to_payload(), 5, 6) == CROSSING
    assert str(CROSSING) == "s OPEN: r1"


def test_the_fields_are_those_of_the_contract():
    assert {"robot", "stage", "approach", "movement", "sequence", "epoch", "lease"} <= set(CLAIM.to_payload())


WRONG = [None, True, -1, 1.5, math.nan, math.inf, 10**400, "", "x" * 65, "NOWHERE", [], [1], {}, {"a": 1}]


@pytest.mark.parametrize("key", sorted(set(CLAIM.to_payload()) - {"heard", "scheduler"}))
def test_a_claim_with_a_wrong_field_is_refused(key):
    good = CLAIM.to_payload()
    refused = 0
    for value in WRONG:
        try:
            CrossingClaim.from_payload({**good, key: value})
        except CrossingMessageError:
            refused += 1
    assert refused >= len(WRONG) - 3
    del good[key]
    with pytest.raises(CrossingMessageError):
        CrossingClaim.from_payload(good)


@pytest.mark.parametrize(
    "change",
    [
        {"heard": [["r1"]]},
        {"heard": [HOLDER.to_row()] * 257},
        {"scheduler": ["s"]},
        {"scheduler": ["s", -1]},
        {"lease": -1},
    ],
)
def test_claims_with_strange_lists_are_refused(change):
    with pytest.raises(CrossingMessageError):
        CrossingClaim.from_payload({**CLAIM.to_payload(), **change})


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(anything, st.sampled_from(sorted(CROSSING.to_payload())), st.sampled_from(sorted(CLAIM.to_payload())))
def test_nothing_but_the_one_error_is_raised(value, state_key, claim_key):
    for build in (
        lambda: CrossingClaim.from_payload(value),
        lambda: CrossingClaim.from_payload({**CLAIM.to_payload(), claim_key: value}),
        lambda: Crossing.from_payload(value, 0, 0),
        lambda: Crossing.from_payload({**CROSSING.to_payload(), state_key: value}, 0, 0),
    ):
        try:
            build()
        except CrossingMessageError as error:
            assert "\n" not in str(error)
