"""Comparisons of two arms: what is called better, and how often by luck alone."""

import io
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from arena_trees.commands.tables import print_result
from arena_trees.experiments.comparison import Comparison, compare, holm, number_of_tests, paired_p
from arena_trees.experiments.results import Arm, RunResult, TrialResult
from arena_trees.games.metrics import Metric, count, mean, rate
from arena_trees.world.layout import Layout

METRICS = (
    rate("won_rate", "", value="won", better="more"),
    mean("time_s", "", better="less"),
    mean("score", "", better="more"),
    count("hits", "", better="less"),
    mean("tour_s", ""),
)


def by_chance(rng: np.random.Generator, pairs: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return two arms that do not differ: skewed and correlated figures that are drawn alike for both."""
    arms: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for _ in range(pairs):
        world = rng.exponential(3.0)
        for arm in arms:
            luck = rng.exponential(1.0)
            won = bool(rng.random() < 0.6)
            figures = {"won": won, "time_s": world + luck if won else None, "score": -luck + 0.1 * rng.normal()}
            arm.append({**figures, "hits": int(rng.poisson(0.4)), "tour_s": world})
    return arms


def better_by(difference: float, pairs: int, noise: float = 0.1) -> Comparison:
    rng = np.random.default_rng(pairs)
    first = [{"time_s": float(rng.exponential(5.0))} for _ in range(pairs)]
    second = [{"time_s": one["time_s"] + difference + noise * float(rng.normal())} for one in first]
    return compare(first, second, METRICS)["time_s"]


def test_arms_that_do_not_differ_are_seldom_told_apart():
    rng = np.random.default_rng(7)
    verdicts = []
    for number in range(240):
        comparisons = compare(*by_chance(rng, 2 + number % 9), METRICS)
        verdicts.append([one.verdict for one in comparisons.values()])
    wrong = sum(bool({"better", "worse"} & set(said)) for said in verdicts)
    # Any metric of a comparison: 5 % of 240 are 12, and a fair coin of that chance shows 23 or more once in 500 times.
    assert wrong <= 22
    assert not any({"better", "worse"} & set(said) for said in verdicts[::9]), "two pairs"


@pytest.mark.parametrize("pairs", [1, 2, 3, 5])
def test_fewer_than_six_pairs_are_too_few_for_any_word(pairs: int):
    one = better_by(100.0, pairs)
    assert (one.verdict, one.p, one.difference.low, one.difference.n) == ("too few", None, None, pairs)


@pytest.mark.parametrize("pairs", [6, 12, 13, 60])
def test_a_clear_difference_is_told_from_six_pairs_on(pairs: int):
    one = better_by(2.0, pairs)
    assert one.p == one.adjusted == pytest.approx(max(2.0 ** (1 - pairs), 2.0 / 5000.0))
    assert (one.verdict, better_by(-2.0, pairs).verdict) == ("better", "worse")
    assert one.difference.low is not None and one.difference.low > 1.5


def test_the_p_value_is_that_of_all_flips():
    values = [1.0, 3.0, -2.0, 0.5, 4.0, 2.5, 0.0]
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 6)).reshape(6, -1)
    flipped = np.array(values[:6]) @ signs
    assert paired_p(values) == pytest.approx(np.mean(np.abs(flipped) >= sum(values) - 1e-9))
    assert paired_p([1.0] * 5 + [0.0] * 50) is None, "five that differ cannot reach 0.05"
    # McNemar's exact test of 9 to 1 discordant pairs: twice the binomial's tail.
    assert paired_p([1.0] * 9 + [-1.0] + [0.0] * 30) == pytest.approx(2.0 * 11.0 / 1024.0)
    many = np.random.default_rng(1).normal(0.2, 1.0, 80).tolist()
    assert paired_p(many) == paired_p(many), "seeded"


def test_holm():
    # By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04, which is not below the one before.
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert adjusted == pytest.approx({"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({"a": 0.7, "b": 0.9}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_more_metrics_make_it_harder_to_be_better():
    worlds = np.random.default_rng(4).normal(0.0, 1.0, (8, 12))
    first = [{f"metric_{n}": float(value) for n, value in enumerate(world)} for world in worlds]
    second = [
        {name: value + (1.0 if name == "metric_0" else float(noise)) for name, value in world.items()}
        for world, noise in zip(first, np.random.default_rng(5).normal(0.0, 1.0, 8), strict=True)
    ]
    metrics = [mean(f"metric_{n}", "", better="less") for n in range(12)]
    assert compare(first, second, metrics[:1])["metric_0"].verdict == "better"
    among = compare(first, second, metrics)["metric_0"]
    assert among.p == pytest.approx(2.0 / 256.0)
    assert among.adjusted == pytest.approx(24.0 / 256.0)
    assert among.verdict == "unclear"


def test_words_where_there_is_no_test():
    same = [{"hits": 0, "tour_s": 3.0, "time_s": None}] * 8
    comparisons = compare(same, same, METRICS)
    assert (comparisons["hits"].verdict, comparisons["tour_s"].verdict, comparisons["time_s"].verdict) == (
        "same",
        "",
        "",
    )
    seldom = compare(same, [{**trial, "hits": number < 3} for number, trial in enumerate(same)], METRICS)
    assert (seldom["hits"].verdict, seldom["hits"].p) == ("unclear", None)
    assert number_of_tests(comparisons.values()) == number_of_tests(seldom.values()) == 0


def test_comparison_is_paired():
    noise = np.random.default_rng(1).normal(0.0, 100.0, 40).tolist()
    first = [{"time_s": value} for value in noise]
    difference = compare(first, [{"time_s": value + 1.0} for value in noise], METRICS)["time_s"].difference
    assert (difference.low, difference.high) == pytest.approx((1.0, 1.0))
    ours, theirs = ({"time_s": value} for value in (1.0, None)), ({"time_s": value} for value in (2.0, 5.0))
    assert compare(list(ours), list(theirs), METRICS)["time_s"].difference.n == 1


def result(metrics: tuple[Metric, ...], times: tuple[list[float | None], list[float | None]]) -> RunResult:
    def trial(index: int, time: float | None) -> TrialResult:
        layout = Layout("room", (), {}, {}, {})
        return TrialResult(index, 1000 + index, "over", "", {"time_s": time}, 1.0, {}, None, layout, {})

    arms = [
        Arm(name, tuple(trial(*one) for one in enumerate(side)), metrics)
        for name, side in zip(("ours", "theirs"), times, strict=True)
    ]
    return RunResult("game", "0", 1000, len(times[0]), arms)


def printed(played: RunResult, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    print_result(played, console)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_the_table_says_of_how_many_each_figure_is():
    said = printed(result(METRICS, ([1.0, 2.0, 3.0, None], [4.0, 5.0, None, None])), 160)
    (row,) = (line.split() for line in said if line.strip().startswith("time_s"))
    assert row == ["time_s", "2", "(3)", "4.5", "(2)", "+3", "2", "too", "few"]
    assert not any("better" in line for line in said[: said.index(next(one for one in said if "difference:" in one))])


@pytest.mark.parametrize(("width", "lines"), [(160, 1), (90, 2), (80, 2)])
def test_a_narrow_terminal_breaks_intervals_and_cuts_nothing(width: int, lines: int):
    metric = mean("r2_odometry_correct_distance_share", "", value="time_s")
    times = [0.0123 + 0.00123 * number for number in range(12)]
    played = result((metric,), (times, times))
    played = replace(played, arms=played.arms[:1])
    said = printed(played, width)
    begin = next(number for number, line in enumerate(said) if metric.name in line)
    words = " ".join(said[begin : begin + lines]).split()
    estimate = played.summary[metric.name]
    figures = {f"{value:.3g}" for value in (estimate.value, estimate.low, estimate.high, *times[::11])} | {"12"}
    assert figures <= set(words)
    assert not any("…" in line for line in said)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_figure_and_no_word_is_broken_in_a_narrow_terminal(width: int):
    rng = np.random.default_rng(3)
    ours = rng.normal(0.08, 0.01, 8).tolist()
    metric = mean("tracking_error_filtered", "", value="time_s", better="less")
    said = printed(result((metric,), (ours, [time - 0.00123 - 0.0001 * rng.random() for time in ours])), width)
    assert max(map(len, said)) <= width
    words = [word for line in said for word in line.split()]
    (row,) = (line.split() for line in said if "tracking_error_filtered" in line)
    assert row[-1] == "worse" and row[0] == "tracking_error_filtered"
    figures = [word.strip("()+-") for word in words if word.strip("()+-").startswith("0.00")]
    assert len(figures) >= 4 and all(re.fullmatch(r"0\.00\d{1,4}", figure) for figure in figures), figures


def test_results_hold_what_was_said():
    times: list[float | None] = [float(number) for number in range(8)]
    values = result(METRICS, (times, [time + 1.0 for time in range(8)])).to_dict()
    said = values["arms"]["theirs"]["difference"]["time_s"]
    assert (said["mean"], said["n"], said["verdict"]) == (1.0, 8, "better")
    assert said["p"] == said["p_holm"] == pytest.approx(2.0 / 256.0)
    assert not any(isinstance(value, float) and math.isnan(value) for value in said.values())
