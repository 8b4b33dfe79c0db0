"""Whether a ghost goes for the robot: believed by how straight it came to where the robot was."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.games.pacman.messages import GhostView
from arena_trees.games.pacman.planning.ghost_forecast import PUT_ELSEWHERE

__all__ = ["HuntBelief"]

_WAY = 0.25
"""m of a ghost's way between two looks."""
_PRIOR = -2.0
_MOST = 4.0
"""Log-odds: before anything was seen, and most that is believed either way, so that a change is noticed soon."""
_STRAIGHT, _SPREAD = 0.95, 0.2
"""Progress a metre of way of a ghost that goes for the robot, and its deviation."""
_LEAST, _LARGEST = 0.2, 3.0
"""Likelihood ratio of one look. Of a ghost that goes elsewhere any progress from -1 to 1 is as likely."""
_INDEPENDENT = 0.6
"""Share of a look that is evidence of its own: who walks to a place goes on as it went before."""


@dataclass(slots=True)
class _Look:
    """Where a ghost was, and how far each cell then was from the robot (m)."""

    x: float
    y: float
    field: NDArray[np.float64]


class HuntBelief:
    """Believes of each ghost, by its name, how likely it is to go for the robot.

    Each quarter of a metre of a ghost's way is looked at: whether it led towards where the robot was at its beginning,
    by the shortest way. The ratio of the likelihoods is added up (Wald 1945), within limits.

    Args:
        grid: where the robot may be
    """

    def __init__(self, grid: TimedGrid) -> None:
        self._grid = grid
        self._odds: dict[str, float] = {}
        self._looks: dict[str, _Look] = {}

    def reset(self) -> None:
        """Forget all ghosts: a new game begins."""
        self._odds.clear()
        self._looks.clear()

    def chance(self, name: str) -> float:
        """Return how likely a ghost is to go for the robot, 0 to 1."""
        return 1.0 / (1.0 + math.exp(-self._odds.get(name, _PRIOR)))

    def watch(self, ghost: GhostView, robot: tuple[float, float]) -> None:
        """Take in where a ghost and the robot are (map frame, m). A frightened ghost flees, which says nothing."""
        before = self._looks.get(ghost.name)
        way = math.inf if before is None else math.hypot(ghost.x - before.x, ghost.y - before.y)
        if before is not None and way < _WAY and not ghost.frightened:
            return
        if before is not None and way <= PUT_ELSEWHERE and not ghost.frightened:
            self._judge(ghost, before, way)
        self._looks[ghost.name] = _Look(ghost.x, ghost.y, self._grid.space.distances_from(*robot))

    def _judge(self, ghost: GhostView, before: _Look, way: float) -> None:
        then, now = (float(self._grid.values_at(before.field, at.x, at.y)) for at in (before, ghost))
        if not (math.isfinite(then) and math.isfinite(now)):
            return
        progress = (then - now) / way
        likely = math.exp(-0.5 * ((progress - _STRAIGHT) / _SPREAD) ** 2) / (_SPREAD * math.sqrt(math.tau)) / 0.5
        gained = _INDEPENDENT * math.log(min(_LARGEST, max(_LEAST, likely)))
        odds = self._odds.get(ghost.name, _PRIOR) + gained
        self._odds[ghost.name] = min(_MOST, max(-_MOST, odds))
