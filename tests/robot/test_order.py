"""What one forged message can do: it shuts the honest sender out for ten seconds, and no longer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.games.wolf_rabbit.messages import ISOLATED, GamePhase, GameState, game_of
from arena_trees.robot.clock import SECOND
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.messaging.order import SILENT_AFTER, counts_after

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
