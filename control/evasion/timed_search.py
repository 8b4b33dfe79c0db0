"""The cheapest way through space and time: where to be at each instant, when danger moves.

Time is cut into layers of about a third of a second: a straight step takes two, a diagonal step three (the ratio
of their lengths, within 6 %), and waiting one. From the last layer back to the first, the cost to go of every cell
is the least over its steps, so that the way from the robot's cell is then read off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.timed_grid import TimedGrid

__all__ = ["DIAGONAL", "LAGS", "PERIODS", "STRAIGHT", "Prize", "TimedSearch", "TimedWay", "where_taken"]

_Owners = dict[int, list[tuple[int, float]]]
STRAIGHT, DIAGONAL = 2, 3
"""Layers that a step takes."""
LAGS = np.array([STRAIGHT] * 4 + [DIAGONAL] * 4)
PERIODS = np.array([2.0] * 4 + [2.83] * 4, np.float32)
"""Of the eight neighbours: layers of the step to it, and its length in layers."""


@dataclass(frozen=True, slots=True)
class Prize:
    """Something that ends the hurry where it is reached.

    Attributes:
        cells: where it is taken, shape (k,)
        rest: cost to go after it from each of them, s, shape (k,)
    """

    cells: NDArray[np.intp]
    rest: NDArray[np.float32]

    def within(self, window: NDArray[np.intp]) -> Prize:
        """Return the part of it that lies in a window of cells, which are known by their places in that."""
        inside, order = np.isin(self.cells, window), np.argsort(window)
        return Prize(order[np.searchsorted(window, self.cells[inside], sorter=order)], self.rest[inside])


@dataclass(frozen=True, slots=True)
class TimedWay:
    """A way through space and time.

    Attributes:
        cells: cell by cell, the start first, up to the first wait, which repeats a cell
        layers: at which each is reached
        prize: number of the prize that is taken on it first, or None
        cost: of the way, s
        danger: the part of the cost that stands for danger, s
    """

    cells: tuple[int, ...]
    layers: tuple[int, ...]
    prize: int | None
    cost: float
    danger: float


class TimedSearch:
    """Searches ways on a grid.

    Args:
        grid: cells
        speed: of the robot, m/s
        horizon: of a search, s
        reported: how much of a way is reported, s
    """

    def __init__(self, grid: TimedGrid, speed: float, horizon: float, reported: float) -> None:
        self.grid = grid
        self.period = grid.spacing / speed / STRAIGHT
        self.layers = max(2 * DIAGONAL, round(horizon / self.period))
        self.reported = round(reported / self.period)
        straight, diagonal = (grid.longest(table) for table in (grid.straight, grid.diagonal))
        # A hair's breadth more: sums of lengths are rounded.
        fastest = 1.000001 * max(straight / STRAIGHT, diagonal / DIAGONAL)
        self._farthest = np.arange(self.layers + DIAGONAL, dtype=np.float64) * fastest

    def run(
        self,
        danger: NDArray[np.float32],
        beyond: NDArray[np.float32],
        prizes: Sequence[Prize],
        start: int,
        delays: NDArray[np.intp],
    ) -> TimedWay:
        """Return the cheapest way.

        Args:
            danger: cost of being in a cell during a layer, s, shape (layers, n)
            beyond: cost to go of a cell at the horizon, s, shape (n,)
            prizes: what is to be reached
            start: cell of the robot
            delays: layers that the robot needs to turn towards each of its eight neighbours, shape (8,), straight
                ones first as in the grid's tables
        """
        window, counts = self.grid.nearest_first(start, self._farthest)
        neighbours = self.grid.among(window)
        near = danger[:, window]
        inside = [prize.within(window) for prize in prizes]
        calm = self._costs(near, np.zeros(len(window), np.float32), 0.0, (), None, neighbours, counts)
        hurry = self._costs(near, beyond[window], self.period, inside, calm, neighbours, counts)
        path = self._read(near, hurry, calm, inside, 0, delays, neighbours)
        return replace(path, cells=tuple(window[list(path.cells)].tolist()))

    def _costs(
        self,
        danger: NDArray[np.float32],
        beyond: NDArray[np.float32],
        period: float,
        prizes: Sequence[Prize],
        after: NDArray[np.float32] | None,
        table: NDArray[np.intp],
        counts: NDArray[np.intp],
    ) -> NDArray[np.float32]:
        """Return the cost to go, shape (layers + 3, n + 1); the last column stands for "no cell".

        Found for the cells that the robot can have reached by each layer, which are the first so many.
        """
        count = danger.shape[1]
        costs = np.full((self.layers + DIAGONAL, count + 1), np.inf, np.float32)
        costs[self.layers :, :count] = beyond
        padded = np.zeros((self.layers + DIAGONAL, count), np.float32)
        padded[: self.layers] = danger
        straight, diagonal = table[:4], table[4:]
        taken, rest, _ = where_taken(prizes, count)
        after_step = np.full(count + 1, np.inf, np.float32)
        for layer in range(self.layers - 1, -1, -1):
            cells, near, far = (int(counts[layer + lag]) for lag in (0, STRAIGHT, DIAGONAL))
            here = costs[layer, :cells]
            np.add(costs[layer + 1, :cells], np.float32(period), out=here)
            between = padded[layer + 1]
            for neighbours, last, reached, passed, periods in (
                (straight, STRAIGHT, near, between[:near], PERIODS[0]),
                (diagonal, DIAGONAL, far, between[:far] + padded[layer + 2, :far], PERIODS[4]),
            ):
                np.add(costs[layer + last, :reached], passed, out=after_step[:reached])
                best = after_step.take(neighbours[:, :cells]).min(axis=0)
                best += periods * np.float32(period)
                np.minimum(here, best, out=here)
            here += danger[layer, :cells]
            if after is not None:
                within = int(np.searchsorted(taken, cells))
                some = taken[:within]
                here[some] = np.minimum(here[some], after[layer, some] + rest[:within])
        return costs

    def _read(
        self,
        danger: NDArray[np.float32],
        hurry: NDArray[np.float32],
        calm: NDArray[np.float32],
        prizes: Sequence[Prize],
        start: int,
        delays: NDArray[np.intp],
        table: NDArray[np.intp],
    ) -> TimedWay:
        """Return the way that follows the least costs from the start, after a turn towards its first step.

        It is read up to its first wait, and as far as it is reported to robots.
        """
        padded = np.zeros((self.layers + DIAGONAL, danger.shape[1] + 1), np.float32)
        padded[: self.layers, :-1] = danger
        cells, layers, owners = [start], [0], _owners(prizes)
        prize = _prize_at(start, 0, hurry, calm, owners)
        cell, layer, total = self._first(
            padded, hurry if prize is None else calm, self.period if prize is None else 0.0, start, delays, table
        )
        cells.append(cell)
        layers.append(layer)
        while cells[-1] != cells[-2] and layer < min(self.layers, self.reported):
            if prize is None:
                prize = _prize_at(cell, layer, hurry, calm, owners)
            costs, period = (hurry, self.period) if prize is None else (calm, 0.0)
            cell, layer = _next(padded, costs, period, cell, layer, table[:, cell])
            cells.append(cell)
            layers.append(layer)
        at_risk = float(padded[layers, cells].sum())
        return TimedWay(tuple(cells), tuple(layers), prize, total, at_risk)

    def _first(
        self,
        danger: NDArray[np.float32],
        costs: NDArray[np.float32],
        period: float,
        start: int,
        delays: NDArray[np.intp],
        table: NDArray[np.intp],
    ) -> tuple[int, int, float]:
        """Return the first cell, its layer and the cost: a turn or a wait comes before the step."""
        stay = np.concatenate(([0.0], np.cumsum(danger[1 : self.layers, start]))) + period * np.arange(self.layers)
        best, chosen = float(stay[-1] + costs[self.layers, start]) + period, (start, 1)
        for number in range(8):
            neighbour, lag, turn = int(table[number, start]), int(LAGS[number]), int(delays[number])
            leave = np.arange(turn, self.layers - lag)
            if neighbour == table.shape[1] or not leave.size:
                continue
            cost = stay[leave] + costs[leave + lag, neighbour] + PERIODS[number] * period
            for k in range(1, lag):
                cost = cost + danger[leave + k, neighbour]
            first = int(cost.argmin())
            if cost[first] < best - 1e-4:
                best, chosen = float(cost[first]), (neighbour, turn + lag) if first == 0 else (start, 1)
        return chosen[0], chosen[1], best


def _next(
    danger: NDArray[np.float32],
    costs: NDArray[np.float32],
    period: float,
    cell: int,
    layer: int,
    neighbours: NDArray[np.intp],
) -> tuple[int, int]:
    """Return the next cell and its layer; costs and danger have a column for "no cell"."""
    after = costs[layer + LAGS, neighbours] + danger[layer + 1, neighbours] + PERIODS * np.float32(period)
    after[4:] += danger[layer + 2, neighbours[4:]]
    best = int(after.argmin())
    if after[best] < costs[layer + 1, cell] + period - 1e-5:
        return int(neighbours[best]), layer + int(LAGS[best])
    return cell, layer + 1


def where_taken(prizes: Sequence[Prize], count: int) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.intp]]:
    """Return the cells, of a count of them, in which any prize is taken.

    Returns:
        their numbers, shape (k,); the least cost after it in each, s, shape (k,); by cell the number of the prize that
        has that, shape (count,)
    """
    rest, owners = np.full(count, np.inf, np.float32), np.zeros(count, np.intp)
    for number, prize in enumerate(prizes):
        better = prize.rest < rest[prize.cells]
        cells = prize.cells[better]
        rest[cells], owners[cells] = prize.rest[better], number
    taken = np.flatnonzero(np.isfinite(rest))
    return taken, rest[taken], owners


def _owners(prizes: Sequence[Prize]) -> _Owners:
    """Return, by cell, the numbers of the prizes that are taken there and the costs after them."""
    owners: _Owners = {}
    for number, prize in enumerate(prizes):
        for cell, rest in zip(prize.cells.tolist(), prize.rest.tolist(), strict=True):
            owners.setdefault(cell, []).append((number, rest))
    return owners


def _prize_at(
    cell: int, layer: int, hurry: NDArray[np.float32], calm: NDArray[np.float32], owners: _Owners
) -> int | None:
    """Return the number of the prize whose taking gives this cell its cost, or None."""
    for number, rest in owners.get(cell, ()):
        if calm[layer, cell] + rest <= hurry[layer, cell] + 1e-3:
            return number
    return None
