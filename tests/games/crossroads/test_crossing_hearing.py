"""What is heard of a crossing's schedulers: the newest of each, each by itself, nothing that is none."""

import pytest
from helpers.crossing_words import carried, crossing

from arena_trees.games.crossroads.messages import MESSAGES, Crossing, SchedulerState
from arena_trees.games.crossroads.scheduling.states import obeyed_state, state_texts, states_in
from arena_trees.robot.clock import SECOND
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message


def reported(scheduler: str = "s", epoch: int = 1, sequence: int = 1, sender: str | None = None) -> Message:
    return carried(crossing(scheduler, epoch, sequence), sender or scheduler, 0, epoch, sequence)


def numbers(mailbox: Mailbox) -> list[tuple[int, int]]:
    return [(state.message.epoch, state.message.sequence) for state in states_in(mailbox.inbox)]


def test_only_a_newer_state_of_a_scheduler_counts():
    mailbox = Mailbox(MESSAGES)
    seen = []
    for now, (epoch, sequence) in enumerate([(1, 5), (1, 4), (1, 5), (2, 1), (1, 9), (2, 2)]):
        mailbox.take([reported(epoch=epoch, sequence=sequence)], now)
        seen.append(numbers(mailbox))
    assert seen == [[(1, 5)], [(1, 5)], [(1, 5)], [(2, 1)], [(2, 1)], [(2, 2)]]
    assert mailbox.inbox.sequence == 3


def test_two_schedulers_are_kept_apart_until_one_has_been_silent_for_long():
    mailbox = Mailbox(MESSAGES)
    mailbox.take([reported("s")], 0)
    mailbox.take([reported("t")], SECOND)
    assert [state.sender for state in states_in(mailbox.inbox)] == ["s", "t"]
    assert state_texts(mailbox.inbox) == "s OPEN: empty; t OPEN: empty"
    mailbox.take([reported("t", sequence=2)], 11 * SECOND)
    assert [state.sender for state in states_in(mailbox.inbox)] == ["t"]
    # Whoever comes back may begin at a lower number.
    mailbox.take([reported("s", epoch=0)], 11 * SECOND)
    assert [state.sender for state in states_in(mailbox.inbox)] == ["t", "s"]


def test_the_highest_that_has_not_given_way_is_obeyed():
    mailbox = Mailbox(MESSAGES)
    assert obeyed_state(mailbox.inbox) is None
    standby = carried(crossing("z", 9, state=SchedulerState.STANDBY), "z")
    mailbox.take([reported("s", 2), reported("t", 2), reported("u", 1), standby], 0)
    obeyed = obeyed_state(mailbox.inbox)
    assert obeyed.sender == "t"


@pytest.mark.parametrize("message", [Message(Crossing.topic, "s", 0, 1, 0, {}), reported("s", sender="mallory")])
def test_what_is_none_is_not_heard(message):
    mailbox = Mailbox(MESSAGES)
    mailbox.take([message], 0)
    assert states_in(mailbox.inbox) == ()
    assert state_texts(mailbox.inbox) == ""
    assert obeyed_state(mailbox.inbox) is None
