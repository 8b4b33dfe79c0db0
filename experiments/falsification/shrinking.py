"""Shrinking: the least of what breaks a promise that still does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena_trees.experiments.falsification.search import Falsifier, Try

__all__ = ["shrink"]

_MOST_DIGITS = 4


def shrink(falsifier: Falsifier, found: Try) -> Try:
    """Return a point that changes as little as it can and still breaks the promise, in whichever of its trials.

    Keys are given up one after the other, as long as one can be; then numbers lose digits.

    Args:
        falsifier: plays points
        found: a point that breaks the promise
    """
    best = found
    given_up = True
    while given_up:
        given_up = False
        for key in list(best.values):
            fewer = {other: value for other, value in best.values.items() if other != key}
            tried = _tried(falsifier, fewer)
            if tried is not None:
                best, given_up = tried, True
    for key in list(best.values):
        best = _rounded(falsifier, best, key)
    return best


def _rounded(falsifier: Falsifier, best: Try, key: str) -> Try:
    value = best.values[key]
    if not isinstance(value, float):
        return best
    for digits in range(1, _MOST_DIGITS + 1):
        number = float(f"{value:.{digits}g}")
        tried = None if number == value else _tried(falsifier, {**best.values, key: number})
        if tried is not None:
            return tried
    return best


def _tried(falsifier: Falsifier, values: Mapping[str, Any]) -> Try | None:
    """Return what became of a point, where it breaks the promise."""
    (tried,) = falsifier.play([values])
    return tried if tried.broken else None
