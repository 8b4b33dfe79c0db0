"""The line between two clocks: told from the quickest messages, and from nothing else."""

import numpy as np
import pytest

from arena_trees.recording.clock_line import ClockLine, drift_of
from arena_trees.robot.clock import SECOND

SENT = [number * SECOND // 10 for number in range(420)]


def delays(rate: float, *, seed: int = 1, usual: float = 0.02) -> list[int]:
    """Return what a receiver whose clock is 1000 s ahead and runs so fast sees: delays, ns, each late by some time."""
    late = np.random.default_rng(seed).exponential(usual, len(SENT))
    return [int((one / SECOND * (rate - 1.0) + more + 1000.0) * SECOND) for one, more in zip(SENT, late, strict=True)]


@pytest.mark.parametrize("rate", [0.2, 0.97, 1.02, 2.0, 5.0])
def test_a_rate_is_told_from_the_quickest_messages(rate: float):
    assert drift_of(SENT, delays(rate)) == pytest.approx(rate - 1.0, abs=5e-4)
    held_up = [late + SECOND * (number % 3 == 0) for number, late in enumerate(delays(rate))]
    assert drift_of(SENT, held_up) == pytest.approx(rate - 1.0, abs=5e-4)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("usual", [0.001, 0.05, 0.3])
def test_clocks_of_one_rate_have_none(seed: int, usual: float):
    assert drift_of(SENT, delays(1.0, seed=seed, usual=usual)) == 0.0


def test_a_message_that_is_early_or_without_a_stamp_tells_no_rate():
    sent, late = list(SENT), delays(1.02)
    for place, off in ((0, -(10**18)), (100, -5 * SECOND), (300, 40 * SECOND)):
        sent[place] += off
        late[place] -= off
    assert drift_of(sent, late) == pytest.approx(0.02, abs=5e-4)


def test_a_clock_that_stands_or_goes_back_and_few_messages_have_no_rate():
    assert drift_of(SENT, [-one for one in SENT]) == 0.0
    assert drift_of(SENT, [-2 * one for one in SENT]) == 0.0
    assert drift_of([0] * 420, SENT) == 0.0
    assert drift_of(SENT[:19], delays(1.5)[:19]) == 0.0
    assert drift_of([], []) == 0.0


def test_an_instant_is_moved_by_offset_and_drift_and_by_no_drift_exactly():
    line = ClockLine(since=10**18, ahead=-7, drift=0.5)
    assert (line.moved(10**18), line.moved(10**18 + 4), line.rate) == (10**18 - 7, 10**18 - 1, 1.5)
    assert ClockLine(since=0, ahead=3).moved(10**18 + 1) == 10**18 + 4
