"""The inbox: the newest of each sender, in whatever order; what is none is counted, and what is forged ends."""

import json
import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.games.wolf_rabbit.messages import ISOLATED, GamePhase, GameState, game_of
from arena_trees.robot.clock import SECOND, STALE
from arena_trees.robot.messaging.game_message import Count, Duration, GameMessage, MessageError, Name, Number
from arena_trees.robot.messaging.inbox import EMPTY, Mailbox
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.messaging.order import SILENT_AFTER, counts_after


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


def test_a_payload_that_contains_itself_and_a_topic_that_is_no_plain_word_are_refused():
    payload: dict[str, object] = {}
    payload["x"] = payload
    with pytest.raises(MessageError):
        Place.decode(payload)
    with pytest.raises(TypeError, match="plain word"):

        class Bad(GameMessage, topic="no word"):
            pass


HIGHEST = (1 << 63) - 1
OVER = {**ISOLATED.encode(), "phase": "ABORTED"}
GOES_ON = ISOLATED.encode()


def state(payload: dict[str, object], sequence: int, epoch: int = 5, sender: str = "referee") -> Message:
    return Message("game", sender, epoch, sequence, 0, payload)


@pytest.mark.parametrize("sender", ["referee", "mallory"])
@pytest.mark.parametrize("epoch", [5, HIGHEST])
def test_an_honest_referee_is_heard_again_ten_seconds_after_a_forged_word(sender: str, epoch: int):
    """Forged in its own name, in its own life, or in another name: it repeats its state ten times a second."""
    mailbox = Mailbox((GameState,))
    mailbox.take([state(GOES_ON, 1)], 0)
    mailbox.take([state(OVER, HIGHEST, epoch, sender)], SECOND)
    heard_again = None
    for number in range(2, 200):
        now = SECOND + number * SECOND // 10
        inbox = mailbox.take([state(GOES_ON, number)], now)
        if heard_again is None and game_of(inbox).phase is GamePhase.ACTIVE:
            heard_again = now
    assert heard_again <= SECOND + SILENT_AFTER + SECOND // 5


def test_what_is_played_back_changes_nothing_while_the_sender_speaks():
    mailbox = Mailbox((GameState,))
    for number in range(1, 300):
        now = number * SECOND // 10
        old = [state(OVER, number // 2), state(OVER, 99, epoch=4), state(OVER, number)]
        inbox = mailbox.take([state(GOES_ON, number), *old], now)
        assert game_of(inbox).phase is GamePhase.ACTIVE


def test_whoever_spoke_last_is_believed_for_as_long_as_nobody_else_speaks():
    mailbox = Mailbox((GameState,))
    mailbox.take([state(OVER, 1)], 0)
    inbox = mailbox.take([], 1000 * SECOND)
    assert game_of(inbox).phase is GamePhase.ABORTED


@given(
    st.tuples(st.integers(0), st.integers(0)), st.tuples(st.integers(0), st.integers(0)), st.integers(0), st.integers()
)
def test_a_lower_number_counts_after_a_silence_alone(number, last, heard, after):
    counts = counts_after(number, last, heard, heard + after)
    assert counts == (number > last or after < 0 or after > SILENT_AFTER)


def test_invented_topics_are_counted_by_no_more_than_so_many_names():
    mailbox = Mailbox((GameState,))
    for number in range(1000):
        mailbox.take([Message(f"topic{number}", "mallory", 1, 1, 0, {})], number)
    assert mailbox.refusals.total() == 1000
    assert len(mailbox.refusals) <= 101
