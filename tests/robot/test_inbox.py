"""The inbox: the newest of each sender, whatever order messages come in; what is none is counted."""

import json
import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND, STALE
from arena_trees.robot.messaging.game_message import Count, Duration, GameMessage, MessageError, Name, Number
from arena_trees.robot.messaging.inbox import EMPTY, Mailbox
from arena_trees.robot.messaging.messages import Message


class Place(GameMessage, topic="place"):
    x: Number
    y: Number = 0.0


class Row(NamedTuple):
    id: Count
    far: Number
    good: bool


class Table(GameMessage, topic="table", forget_after_s=2.0):
    rows: tuple[Row, ...] = ()
    owner: Name | None = None
    left: Duration = 0.0


def place(x: float, sender: str = "blue", epoch: int = 1, sequence: int = 1) -> Message:
    return Message("place", sender, epoch, sequence, 0, {"x": x})


def test_the_newest_of_each_sender_is_kept_with_its_age():
    mailbox = Mailbox((Place,))
    inbox = mailbox.take([place(1.0), place(2.0, "red"), place(3.0, sequence=2)], 5 * SECOND)
    assert {name: one.message.x for name, one in inbox[Place].items()} == {"red": 2.0, "blue": 3.0}
    assert inbox[Place]["blue"].age(7 * SECOND) == 2 * SECOND
    assert inbox[Place]["blue"].age(4 * SECOND) == STALE
    assert [one.message.x for one in inbox.received] == [1.0, 2.0, 3.0]
    assert inbox.sequence == 3


def test_a_snapshot_does_not_change_and_what_was_received_is_received_once():
    mailbox = Mailbox((Place,))
    first = mailbox.take([place(1.0)], 0)
    second = mailbox.take([], SECOND)
    assert (first.received[0].message.x, second.received) == (1.0, ())
    assert second[Place]["blue"].message.x == 1.0
    assert mailbox.take([], 2 * SECOND) is second
    mailbox.take([place(2.0, sequence=2)], 3 * SECOND)
    assert second[Place]["blue"].message.x == 1.0


def test_late_and_repeated_messages_change_nothing_but_are_received():
    mailbox = Mailbox((Place,))
    mailbox.take([place(1.0, epoch=2, sequence=5)], 0)
    inbox = mailbox.take([place(9.0, epoch=2, sequence=5), place(9.0, epoch=1, sequence=99)], SECOND)
    assert inbox[Place]["blue"].message.x == 1.0
    assert (len(inbox.received), inbox.sequence) == (2, 1)


@given(st.permutations([(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]))
def test_whatever_the_order_the_highest_life_and_number_wins(order: list[tuple[int, int]]):
    mailbox = Mailbox((Place,))
    for epoch, sequence in order:
        inbox = mailbox.take([place(float(10 * epoch + sequence), epoch=epoch, sequence=sequence)], 0)
    newest = inbox.newest(Place)
    assert newest.message.x == 22.0


def test_a_topic_may_forget_the_silent():
    mailbox = Mailbox((Table,))
    mailbox.take([Message("table", "old", 9, 9, 0, {}), Message("table", "other", 1, 1, 0, {})], 0)
    inbox = mailbox.take([Message("table", "new", 1, 1, 0, {})], 3 * SECOND)
    assert list(inbox[Table]) == ["new"]
    later = mailbox.take([Message("table", "old", 1, 1, 0, {})], 4 * SECOND)
    assert list(later[Table]) == ["new", "old"], "a life of lower number may follow one that was forgotten"


def test_an_unknown_topic_and_garbage_are_counted_and_known_topics_passed_over():
    mailbox = Mailbox((Place,), known=(Table,))
    garbage = [
        Message("place", "blue", 1, 1, 0, payload) for payload in ({}, {"x": "1"}, {"x": math.nan}, [], {"z": 1})
    ]
    inbox = mailbox.take([*garbage, Message("table", "a", 1, 1, 0, {}), Message("tabel", "a", 1, 1, 0, {})], 0)
    assert (inbox.sequence, inbox.received) == (0, ())
    assert mailbox.refusals == {"place: malformed": 5, "inbox: unknown topic 'tabel'": 1}
    assert inbox.newest(Place) is None
    assert EMPTY[Place] == {}


def test_a_message_comes_back_from_its_payload():
    table = Table(rows=(Row(3, -2.5, True), Row(4, 0.0, False)), owner="blue", left=1.0)
    payload = table.encode()
    assert payload == {"rows": [[3, -2.5, True], [4, 0.0, False]], "owner": "blue", "left": 1.0}
    assert Table.decode(json.loads(json.dumps(payload))) == table


@pytest.mark.parametrize(
    "change",
    [
        {"rows": [[1, 2.0]]},
        {"rows": [[-1, 2.0, True]]},
        {"rows": [[True, 2.0, True]]},
        {"rows": [[1, 1e7, True]]},
        {"rows": [[1, "2", True]]},
        {"rows": [[1, 2.0, 1]]},
        {"rows": "abc"},
        {"owner": ""},
        {"owner": "x" * 65},
        {"left": -1.0},
        {"left": math.inf},
        {"left": True},
        {"more": 1},
    ],
)
def test_garbage_is_refused_in_one_line(change: dict[str, object]):
    with pytest.raises(MessageError) as caught:
        Table.decode({**Table().encode(), **change})
    assert "table" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("payload", [None, 1, "text", [], {1, 2}, {"x": object()}, b"bytes"])
def test_what_is_no_map_of_plain_values_is_refused(payload: object):
    with pytest.raises(MessageError):
        Place.decode(payload)


def test_a_payload_that_contains_itself_is_refused():
    payload: dict[str, object] = {}
    payload["x"] = payload
    with pytest.raises(MessageError):
        Place.decode(payload)


def test_a_topic_is_a_plain_word():
    with pytest.raises(TypeError, match="plain word"):

        class Bad(GameMessage, topic="no word"):
            pass
