"""Figures of ticks: rate, share and number of those that overran."""

import pytest

from arena_trees.nodes.runtime.tick_statistics import TickStatistics

MS = 1_000_000


def run(ticks):
    """Return the statistics of ticks, each (begin, duration) in ms."""
    times = iter([moment * MS for begin, taken in ticks for moment in (begin, begin + taken)])
    statistics = TickStatistics(0.02, lambda: next(times))
    for _ in ticks:
        statistics.begin()
        statistics.end()
    return statistics


def test_ticks_in_time_overrun_never():
    statistics = run([(20 * k + k % 3, 5) for k in range(100)])
    assert (statistics.overruns, statistics.overrun_share) == (0, 0.0)
    assert statistics.rate == pytest.approx(50.0, rel=0.01)
    assert statistics.tick_p99_ms == pytest.approx(5.0)


def test_a_long_tick_overruns_and_so_does_one_that_begins_late():
    statistics = run([(0, 5), (20, 25), (45, 5), (80, 5), (100, 5)])
    assert statistics.overruns == 2
    assert statistics.overrun_share == pytest.approx(0.4)


def test_a_tick_that_is_long_and_late_counts_once():
    assert run([(0, 5), (60, 45)]).overruns == 1


def test_nothing_is_known_before_the_first_tick_and_after_a_halt():
    statistics = run([(0, 50), (60, 50)])
    statistics.clear()
    assert (statistics.overruns, statistics.overrun_share, statistics.rate, statistics.tick_p99_ms) == (
        0,
        0.0,
        0.0,
        0.0,
    )
