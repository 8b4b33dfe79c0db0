"""Comparison of two arms in pairs of the same world: differences, a test of each metric, and its verdict in a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena_trees.experiments import intervals
from arena_trees.experiments.intervals import FEWEST, Estimate
from arena_trees.experiments.metrics import metrics_of, number
from arena_trees.games.metrics import Metric, Values
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["LEVEL", "Comparison", "compare", "holm", "number_of_tests", "paired_p"]

LEVEL = 0.05
"""Chance, at most, with which any metric of two arms that do not differ is called better or worse."""

_RESAMPLES = 4999
_SEED = 96


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two arms.

    Attributes:
        metric: what is compared
        difference: mean of second minus first, of n pairs
        p: of :func:`paired_p`; None where fewer than six pairs differ, and where neither more nor less is better
        adjusted: the same after :func:`holm` over all metrics that have one
    """

    metric: Metric
    difference: Estimate
    p: float | None = None
    adjusted: float | None = None

    @property
    def verdict(self) -> str:
        """Verdict on the first arm: better, worse, unclear, same or too few; empty where nothing can be better.

        ``too few`` are fewer than six pairs. ``same`` means that no pair differs. ``unclear`` means that no difference
        was shown, not that there is none.
        """
        difference = self.difference
        if self.metric.better is None or difference.value is None:
            return ""
        if difference.n < FEWEST:
            return "too few"
        if difference.least == difference.most == 0.0:
            return "same"
        if self.adjusted is None or self.adjusted > LEVEL:
            return "unclear"
        return "better" if (difference.value > 0.0) is (self.metric.better == "less") else "worse"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as results files hold it."""
        values: dict[str, Any] = self.difference.to_dict()
        if self.metric.better is not None:
            values |= {"p": self.p, "p_holm": self.adjusted, "verdict": self.verdict}
        return values


def compare(first: Sequence[Values], second: Sequence[Values], metrics: Sequence[Metric]) -> dict[str, Comparison]:
    """Return the comparison of two arms in each metric, by name.

    Args:
        first: trials of one arm
        second: trials of another arm in the same worlds, in the same order
        metrics: of the game
    """
    comparisons = {}
    for metric in metrics_of([*first, *second], metrics):
        sides = [[number(trial.get(metric.value)) for trial in side] for side in (first, second)]
        pairs = [b - a for a, b in zip(*sides, strict=True) if a is not None and b is not None]
        p = None if metric.better is None else paired_p(pairs)
        comparisons[metric.name] = Comparison(metric, intervals.mean(pairs), p)
    adjusted = holm({name: one.p for name, one in comparisons.items() if one.p is not None})
    return {name: replace(one, adjusted=adjusted.get(name)) for name, one in comparisons.items()}


def number_of_tests(comparisons: Iterable[Comparison]) -> int:
    """Return how many metrics were tested: for as many the p-values were corrected."""
    return sum(one.p is not None for one in comparisons)


def paired_p(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the mean of paired differences, by Fisher's test of flipped signs.

    Where the two sides of a pair could as well be the other way round, each sign is a fair coin. The p-value is exact
    for up to 12 pairs that differ, and by 4999 seeded draws for more; pairs without a difference do not change it. Of
    yes and no it is McNemar's exact test.

    Args:
        differences: one finite value a pair

    Returns:
        the p-value; None where fewer than six pairs differ, for then not even equal signs reach 0.05, and such a metric
        need not be corrected for (R. E. Tarone, Biometrics 46, 1990)
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0.0]
    if values.size < FEWEST:
        return None
    # Here, in the function that needs it: importing it takes longer than many a command.
    from scipy.stats import permutation_test

    result = permutation_test(
        (values,),
        lambda values, axis: values.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=_RESAMPLES,
        batch=max(1, 4_000_000 // values.size),
        random_state=RandomStreams(_SEED).generator(f"signs.{values.size}"),
    )
    return float(result.pvalue)


def holm(values: Mapping[str, float]) -> dict[str, float]:
    """Return p-values corrected for their number (S. Holm, Scandinavian Journal of Statistics 6, 1979), by name.

    Whoever calls those significant that are at most 0.05 is wrong about any of them with a chance of 0.05 at most,
    however the metrics depend on each other.
    """
    adjusted, highest = {}, 0.0
    for rank, name in enumerate(sorted(values, key=lambda name: values[name])):
        highest = max(highest, min(1.0, (len(values) - rank) * values[name]))
        adjusted[name] = highest
    return adjusted
