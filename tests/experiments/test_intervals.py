"""Intervals, against figures from elsewhere."""

import numpy as np
import pytest

from arena_trees.experiments.intervals import Estimate, mean, median, quantile, rate, ratio


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, Wilson's score method; and scipy's proportion_ci.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson(successes: int, n: int, low: float, high: float):
    estimate = rate([True] * successes + [False] * (n - successes))
    assert estimate.value == pytest.approx(successes / n)
    assert estimate.low == pytest.approx(low, abs=5e-5)
    assert estimate.high == pytest.approx(high, abs=5e-5)


def test_all_successes_reach_one():
    estimate = rate([True] * 10)
    assert (estimate.value, estimate.high, estimate.n) == (1.0, 1.0, 10)
    assert estimate.low == pytest.approx(0.7225, abs=1e-4)


def test_bootstrap_agrees_with_the_t_interval():
    values = np.random.default_rng(3).normal(10.0, 2.0, 100)
    estimate = mean(values.tolist())
    half = 1.984 * values.std(ddof=1) / 10.0
    assert estimate.low == pytest.approx(values.mean() - half, abs=0.08)
    assert estimate.high == pytest.approx(values.mean() + half, abs=0.08)
    assert estimate == mean(values.tolist()), "seeded"
    assert (estimate.least, estimate.most) == (values.min(), values.max())


def test_the_median_is_not_moved_by_a_few_long_trials():
    values = np.random.default_rng(4).normal(10.0, 2.0, 101).tolist()
    estimate, longer = median(values), median([*sorted(values)[:-5], *[500.0] * 5])
    assert estimate.value == longer.value == pytest.approx(np.median(values))
    assert estimate.low < estimate.value < estimate.high
    # The median of normal values has the standard error 1.253 sigma / sqrt(n).
    half = 1.96 * 1.253 * 2.0 / 101**0.5
    assert (estimate.high - estimate.low) / 2.0 == pytest.approx(half, rel=0.35)
    assert median([]).to_dict() == {"median": None, "low": None, "high": None, "n": 0}
    assert (median([3.0] * 5).low, median([3.0] * 6).low) == (None, 3.0)


def test_nothing_and_one_value():
    assert mean([]).to_dict() == {"mean": None, "low": None, "high": None, "n": 0}
    assert mean([2.0]).to_dict() == {"mean": 2.0, "low": None, "high": None, "n": 1, "min": 2.0, "max": 2.0}
    assert rate([]).value is None
    assert ratio([0.0], [0.0]).n == 0


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_few_values_of_one_sign_are_no_interval(n: int):
    estimate = mean([1.0 + number for number in range(n)])
    assert (estimate.low, estimate.high, estimate.n) == (None, None, n)
    assert mean([1.0 + number for number in range(6)]).low is not None


def test_no_event_seen_is_not_no_event_possible():
    assert mean([0.0] * 50, count=True).high == pytest.approx(3.689 / 50, abs=1e-4)
    assert mean([0.0] * 50).high == 0.0


def test_ratio_weighs_trials_by_their_ticks():
    estimate = ratio([1.0, 30.0, 0.0], [10.0, 30.0, 0.0])
    assert estimate.value == pytest.approx(31.0 / 40.0)
    assert estimate.n == 2


def test_a_percentile_is_that_of_the_trials_and_its_interval_covers_that_of_all():
    values = np.random.default_rng(4).normal(0.0, 1.0, 400).tolist()
    estimate = quantile(values, 0.1)
    assert estimate.value == pytest.approx(np.percentile(values, 10.0))
    # The tenth percentile of the normal distribution.
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low < -1.2816 < estimate.high < -0.9
    assert (quantile([], 0.1).value, quantile([1.0] * 5, 0.1).low) == (None, None)


@pytest.mark.parametrize("estimate", [rate([True, False]), median([1.0, 2.0]), mean([1.0] * 7), quantile([3.0], 0.1)])
def test_an_estimate_is_read_from_what_results_files_hold(estimate: Estimate):
    assert Estimate.from_dict(estimate.to_dict()) == estimate
