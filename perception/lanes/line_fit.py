"""Fits straight lines to points with outliers: a vote over headings and offsets, then least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.lanes.line_points import Points

__all__ = ["Candidate", "Fit", "Search", "find_beside", "find_candidates", "fit_together"]

_STEEPEST = math.radians(42.0)
_HEADINGS = np.arange(-_STEEPEST, _STEEPEST + 1e-6, math.radians(2.0))
_OFF = math.radians(8.0)
"""Farther off the heading that is expected no line is looked for, rad."""

_BIN = 0.02
"""Width of a bin of offsets, m."""

_NEAR = (0.045, 0.03, 0.02)
"""Points farther (m) from a line are left out, fit by fit."""

_FEWEST = 8
_NOISE = 0.006
"""Standard deviation of a point across its line, m; worse where the points say so."""

_ALIKE = 5.0
"""So many neighbouring points are off together: they count as one."""

_HEADING_SIGMA = math.radians(1.0)


@dataclass(frozen=True, slots=True)
class Search:
    """Where a line is looked for.

    Attributes:
        low: smallest offset, m
        high: largest offset, m
        likely: offset that wins among equals, m
    """

    low: float
    high: float
    likely: float


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What may be a line.

    Attributes:
        offset: of base_link's nearest point on it, m, left positive
        heading: rad
        votes: weight of its points
        points: those on it
    """

    offset: float
    heading: float
    votes: float
    points: Points


@dataclass(frozen=True, slots=True)
class Fit:
    """Parallel lines.

    Attributes:
        heading: rad
        offsets: of base_link's nearest point on each, m, left positive
        sigmas: standard deviation of each offset, m
    """

    heading: float
    offsets: tuple[float, ...]
    sigmas: tuple[float, ...]


def find_candidates(points: Points, search: Search, heading: float | None = None, most: int = 3) -> list[Candidate]:
    """Return the lines that have the most points, the best first.

    Args:
        points: of one ink
        search: where the line is looked for
        heading: that is expected, rad
        most: lines returned
    """
    found: list[Candidate] = []
    rest = points
    for _ in range(2 * most):
        guess = _vote(rest, search, heading) if len(rest) >= _FEWEST else None
        if guess is None or len(found) == most:
            break
        candidate = find_beside(rest, *guess, heading)
        offset, direction = guess if candidate is None else (candidate.offset, candidate.heading)
        if candidate is not None and search.low <= candidate.offset <= search.high:
            found.append(candidate)
        # What was not enough for a line must not hide another one.
        rest = rest.pick(np.abs(_distance(rest, offset, direction)) > _NEAR[0])
    return sorted(found, key=lambda candidate: -candidate.votes * _likeliness(candidate.offset, search))


def find_beside(points: Points, offset: float, heading: float, expected: float | None = None) -> Candidate | None:
    """Return the line near a guess, or None where too few points are on it.

    Args:
        points: of one ink
        offset: guessed, m
        heading: guessed, rad
        expected: heading that is expected, rad
    """
    chosen = points
    for near in _NEAR:
        chosen = points.pick(np.abs(_distance(points, offset, heading)) <= near)
        if len(chosen) < _FEWEST or float(np.ptp(chosen.x)) < 0.05:
            return None
        fit = fit_together([chosen], expected)
        heading, offset = fit.heading, fit.offsets[0]
    return Candidate(offset, heading, float(chosen.weight.sum()), chosen)


def fit_together(groups: Sequence[Points], heading: float | None = None) -> Fit:
    """Return parallel lines through points of each of them, by weighted least squares.

    Args:
        groups: points of each line, not empty
        heading: that is expected, rad, within a degree (standard deviation)
    """
    x = np.concatenate([group.x for group in groups])
    y = np.concatenate([group.y for group in groups])
    weight = np.concatenate([group.weight for group in groups])
    matrix = np.zeros((len(x), 1 + len(groups)))
    matrix[:, 0] = x
    begin = 0
    for number, group in enumerate(groups):
        matrix[begin : begin + len(group), 1 + number] = 1.0
        begin += len(group)
    normal = matrix.T @ (matrix * weight[:, None])
    right = matrix.T @ (y * weight)
    expected = _NOISE**2 * _ALIKE / _HEADING_SIGMA**2
    if heading is not None:
        normal[0, 0] += expected
        right[0] += expected * math.tan(heading)
    # Points that are all at one place say nothing of the heading.
    normal[0, 0] += 1e-9
    solution = np.linalg.solve(normal, right)
    spread = float(np.average((matrix @ solution - y) ** 2, weights=weight))
    variances = np.diag(np.linalg.inv(normal)) * _ALIKE * max(_NOISE**2, spread)
    found = math.atan(float(solution[0]))
    cosine = math.cos(found)
    offsets = tuple(float(value) * cosine for value in solution[1:])
    return Fit(found, offsets, tuple(math.sqrt(float(value)) * cosine for value in variances[1:]))


def _vote(points: Points, search: Search, expected: float | None) -> tuple[float, float] | None:
    """Return offset and heading with the most votes, or None."""
    near = np.abs(_HEADINGS - (0.0 if expected is None else expected))
    headings = _HEADINGS[near <= (_STEEPEST + 1e-6 if expected is None else _OFF)]
    places = np.outer(np.cos(headings), points.y) - np.outer(np.sin(headings), points.x)
    count = math.ceil((search.high - search.low) / _BIN) + 1
    bins = np.floor((places - search.low) / _BIN).astype(np.int64)
    inside = (bins >= 0) & (bins < count)
    if not inside.any():
        return None
    bins += count * np.arange(len(headings))[:, None]
    weights = np.broadcast_to(points.weight, bins.shape)
    votes = np.bincount(bins[inside], weights[inside], minlength=count * len(headings)).reshape(len(headings), count)
    # A line lies across two bins as often as not.
    votes[:, :-1] += votes[:, 1:]
    offsets = search.low + _BIN * (np.arange(count) + 1.0)
    row, column = divmod(int((votes * _likeliness(offsets, search)).argmax()), count)
    return float(offsets[column]), float(headings[row])


def _distance(points: Points, offset: float, heading: float) -> NDArray[np.float64]:
    found: NDArray[np.float64] = points.y * math.cos(heading) - points.x * math.sin(heading) - offset
    return found


def _likeliness(offset: Any, search: Search) -> Any:
    return np.exp(-(((offset - search.likely) / 0.5) ** 2))
