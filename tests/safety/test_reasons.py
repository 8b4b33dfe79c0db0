"""The gate's reasons are texts, wherever a text is expected."""

import json
import pickle
from collections import Counter

import pytest

import arena_trees as at
from arena_trees.robot.plain_values import plain_value
from arena_trees.safety.reasons import REASONS


@pytest.mark.parametrize("reason", at.GateReason)
def test_a_reason_is_its_text(reason: at.GateReason):
    text = str(reason)
    assert type(text) is str
    assert (reason, hash(reason)) == (text, hash(text))
    assert [f"{reason}", ", ".join([reason])] == [text, text]
    assert json.dumps({reason: [reason]}) == json.dumps({text: [text]})
    assert Counter([reason])[text] == 1
    assert pickle.loads(pickle.dumps(reason)) is reason
    assert type(plain_value(reason)) is str
    assert plain_value(reason) == text
    assert at.GateReason(text) is reason


def test_every_reason_is_explained():
    assert set(REASONS) == set(at.GateReason)
