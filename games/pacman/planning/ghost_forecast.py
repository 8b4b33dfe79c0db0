"""Where a ghost may be by when: the targets that fit its motion so far, walked to on the shortest ways."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.games.pacman.messages import GhostView

__all__ = ["PUT_ELSEWHERE", "ForecastParameters", "GhostForecast", "GhostTrail", "Landmarks"]

_FEWEST = 24
_MOST_VALUES = 2_000_000
"""Landmarks times cells; each takes 28 bytes."""
_FAR = 1e4
"""m; stands for a landmark without a way to it, so that sums stay finite."""
_SAMPLE = 0.1
"""m of a ghost's way between two places that are remembered."""
PUT_ELSEWHERE = 1.0
"""m; a ghost that is farther off than this from one message to the next has been put elsewhere."""
_AHEAD = 0.5
"""m ahead of a ghost, at which it must be nearer to its target."""
_UNFIT = 0.2
"""Where no landmark fits better, the ghost has turned to another target."""
_CHANGE = 0.25
"""Chance at each step that a walker goes on straight instead of diagonally, or diagonally instead of straight."""


@dataclass(frozen=True, slots=True)
class ForecastParameters:
    """How ghosts are foreseen.

    Attributes:
        targets: places that stand for all the targets a ghost may have
        walkers: imagined ghosts for each real one
        slack: m; how much shorter than the way it made a ghost's progress to its target may be
        window: m of its way over which its newest course is judged
        stationary_radius: m; a ghost that stays within it for long is taken to stay about that place
        stationary_way: m of its way within that radius, at which both are as likely
    """

    targets: int = 192
    walkers: int = 256
    slack: float = 0.09
    window: float = 1.0
    stationary_radius: float = 1.7
    stationary_way: float = 6.0


class Landmarks:
    """Places that stand for all targets, with the distance of every cell to each and the next cells on the way.

    Of equally short ways the grid has many. Two next cells are kept: one next to the cell where a shortest way leads
    there, and one across its corner.

    Attributes:
        cells: of the landmarks, shape (m,)
        fields: distance (m) of every cell to each, shape (m, n)
        steps: the next cell on the way from every cell to each, straight where possible and then diagonal where
            possible, shape (2, m, n)
        lengths: of those steps, m, infinite where the landmark is reached, shape (2, m, n)

    Args:
        grid: cells
        count: wished-for number of landmarks; fewer where the map is so large that they would need much memory
        rng: draws them
    """

    def __init__(self, grid: TimedGrid, count: int, rng: np.random.Generator) -> None:
        self.grid = grid
        count = min(count, max(_FEWEST, _MOST_VALUES // len(grid)), len(grid))
        self.cells: NDArray[np.intp] = np.sort(rng.choice(len(grid), count, replace=False))
        space = grid.space
        fields = np.stack([space.distances_from_node(int(cell)) for cell in self.cells])
        self.fields = np.minimum(fields, _FAR).astype(np.float32)
        padded = np.concatenate([self.fields, np.full((len(self.cells), 1), np.inf, np.float32)], axis=1)
        straight, diagonal = (self._towards(padded, table) for table in (grid.straight, grid.diagonal))
        own = np.arange(len(grid))
        first, second = np.where(straight < 0, diagonal, straight), np.where(diagonal < 0, straight, diagonal)
        self.steps = np.where(first < 0, own, np.stack((first, second)))
        gaps = grid.points[self.steps] - grid.points
        lengths = np.hypot(gaps[..., 0], gaps[..., 1]).astype(np.float32)
        self.lengths = np.where(lengths > 0.0, lengths, np.float32(np.inf))

    def _towards(self, padded: NDArray[np.float32], table: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the first neighbour of a table that lies on a shortest way, or -1, shape (m, n)."""
        found = np.full(self.fields.shape, -1, np.intp)
        points = np.concatenate([self.grid.points, np.full((1, 2), np.inf)])
        for neighbours in table:
            step = np.hypot(*(points[neighbours] - self.grid.points).T).astype(np.float32)
            on_way = padded[:, neighbours] + step <= self.fields + np.float32(1e-3)
            found = np.where((found < 0) & on_way, neighbours, found)
        return found

    def distances(self, x: float, y: float) -> NDArray[np.float64]:
        """Return the distance (m) of a point to each landmark, shape (m,); finer than the cells."""
        return self.grid.values_at(self.fields, x, y)


class GhostTrail:
    """What one ghost did so far, and which targets that fits.

    Args:
        landmarks: the targets
        parameters: how ghosts are foreseen
    """

    def __init__(self, landmarks: Landmarks, parameters: ForecastParameters) -> None:
        self.landmarks = landmarks
        self.parameters = parameters
        self._ghost: GhostView | None = None
        self._path = 0.0
        self._samples: deque[_Sample] = deque(maxlen=150)
        self._anchor: _Sample | None = None

    def add(self, ghost: GhostView) -> None:
        """Take in where the ghost is now."""
        before, self._ghost = self._ghost, ghost
        step = 0.0 if before is None else math.hypot(ghost.x - before.x, ghost.y - before.y)
        if step > PUT_ELSEWHERE:
            self._samples.clear()
            self._anchor = None
        self._path += step
        if not self._samples or self._path - self._samples[-1].path >= _SAMPLE:
            self._samples.append(self._sample(ghost.x, ghost.y))
            self._anchor = self._anchor or self._samples[-1]

    def likelihood(self) -> NDArray[np.float64]:
        """Return how well each landmark fits as the target, shape (m,), not normalised."""
        ghost, anchor = self._ghost, self._anchor
        if ghost is None or anchor is None:
            return np.ones(len(self.landmarks.cells))
        here = self._sample(ghost.x, ghost.y)
        ahead = self._ahead(ghost, here)
        recent = ahead * self._fit(self._window(), here)
        fit = recent * self._fit(anchor, here)
        if fit.max() < _UNFIT:
            # It has turned to another target: what it did before is no evidence any more.
            self._anchor = here
            fit = ahead
        return fit + 1e-4

    def stationary_likelihood(self) -> tuple[float, NDArray[np.float64]]:
        """Return how likely it is (0 to 1) that the ghost stays about one place, and which landmarks lie there."""
        radius, inside = self.parameters.stationary_radius, 0.0
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        centre = np.zeros(2)
        for sample in reversed(self._samples):
            low, high = np.minimum(low, (sample.x, sample.y)), np.maximum(high, (sample.x, sample.y))
            if math.hypot(*(high - low)) > 2.0 * radius:
                break
            centre, inside = 0.5 * (low + high), self._path - sample.path
        places = self.landmarks.grid.points[self.landmarks.cells]
        near = (np.hypot(*(places - centre).T) < radius).astype(np.float64)
        if not near.any():
            return 0.0, near
        return 1.0 / (1.0 + math.exp(2.0 * (self.parameters.stationary_way - inside))), near

    def _sample(self, x: float, y: float) -> _Sample:
        return _Sample(self._path, x, y, self.landmarks.distances(x, y))

    def _window(self) -> _Sample:
        for sample in reversed(self._samples):
            if self._path - sample.path >= self.parameters.window:
                return sample
        return self._samples[0]

    def _fit(self, before: _Sample, here: _Sample) -> NDArray[np.float64]:
        made = here.path - before.path
        return _bell(made - (before.distances - here.distances), self.parameters.slack + 0.1 * made)

    def _ahead(self, ghost: GhostView, here: _Sample) -> NDArray[np.float64]:
        """Return how well the ghost's heading fits each landmark: a step along it must bring the ghost nearer."""
        speed = math.hypot(ghost.vx, ghost.vy)
        if speed < 1e-3:
            return np.ones(len(self.landmarks.cells))
        step = _AHEAD / speed
        there = self.landmarks.distances(ghost.x + step * ghost.vx, ghost.y + step * ghost.vy)
        return _bell(_AHEAD - (here.distances - there), self.parameters.slack)


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Where a ghost was: way it had made (m), place (map frame, m), distances to the landmarks (m)."""

    path: float
    x: float
    y: float
    distances: NDArray[np.float64]


def _bell(error: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.exp(-0.5 * (error / sigma) ** 2)
    return found


class GhostForecast:
    """Foresees ghosts: for each instant of a horizon, how likely each cell is to be deadly.

    Args:
        grid: cells
        parameters: how ghosts are foreseen
        rng: random numbers, drawn once: the same ghosts are always foreseen alike
    """

    def __init__(self, grid: TimedGrid, parameters: ForecastParameters, rng: np.random.Generator) -> None:
        self.grid = grid
        self.parameters = parameters
        self.landmarks = Landmarks(grid, parameters.targets, rng)
        walkers = parameters.walkers
        # Evenly spread, so that few walkers stand for a distribution well.
        self._first = (np.arange(walkers) + 0.5) / walkers
        self._later = rng.random((8, walkers))
        self._changes = rng.random((64, walkers)) < _CHANGE
        self._trails: dict[str, GhostTrail] = {}

    def watch(self, ghost: GhostView) -> None:
        """Take in where a ghost is now."""
        if ghost.name not in self._trails:
            self._trails[ghost.name] = GhostTrail(self.landmarks, self.parameters)
        self._trails[ghost.name].add(ghost)

    def reset(self) -> None:
        """Forget every trail: a new game begins."""
        self._trails.clear()

    def presence(self, ghost: GhostView, layers: int, period: float) -> NDArray[np.float32]:
        """Return how likely the ghost is to be in each cell at each instant, shape (layers, n).

        Args:
            ghost: that has been watched
            layers: number of instants; the first is now
            period: between two, s
        """
        weights, prior = self._beliefs(ghost)
        count, cells = len(self.grid), np.full(self.parameters.walkers, self.grid.space.nearest(ghost.x, ghost.y))
        total, later = np.cumsum(weights), np.cumsum(prior)
        goals = _drawn(total, self._first)
        budget = np.full(self.parameters.walkers, 0.5 * self.grid.spacing, np.float32)
        chosen, used = np.empty((layers, self.parameters.walkers), np.intp), 0
        steps, lengths = self.landmarks.steps.ravel(), self.landmarks.lengths.ravel()
        rows, ends = goals * count, self.landmarks.cells[goals]
        aslant, half = np.full(self.parameters.walkers, _is_aslant(ghost)), self.landmarks.fields.size
        for layer in range(layers):
            chosen[layer] = cells
            budget += np.float32(ghost.speed * period)
            for _ in range(1 + int(ghost.speed * period / self.grid.spacing)):
                place = rows + cells + half * aslant
                length = lengths.take(place)
                go = budget >= length
                aslant ^= go & self._changes[layer % len(self._changes)]
                cells = np.where(go, steps.take(place), cells)
                budget = np.where(go, budget - length, budget)
            arrived = np.flatnonzero(cells == ends)
            if arrived.size:
                goals = _drawn(later, self._later[used % len(self._later)].take(arrived))
                used += 1
                rows[arrived], ends[arrived] = goals * count, self.landmarks.cells.take(goals)
        flat = (np.arange(layers)[:, None] * count + chosen).ravel()
        shares = (np.arange(self.parameters.walkers + 1) / self.parameters.walkers).astype(np.float32)
        return shares.take(np.bincount(flat, minlength=layers * count)).reshape(layers, count)

    def _beliefs(self, ghost: GhostView) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weight of each landmark as the ghost's target now, and as one of its later ones."""
        trail = self._trails[ghost.name]
        share, near = trail.stationary_likelihood()
        reached = (self.landmarks.fields[:, self.grid.space.nearest(ghost.x, ghost.y)] < _FAR).astype(np.float64)
        # Where none can be reached the ghost is foreseen to stay.
        prior = (1.0 - share) * (reached if reached.any() else np.ones_like(reached)) / max(1.0, reached.sum())
        if share > 0.0:
            prior += share * near / near.sum()
        return trail.likelihood() * prior, prior


def _drawn(cumulated: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the numbers that shares (0 to 1) of a cumulated weight fall on."""
    found: NDArray[np.intp] = np.searchsorted(cumulated, shares * cumulated[-1]).clip(max=len(cumulated) - 1)
    return found


def _is_aslant(ghost: GhostView) -> bool:
    """Return whether a ghost moves diagonally, as far as the map's axes are the grid's."""
    low, high = sorted((abs(ghost.vx), abs(ghost.vy)))
    return low > 0.4 * high
