"""What hunts the robot: where each hunter goes next, wherever the robot is and whichever way it goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.timed_grid import TimedGrid

__all__ = ["Hunter", "HunterState", "Hunters", "ShortestWays"]

_MOST_VALUES = 30_000_000
"""Targets times cells whose ways are remembered; each takes 4 bytes."""


@dataclass(frozen=True, slots=True)
class Hunter:
    """What is believed to hunt the robot.

    Attributes:
        x: place, map frame, m
        y: the same
        speed: m/s
        chance: that it does, 0 to 1
    """

    x: float
    y: float
    speed: float
    chance: float


class ShortestWays:
    """The next cell on the shortest way from any cell to any other; found once they are asked for, and remembered.

    Args:
        grid: cells
    """

    def __init__(self, grid: TimedGrid) -> None:
        self._grid = grid
        self._most = max(1, _MOST_VALUES // len(grid))
        self._rows: NDArray[np.intp] = np.full(len(grid), -1, np.intp)
        self._next: NDArray[np.int32] = np.empty((0, len(grid)), np.int32)

    def trim(self) -> None:
        """Forget all ways where they are too many to be kept: numbers of targets hold no longer."""
        if len(self._next) > self._most:
            self._rows[:] = -1
            self._next = self._next[:0]

    def rows(self, targets: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers by which :meth:`next` knows targets; shape as theirs."""
        missing = np.unique(targets[self._rows[targets] < 0])
        if missing.size:
            self._rows[missing] = len(self._next) + np.arange(missing.size)
            found = self._grid.space.next_nodes(missing).astype(np.int32)
            self._next = np.concatenate((self._next, found))
        return self._rows[targets]

    def next(self, rows: NDArray[np.intp], cells: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the cells that come next on the ways from cells to targets, known by number; who is there stays."""
        return self._next.take(rows * len(self._grid) + cells).astype(np.intp)


@dataclass(frozen=True, slots=True)
class HunterState:
    """Where hunters are, for each of k ways of the robot; shapes (hunters, k).

    Attributes:
        cells: that they left last
        gone: how far they have come on to the next, m
    """

    cells: NDArray[np.intp]
    gone: NDArray[np.float32]


class Hunters:
    """Moves hunters as the robot moves: each goes the shortest way to where it is.

    Args:
        grid: cells
        ways: the shortest ones
        hunters: at least one
    """

    def __init__(self, grid: TimedGrid, ways: ShortestWays, hunters: Sequence[Hunter]) -> None:
        self._ways = ways
        # One number a cell, x + iy, m: both are looked up at once.
        self._points: NDArray[np.complex64] = grid.points.astype(np.float32).view(np.complex64)[:, 0]
        self._longest = np.float32(math.sqrt(2.0) * grid.spacing)
        self.start: NDArray[np.intp] = np.array([grid.space.nearest(one.x, one.y) for one in hunters], np.intp)
        self._speeds = np.array([[one.speed] for one in hunters], np.float32)
        self.chances: NDArray[np.float32] = np.array([[one.chance] for one in hunters], np.float32)

    def __len__(self) -> int:
        return len(self.start)

    def moved(
        self, state: HunterState, seconds: NDArray[np.float32], robot: NDArray[np.intp], target: NDArray[np.intp]
    ) -> tuple[HunterState, NDArray[np.float32]]:
        """Return where hunters are after some time, and how far from the robot, m, shape (hunters, k).

        Args:
            state: where they were
            seconds: that have passed, s, shape (k,)
            robot: its cell, shape (k,)
            target: number of that cell as a target, shape (k,)
        """
        shape = state.cells.shape
        cells, gone = state.cells.ravel(), (state.gone + self._speeds * seconds).ravel()
        targets = np.broadcast_to(target, shape).ravel()
        following, step, length = self._onward(targets, cells)
        moving = np.flatnonzero((gone >= length) & (length > 0.0))
        cells = cells.copy() if moving.size else cells
        while moving.size:
            gone[moving] -= length[moving]
            cells[moving] = following[moving]
            following[moving], step[moving], length[moving] = self._onward(targets[moving], cells[moving])
            there = length[moving]
            moving = moving[(gone[moving] >= there) & (there > 0.0)]
        # One that is where it wants to be gathers no way.
        np.minimum(gone, self._longest, out=gone)
        share = np.divide(gone, length, out=np.zeros_like(gone), where=length > 0.0)
        start, robot_at = self._points.take(cells), self._points.take(robot)
        x = (start.real + share * step.real).reshape(shape) - robot_at.real
        y = (start.imag + share * step.imag).reshape(shape) - robot_at.imag
        return HunterState(cells.reshape(shape), gone.reshape(shape)), np.hypot(x, y)

    def _onward(
        self, targets: NDArray[np.intp], cells: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.complex64], NDArray[np.float32]]:
        """Return the next cells on the ways to targets, the steps there, x + iy, and their lengths, m; shapes (k,)."""
        following = self._ways.next(targets, cells)
        step = self._points.take(following) - self._points.take(cells)
        return following, step, np.hypot(step.real, step.imag)
