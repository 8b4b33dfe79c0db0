"""When a tree first had a message is known by its ticks, whatever the delays of a recorder were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.recording.seen_by_ticks import seen_by_ticks
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import SECOND
from arena_trees.robot.percepts import sequence_names
from arena_trees.robot.timing import TICK

MILLISECOND = SECOND // 1000
SCAN = sequence_names().index("scan")


def played(period_ms, seed, lost_by_tree=(), lost_by_recorder=(), before=7, length=400, jitter_ms=40):
    """Return ticks, the recorder's arrivals, and when the tree first had each message that both had."""
    random = np.random.default_rng(seed)
    sent = [number * period_ms * MILLISECOND for number in range(length)]
    to_tree = [instant + int(random.integers(0, 20)) * MILLISECOND for instant in sent]
    to_recorder = sorted(instant + int(random.integers(0, jitter_ms)) * MILLISECOND for instant in sent)
    count, had, ticks = before, {}, []
    waiting = [number for number in range(length) if number not in lost_by_tree]
    for number in range(length * period_ms // 20):
        now = number * TICK
        while waiting and to_tree[waiting[0]] <= now:
            count += 1
            had[waiting.pop(0)] = now
        sequences = tuple(count if place == SCAN else 0 for place in range(len(sequence_names())))
        ticks.append(Tick(now, b"", number=number, sequences=sequences))
    recorded = [number for number in range(length) if number not in lost_by_recorder]
    return ticks, [to_recorder[number] for number in recorded], [had.get(number) for number in recorded]


@given(st.sampled_from((33, 50, 125)), st.integers(0, 1000))
def test_every_message_is_seen_when_the_tree_had_it(period_ms, seed):
    ticks, arrivals, expected = played(period_ms, seed)
    seen = seen_by_ticks("scan", arrivals, ticks)
    # What came with another message, or before the second tick, is not the newest of any tick.
    wrong = [number for number, one in enumerate(expected) if one is not None and one > TICK and seen[number] != one]
    assert len(wrong) <= 4, wrong


def test_messages_that_were_lost_on_either_way_cost_a_few_others_at_most():
    ticks, arrivals, expected = played(50, 3, lost_by_tree={100, 230}, lost_by_recorder={150, 300, 301})
    seen = seen_by_ticks("scan", arrivals, ticks)
    wrong = [number for number, one in enumerate(expected) if one is not None and one > TICK and seen[number] != one]
    assert len(wrong) <= 25, wrong


def test_what_the_recorder_had_before_the_tree_listened_is_not_seen_before_that():
    ticks, arrivals, _ = played(125, 1, lost_by_tree=set(range(8)), before=0)
    seen = seen_by_ticks("scan", arrivals, ticks)
    first = next(tick.now for tick in ticks if tick.sequences[SCAN] > 0)
    assert min(seen) == first and arrivals[0] < first


@pytest.mark.parametrize("ticks", [[], [Tick(0, b"", number=0, sequences=())], [Tick(0, b"", number=5)]])
def test_without_numbers_arrivals_are_kept(ticks):
    assert seen_by_ticks("scan", [1, 2, 3], ticks) == [1, 2, 3]
    assert seen_by_ticks("scan", [], ticks) == []
