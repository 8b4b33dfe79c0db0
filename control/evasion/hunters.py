"""What hunts the robot: where each hunter goes next, wherever the robot is and whichever way it goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.timed_grid import TimedGrid

__all__ = ["Hunter", "HunterState", "Hunters", "Policy", "ShortestWays"]

Policy = Literal["chases", "cuts_off"]
"""How one hunts: it goes to where the robot is, or to meet it on its way to a goal."""

_POUNCE = 1.0
"""m; nearer to the robot, one that cuts off chases."""
_DOUBLINGS = 6
"""Places 1 to 32 steps ahead of the robot are looked at."""
_MOST_VALUES = 30_000_000
"""Targets times cells whose ways are remembered; each takes 4 bytes."""


@dataclass(frozen=True, slots=True)
class Hunter:
    """What is believed to hunt the robot.

    Attributes:
        x: place, map frame, m
        y: the same
        speed: m/s
        policy: how it hunts
        chance: that it does, 0 to 1
    """

    x: float
    y: float
    speed: float
    policy: Policy
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
        return self._next[rows, cells].astype(np.intp)


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
    """Moves hunters as the robot moves.

    Args:
        grid: cells
        ways: the shortest ones
        hunters: at least one
        goals: cells of what the robot may go to, shape (p,); may be none
        fields: way of every cell to each of them, m, shape (p, n)
        speed: of the robot, m/s
    """

    def __init__(
        self,
        grid: TimedGrid,
        ways: ShortestWays,
        hunters: Sequence[Hunter],
        goals: NDArray[np.intp],
        fields: NDArray[np.float64],
        speed: float,
    ) -> None:
        self._ways = ways
        self._points = grid.points.astype(np.float32)
        self._longest = np.float32(math.sqrt(2.0) * grid.spacing)
        self.start: NDArray[np.intp] = np.array([grid.space.nearest(one.x, one.y) for one in hunters], np.intp)
        self._speeds = np.array([[one.speed] for one in hunters], np.float32)
        # Where there is nothing to go to, one that cuts off chases.
        self._cuts = np.array([[one.policy == "cuts_off" and len(goals) > 0] for one in hunters])
        self.chances: NDArray[np.float32] = np.array([[one.chance] for one in hunters], np.float32)
        self._goals = goals
        self._ahead = _ahead(ways, goals, fields) if self._cuts.any() else []
        self._pace = self._speeds / np.float32(speed)

    def __len__(self) -> int:
        return len(self.start)

    def moved(
        self,
        state: HunterState,
        seconds: NDArray[np.float32],
        robot: NDArray[np.intp],
        own: NDArray[np.intp],
        goal: NDArray[np.intp],
    ) -> tuple[HunterState, NDArray[np.float32]]:
        """Return where hunters are after some time, and how far from the robot, m, shape (hunters, k).

        Args:
            state: where they were
            seconds: that have passed, s, shape (k,)
            robot: its cell, shape (k,)
            own: number of that cell as a target, shape (k,)
            goal: number of the goal that it goes for, shape (k,)
        """
        cells, gone = state.cells, state.gone + self._speeds * seconds
        targets = np.broadcast_to(own, cells.shape)
        if self._cuts.any():
            near = self._distance(cells, robot) < _POUNCE
            meeting = self._ways.rows(self._meeting(cells, robot, goal))
            targets = np.where(self._cuts & ~near, meeting, targets)
        following = self._ways.next(targets, cells)
        step = self._points[following] - self._points[cells]
        length = np.hypot(step[..., 0], step[..., 1])
        while (on := (gone >= length) & (length > 0.0)).any():
            gone = np.where(on, gone - length, gone)
            cells = np.where(on, following, cells)
            following = self._ways.next(targets, cells)
            step = self._points[following] - self._points[cells]
            length = np.hypot(step[..., 0], step[..., 1])
        # One that is where it wants to be gathers no way.
        gone = np.minimum(gone, self._longest)
        share = np.divide(gone, length, out=np.zeros_like(gone), where=length > 0.0)
        places = self._points[cells] + share[..., None] * step
        away = places - self._points[robot]
        return HunterState(cells, gone), np.hypot(away[..., 0], away[..., 1])

    def _meeting(self, cells: NDArray[np.intp], robot: NDArray[np.intp], goal: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the first cells on the robot's way to its goal where hunters are first, else the goal's."""
        meeting = np.broadcast_to(self._goals[goal], cells.shape)
        for places, lengths in reversed(self._ahead):
            place = places[goal, robot]
            first = self._distance(cells, place) <= self._pace * lengths[goal, robot]
            meeting = np.where(first, place, meeting)
        return meeting

    def _distance(self, cells: NDArray[np.intp], robot: NDArray[np.intp]) -> NDArray[np.float32]:
        away = self._points[cells] - self._points[robot]
        found: NDArray[np.float32] = np.hypot(away[..., 0], away[..., 1])
        return found


def _ahead(
    ways: ShortestWays, goals: NDArray[np.intp], fields: NDArray[np.float64]
) -> list[tuple[NDArray[np.intp], NDArray[np.float32]]]:
    """Return the cells 1, 2, 4 and more steps on from each cell to each goal, and the ways there, m; shape (p, n)."""
    rows = ways.rows(goals)
    cells = np.arange(fields.shape[1])
    places = ways.next(rows[:, None], cells[None])
    found = []
    for _ in range(_DOUBLINGS):
        with np.errstate(invalid="ignore"):
            lengths = fields - np.take_along_axis(fields, places, axis=1)
        found.append((places, np.nan_to_num(lengths, nan=0.0).astype(np.float32)))
        places = np.take_along_axis(places, places, axis=1)
    return found
