"""What schedulers of a crossing say, folded: newest first, each by itself, nothing that is none."""

from __future__ import annotations

import pytest

from arena_trees.games.crossroads.messages import CROSSING_TOPIC, Crossing, SchedulerState
from arena_trees.perception.checks import RefusedReadingError
from arena_trees.perception.crossing_fold import CrossingFold
from arena_trees.robot.clock import SECOND
from arena_trees.robot.messages import Message


def told(scheduler: str = "s", epoch: int = 1, sequence: int = 1, sender: str | None = None) -> Message:
    state = Crossing(0, 0, sequence, scheduler, epoch, SchedulerState.OPEN)
    return Message(CROSSING_TOPIC, sender or scheduler, 0, 1, 0, state.to_payload())


def test_only_a_newer_state_of_a_scheduler_counts():
    fold = CrossingFold()
    numbers = []
    for now, (epoch, sequence) in enumerate([(1, 5), (1, 4), (1, 5), (2, 1), (1, 9), (2, 2)]):
        fold.fold(told(epoch=epoch, sequence=sequence), now)
        numbers.append([(state.epoch, state.sequence) for state in fold.news.states])
    assert numbers == [[(1, 5)], [(1, 5)], [(1, 5)], [(2, 1)], [(2, 1)], [(2, 2)]]
    assert fold.news.sequence == 3


def test_two_schedulers_are_kept_apart_until_one_has_been_silent_for_long():
    fold = CrossingFold()
    fold.fold(told("s"), 0)
    fold.fold(told("t"), SECOND)
    assert [state.scheduler for state in fold.news.states] == ["s", "t"]
    fold.fold(told("t", sequence=2), 11 * SECOND)
    assert [state.scheduler for state in fold.news.states] == ["t"]
    # Whoever comes back may begin at a lower number.
    fold.fold(told("s", epoch=0), 11 * SECOND)
    assert len(fold.news.states) == 2


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (Message(CROSSING_TOPIC, "s", 0, 1, 0, {}), "malformed"),
        (told("s", sender="mallory"), "of another sender"),
    ],
)
def test_what_is_none_is_refused(message, reason):
    fold = CrossingFold()
    with pytest.raises(RefusedReadingError, match=reason):
        fold.fold(message, 0)
    assert fold.hear([message, Message("game", "s", 0, 1, 0, {})], 0) == ()
