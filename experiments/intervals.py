"""Estimates with 95 % intervals: Wilson for rates, a seeded bootstrap over trials for everything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from arena_trees.robot.random_streams import RandomStreams

__all__ = ["FEWEST", "Estimate", "mean", "median", "quantile", "rate", "ratio"]

FEWEST = 6
"""Fewest trials, or pairs of them, for a conclusion about other trials: of five values of one sign, a
bootstrap's interval excludes zero, and yet a fair coin shows five equal sides with a chance of 1 in 16, above 0.05."""

_NORMAL = NormalDist().inv_cdf(0.975)
_RESAMPLES = 4000
_SEED = 95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % interval.

    Attributes:
        kind: ``rate`` for a share of trials, ``median`` for a median of trials, ``quantile`` for another quantile,
            ``mean`` for everything else
        value: the figure, None where no trial had one
        low: lower end of the interval, None where it cannot be estimated
        high: upper end of the interval, None where it cannot be estimated
        n: trials that had a value
        least: smallest value of a trial, None for rates
        most: largest value of a trial, None for rates
    """

    kind: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    least: float | None = None
    most: float | None = None

    def to_dict(self) -> dict[str, float | int | None]:
        """Return the estimate as results files hold it."""
        values: dict[str, float | int | None] = {
            self.kind: self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
        }
        if self.least is not None:
            values |= {"min": self.least, "max": self.most}
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Estimate:
        """Return the estimate that results files hold.

        Raises:
            KeyError: they hold something else
        """
        kind = next((kind for kind in ("rate", "median", "quantile") if kind in values), "mean")
        ends = (values["low"], values["high"], values["n"])
        return cls(kind, values[kind], *ends, values.get("min"), values.get("max"))


def rate(outcomes: Sequence[bool]) -> Estimate:
    """Return the share of successes with Wilson's interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).

    By its formula, for importing a library for it takes longer than many a command.
    """
    if not outcomes:
        return Estimate("rate", None, None, None, 0)
    successes, n = sum(outcomes), len(outcomes)
    share = successes / n
    middle = share + _NORMAL**2 / (2 * n)
    half = _NORMAL * math.sqrt(share * (1.0 - share) / n + (_NORMAL / (2 * n)) ** 2)
    low, high = ((middle + end) / (1.0 + _NORMAL**2 / n) for end in (-half, half))
    return Estimate("rate", share, low if successes else 0.0, high if successes < n else 1.0, n)


def mean(values: Sequence[float], count: bool = False) -> Estimate:
    """Return the mean with a percentile bootstrap interval, of six values or more.

    Args:
        values: one finite value a trial
        count: the values count rare events. Where none was seen, a bootstrap would claim to be
            sure; the upper end is then the exact Poisson bound, -ln(0.025) / n.
    """
    estimate = ratio(values, [1.0] * len(values))
    if count and estimate.n and not any(values):
        estimate = replace(estimate, high=-math.log(0.025) / estimate.n)
    return estimate


def median(values: Sequence[float]) -> Estimate:
    """Return the median with a percentile bootstrap interval, of six values or more."""
    return _of_sorted("median", values, np.median)


def quantile(values: Sequence[float], share: float) -> Estimate:
    """Return the value below which a share of the trials lies, with a percentile bootstrap interval of six or more.

    Args:
        values: one finite value a trial
        share: 0 to 1
    """
    return _of_sorted("quantile", values, lambda own, axis=None: np.quantile(own, share, axis))


def _of_sorted(kind: str, values: Sequence[float], statistic: Callable[..., Any]) -> Estimate:
    if not values:
        return Estimate(kind, None, None, None, 0)
    own = np.asarray(values, dtype=np.float64)
    low, high = _interval((own,), lambda own, axis: statistic(own, axis=axis))
    return Estimate(kind, float(statistic(own)), low, high, own.size, float(own.min()), float(own.max()))


def ratio(sums: Sequence[float], weights: Sequence[float]) -> Estimate:
    """Return the mean over all ticks of all trials, with an interval over trials.

    Args:
        sums: sum over a trial's ticks, one a trial
        weights: number of ticks, one a trial; trials without any do not count
    """
    total = np.asarray(sums, dtype=np.float64)
    ticks = np.asarray(weights, dtype=np.float64)
    total, ticks = total[ticks > 0.0], ticks[ticks > 0.0]
    if not ticks.size:
        return Estimate("mean", None, None, None, 0)
    low, high = _interval((total, ticks), lambda sums, weights, axis: sums.sum(axis) / weights.sum(axis))
    own = total / ticks
    value = float(total.sum() / ticks.sum())
    return Estimate("mean", value, low, high, ticks.size, float(own.min()), float(own.max()))


def _interval(
    samples: tuple[np.ndarray, ...], statistic: Callable[..., np.ndarray]
) -> tuple[float | None, float | None]:
    """Return the ends of the interval; too few trials have none."""
    size = samples[0].size
    if size < FEWEST:
        return None, None
    # Here, where it is needed: importing it takes longer than many a command.
    from scipy.stats import bootstrap

    interval = bootstrap(
        samples,
        statistic,
        paired=len(samples) > 1,
        vectorized=True,
        method="percentile",
        n_resamples=_RESAMPLES,
        # All resamples of many thousand trials at once would not fit into memory.
        batch=max(1, 4_000_000 // size),
        random_state=RandomStreams(_SEED).generator(f"bootstrap.{size}"),
    ).confidence_interval
    return float(interval.low), float(interval.high)
