"""The cheapest way through space and time before hunters: where they will be depends on the robot's own way.

Forward in time, the best way to each cell by each instant is kept, and with it where that way has led the hunters. So
one way is kept of all that lead to a cell by an instant, and not one for every place where hunters may then be: the
search is not exact, but as fast as one in space and time alone. Of ways that cost the same, the one is kept that leaves
hunters farther behind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.hunters import Hunter, Hunters, HunterState, ShortestWays
from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.evasion.timed_search import DIAGONAL, LAGS, PERIODS, STRAIGHT, Prize, TimedWay, where_taken

__all__ = ["HuntedSearch", "HuntedTask"]

_LAGS, _LENGTHS = np.concatenate(([1], LAGS)), np.concatenate((np.ones(1, np.float32), PERIODS))
"""Of a wait and of the steps from the eight neighbours: how many layers they take, and their lengths in layers."""
_TAKEN = len(_LAGS)
"""What led to a way that is in no hurry: a prize was taken."""
_SPARE = 0.3
"""s that a metre between robot and hunter is worth, among ways that cost nearly the same."""
_FAR = 2.0
"""m; a hunter that is farther away is far."""
_DOUBT = 0.05
"""How deadly a hunter is from the outer distance on, less and less up to twice that: places are known with errors."""
_EASY = 0.5
"""rad; a turn by less than this takes no time."""


@dataclass(frozen=True, slots=True)
class HuntedTask:
    """What a way is searched for.

    Attributes:
        danger: cost of being in a cell during a layer for what does not hunt, s, shape (layers, n)
        beyond: cost to go of a cell at the horizon, s, shape (n,)
        prizes: what is to be reached
        hunters: what hunts, at least one
        deadly: cost of a layer within reach of a hunter, s, shape (layers,)
        heading: in which the robot goes by now, map frame, rad; None where it stands
        turning_back: what it costs to set out in the opposite direction, s
    """

    danger: NDArray[np.float32]
    beyond: NDArray[np.float32]
    prizes: Sequence[Prize]
    hunters: Sequence[Hunter]
    deadly: NDArray[np.float32]
    heading: float | None = None
    turning_back: float = 0.0


class _Ways:
    """The best way to each of k cells by each layer, and to no cell (the last column).

    Attributes:
        cost: of it, s, shape (layers + 1, k + 1)
        heading: of the robot at its end, map frame, rad
        gap: between the robot and the nearest hunter then, at most what is far, m
        danger: the part of the last step's cost that stands for danger, s
        parent: by which of the nine steps it came
        cells: that hunters left last, shape (hunters, (layers + 1) * (k + 1))
        gone: how far they have come since, m
        width: k + 1
    """

    def __init__(self, layers: int, cells: int, hunters: int) -> None:
        shape = (layers + 1, cells + 1)
        self.cost = np.full(shape, np.inf, np.float32)
        self.heading, self.gap, self.danger = (np.zeros(shape, np.float32) for _ in range(3))
        self.parent = np.zeros(shape, np.int8)
        self.width = cells + 1
        self.cells = np.zeros((hunters, (layers + 1) * self.width), np.intp)
        self.gone = np.zeros((hunters, (layers + 1) * self.width), np.float32)


class HuntedSearch:
    """Searches ways on a grid on which hunters follow.

    Args:
        grid: cells
        speed: of the robot, m/s
        turn_speed: of the robot, rad/s
        horizon: of a search, s
        reported: how much of a way is reported, s
        inner: nearer than this a hunter is deadly, m
        outer: farther than this it is all but harmless, m

    Attributes:
        shortest: ways of hunters
        reported: how many layers of a way are reported

    Raises:
        ValueError: the outer distance is not the greater one
    """

    def __init__(
        self,
        grid: TimedGrid,
        speed: float,
        turn_speed: float,
        horizon: float,
        reported: float,
        inner: float,
        outer: float,
    ) -> None:
        if not 0.0 <= inner < outer:
            raise ValueError(f"a hunter is less deadly the farther it is: {inner} m, {outer} m")
        self.grid = grid
        self.period = grid.spacing / speed / STRAIGHT
        self.layers = max(2 * DIAGONAL, round(horizon / self.period))
        self.reported = round(reported / self.period)
        self._turn_speed = np.float32(turn_speed)
        self._inner, self._outer = np.float32(inner), np.float32(outer)
        self.shortest = ShortestWays(grid)

    def run(self, task: HuntedTask, start: int, yaw: float) -> TimedWay:
        """Return the cheapest way that was found.

        Args:
            task: what for
            start: cell of the robot
            yaw: of the robot, map frame, rad
        """
        self.shortest.trim()
        return _Run(self, task, start).search(yaw)

    def waits(self, turns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how long turns (rad, either way) take, s."""
        within = np.minimum(np.abs(turns), np.float32(math.tau) - np.abs(turns))
        return (np.maximum(within - np.float32(_EASY), 0.0) / self._turn_speed).astype(np.float32)

    def reached(self, distances: NDArray[np.float32], chances: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how likely hunters at distances (m), shape (hunters, k), reach the robot, shape (k,)."""
        near = np.clip((self._outer - distances) / (self._outer - self._inner), 0.0, 1.0)
        doubt = _DOUBT * np.clip(2.0 - distances / self._outer, 0.0, 1.0)
        near = chances * np.maximum(near, doubt.astype(np.float32))
        # One dies once: as if hunters were independent.
        found: NDArray[np.float32] = 1.0 - (1.0 - near).prod(axis=0)
        return found


class _Run:
    """One search: the cells that the robot can reach are known by their places in a list, the nearest first."""

    def __init__(self, search: HuntedSearch, task: HuntedTask, start: int) -> None:
        self._search, self._task = search, task
        self._window, self._from, self._counts = _reachable(search, start)
        window, count = self._window, len(self._window)
        points = np.concatenate((search.grid.points[window], np.zeros((1, 2)))).astype(np.float32)
        steps = points[:count] - points[self._from]
        self._headings = np.arctan2(steps[..., 1], steps[..., 0])
        self._setting_out = self._cost_of_setting_out(task)
        self._danger = task.danger[:, window]
        prizes = [prize.within(window) for prize in task.prizes]
        self._taken, self._rest, self._owners = where_taken(prizes, count)
        self._hunters = Hunters(search.grid, search.shortest, task.hunters)
        self._own = search.shortest.rows(window)
        self._hurry, self._calm = (_Ways(search.layers, count, len(self._hunters)) for _ in range(2))
        # Where the sources of a layer's ways are, counted from its first place, in the arrays of all layers.
        self._sources = self._from - _LAGS[:, None] * self._hurry.width
        self._lengths = _LENGTHS[:, None] * np.float32(search.period)

    def search(self, yaw: float) -> TimedWay:
        """Return the cheapest way of a robot that heads there (map frame, rad)."""
        self._hurry.cost[0, 0], self._hurry.heading[0, 0] = 0.0, yaw
        self._hurry.cells[:, : self._hurry.width] = self._hunters.start[:, None]
        self._take(0)
        for layer in range(1, self._search.layers + 1):
            self._extend(self._hurry, layer, True)
            self._extend(self._calm, layer, False)
            self._take(layer)
        return self._read()

    def _cost_of_setting_out(self, task: HuntedTask) -> NDArray[np.float32]:
        """Return what each first step costs for another direction than the robot's, s; a wait costs nothing."""
        if task.heading is None:
            return np.zeros_like(self._headings)
        share = 0.5 - 0.5 * np.cos(self._headings - np.float32(task.heading))
        share[0] = 0.0
        cost: NDArray[np.float32] = np.float32(task.turning_back) * share
        return cost

    def _take(self, layer: int) -> None:
        """Let ways that are in a cell of a prize take it: from then on they are in no hurry."""
        hurry, calm = self._hurry, self._calm
        costs = hurry.cost[layer, self._taken] + self._rest
        better = costs < calm.cost[layer, self._taken]
        cells = self._taken[better]
        if not cells.size:
            return
        for name in ("heading", "gap", "danger"):
            getattr(calm, name)[layer, cells] = getattr(hurry, name)[layer, cells]
        here = layer * calm.width + cells
        for name in ("cells", "gone"):
            getattr(calm, name)[:, here] = getattr(hurry, name)[:, here]
        calm.cost[layer, cells], calm.parent[layer, cells] = costs[better], _TAKEN

    def _extend(self, ways: _Ways, layer: int, hasty: bool) -> None:
        """Find the best ways that end at a layer; in haste a second costs one, and else nothing."""
        count = int(self._counts[layer])
        steps = 1 + 4 * (layer >= STRAIGHT) + 4 * (layer >= DIAGONAL)
        sources = self._sources[:steps, :count] + layer * ways.width
        costs = ways.cost.take(sources)
        # Those to which no way leads by then are left out.
        cells = np.flatnonzero(np.isfinite(costs.min(axis=0)))
        if not cells.size:
            return
        sources, costs, onward = (array[:, cells] for array in (sources, costs, self._headings[:steps]))
        if hasty:
            waits = self._search.waits(onward - ways.heading.take(sources))
            waits[0] = 0.0
            costs += self._lengths[:steps]
            costs += waits
        if self._task.heading is not None:
            costs += np.where(self._from[:steps, cells] == 0, self._setting_out[:steps, cells], np.float32(0.0))
        score = ways.gap.take(sources)
        score *= np.float32(_SPARE)
        best = np.subtract(costs, score, out=score).argmin(axis=0)
        lags, chosen = _LAGS[best], best * len(cells) + np.arange(len(cells))
        source = sources.take(chosen)
        heading = ways.heading.take(source)
        there = np.where(best == 0, heading, onward.take(chosen))
        seconds = (lags * self._search.period + self._search.waits(there - heading)).astype(np.float32)
        state = HunterState(ways.cells.take(source, axis=1), ways.gone.take(source, axis=1))
        state, distances = self._hunters.moved(state, seconds, self._window[cells], self._own[cells])
        last = min(layer, len(self._danger) - 1)
        hunted = self._search.reached(distances, self._hunters.chances) * self._task.deadly[last]
        danger = (self._danger[last, cells] + hunted) * lags
        here = layer * ways.width + cells
        ways.cost[layer, cells] = costs.take(chosen) + danger
        ways.heading[layer, cells] = there
        ways.gap[layer, cells] = np.minimum(distances.min(axis=0), _FAR)
        ways.danger[layer, cells], ways.parent[layer, cells] = danger, best
        ways.cells[:, here], ways.gone[:, here] = state.cells, state.gone

    def _read(self) -> TimedWay:
        """Return the best way, up to its first prize, its first wait, or as far as it is reported to robots."""
        count, layer = len(self._window), self._search.layers
        ends = np.stack(
            (
                self._hurry.cost[layer, :count]
                + self._task.beyond[self._window]
                - _SPARE * self._hurry.gap[layer, :count],
                self._calm.cost[layer, :count] - _SPARE * self._calm.gap[layer, :count],
            )
        )
        calm, cell = (int(index) for index in np.unravel_index(ends.argmin(), ends.shape))
        ways, prize, taken = (self._calm if calm else self._hurry), None, 0
        places: list[tuple[int, int, float]] = []
        total = float(ways.cost[layer, cell]) + (0.0 if calm else float(self._task.beyond[self._window[cell]]))
        while layer > 0 or ways is self._calm:
            parent = int(ways.parent[layer, cell])
            if parent == _TAKEN:
                ways, prize, taken = self._hurry, int(self._owners[cell]), layer
                continue
            places.append((cell, layer, float(ways.danger[layer, cell])))
            cell, layer = int(self._from[parent, cell]), layer - int(_LAGS[parent])
        cells, layers, at_risk = [0], [0], 0.0
        for cell, layer, danger in reversed(places):
            cells.append(cell)
            layers.append(layer)
            at_risk += danger
            if cell == cells[-2] or layer >= self._search.reported or layer == taken:
                break
        return TimedWay(tuple(self._window[cells].tolist()), tuple(layers), prize, total, at_risk)


def _reachable(search: HuntedSearch, start: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the k cells that can be reached from one within the horizon, the nearest first.

    Returns:
        their numbers, shape (k,); the places in that list of each and its eight neighbours, k for none, shape (9, k);
        how many of the cells can be reached by each layer, shape (layers + 1,)
    """
    grid = search.grid
    # A diagonal step takes three layers for the length of 2.83.
    farthest = np.arange(search.layers + 1) * grid.spacing / STRAIGHT + 0.5 * grid.spacing
    cells, counts = grid.nearest_first(start, farthest)
    return cells, np.concatenate((np.arange(len(cells))[None], grid.among(cells))), counts
