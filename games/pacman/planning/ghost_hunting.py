"""Whether and how a ghost hunts: believed by how straight it came to where a hunter would go."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.evasion.hunters import Policy
from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.games.pacman.messages import GhostView
from arena_trees.games.pacman.planning.ghost_forecast import PUT_ELSEWHERE
from arena_trees.robot.clock import from_seconds

__all__ = ["HuntBelief"]

_WAY = 0.25
"""m of a ghost's way between two looks."""
_PRIORS: Mapping[Policy, float] = {"chases": -2.6, "cuts_off": -2.6}
_MOST = 4.0
"""Log-odds: before anything was seen, and most that is believed either way, so that a change is noticed soon."""
_STRAIGHT, _SPREAD = 0.95, 0.2
"""Progress a metre of way of a ghost that goes where its policy has it go, and its deviation."""
_LEAST, _LARGEST = 0.2, 3.0
"""Likelihood ratio of one look. Of a ghost that goes elsewhere any progress from -1 to 1 is as likely."""
_INDEPENDENT = 0.6
"""Share of a look that is evidence of its own: who walks to a place goes on as it went before."""
_LATELY = from_seconds(3.0)
"""The robot goes for the pellet to which it has come nearer most since then."""


@dataclass(slots=True)
class _Look:
    """Where a ghost was, and the way (m) of each cell to where each policy would then have had it go."""

    x: float
    y: float
    fields: Mapping[Policy, NDArray[np.float64]]


class HuntBelief:
    """Believes of each ghost, by its name, how likely it is to hunt, and by which policy.

    Each quarter of a metre of a ghost's way is looked at: whether it led towards where a policy would have had it go at
    its beginning, by the shortest way. The ratio of the likelihoods is added up for each policy (Wald 1945), within
    limits.

    Args:
        grid: where the robot may be
    """

    def __init__(self, grid: TimedGrid) -> None:
        self._grid = grid
        self._odds: dict[str, dict[Policy, float]] = {}
        self._looks: dict[str, _Look] = {}
        self._trail: deque[tuple[int, int]] = deque()
        self._fields: dict[Policy, NDArray[np.float64]] = {}

    def reset(self) -> None:
        """Forget all ghosts: a new game begins."""
        self._odds.clear()
        self._looks.clear()
        self._trail.clear()

    def chances(self, name: str) -> dict[Policy, float]:
        """Return how likely a ghost is to hunt by each policy; together 1 at most."""
        odds = self._odds.get(name, _PRIORS)
        shares: dict[Policy, float] = {policy: math.exp(value) for policy, value in odds.items()}
        return {policy: share / (1.0 + sum(shares.values())) for policy, share in shares.items()}

    def chance(self, name: str) -> float:
        """Return how likely a ghost is to hunt, 0 to 1."""
        return sum(self.chances(name).values())

    def follow(self, now: int, robot: tuple[float, float], pellets: NDArray[np.float64]) -> None:
        """Take in where the robot is.

        Args:
            now: ns
            robot: its place, map frame, m
            pellets: way of each cell to each pellet that is left, m, shape (p, n)
        """
        here = self._grid.space.nearest(*robot)
        if self._trail and now < self._trail[-1][0]:
            self._trail.clear()
        self._trail.append((now, here))
        while now - self._trail[0][0] > _LATELY:
            self._trail.popleft()
        self._fields = {"chases": self._grid.space.distances_from_node(here)}
        near = pellets[:, here]
        if np.isfinite(near).any():
            with np.errstate(invalid="ignore"):
                gained = np.nan_to_num(np.round(pellets[:, self._trail[0][1]] - near, 1), nan=-np.inf, posinf=0.0)
            self._fields["cuts_off"] = pellets[np.lexsort((near, -gained))[0]]

    def watch(self, ghost: GhostView) -> None:
        """Take in where a ghost is, after the robot's place. A frightened ghost flees, which says nothing."""
        before = self._looks.get(ghost.name)
        way = math.inf if before is None else math.hypot(ghost.x - before.x, ghost.y - before.y)
        if before is not None and way < _WAY and not ghost.frightened:
            return
        if before is not None and way <= PUT_ELSEWHERE and not ghost.frightened:
            self._judge(ghost, before, way)
        self._looks[ghost.name] = _Look(ghost.x, ghost.y, self._fields)

    def _judge(self, ghost: GhostView, before: _Look, way: float) -> None:
        odds = dict(self._odds.get(ghost.name, _PRIORS))
        for policy, field in before.fields.items():
            then, now = (float(self._grid.values_at(field, at.x, at.y)) for at in (before, ghost))
            if not (math.isfinite(then) and math.isfinite(now)):
                continue
            progress = (then - now) / way
            likely = math.exp(-0.5 * ((progress - _STRAIGHT) / _SPREAD) ** 2) / (_SPREAD * math.sqrt(math.tau)) / 0.5
            gained = _INDEPENDENT * math.log(min(_LARGEST, max(_LEAST, likely)))
            odds[policy] += gained
        # What speaks for both is for neither: their difference stays.
        excess = max(0.0, max(odds.values()) - _MOST)
        self._odds[ghost.name] = {policy: max(-_MOST, value - excess) for policy, value in odds.items()}
