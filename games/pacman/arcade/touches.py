"""Who touched what: pellets and ghosts that the robot came near to since it was last seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.arcade.pellet_field import PelletField
from arena_trees.games.pacman.arcade.sweep import first_touch
from arena_trees.games.pacman.messages import Pellet
from arena_trees.robot.clock import to_seconds

__all__ = ["TouchJudge"]

Point = tuple[float, float]

_FASTEST = 1.0
_JUMP = 0.5
"""A robot whose place moves by more than this (m) and :data:`_FASTEST` (m/s) was not driving: what lies between the two
places was not touched."""


class TouchJudge:
    """Finds touches along the straight steps of robot and ghosts between two instants, not only at the instants.

    Args:
        field: the pellets
        ghosts: the ghosts
        pickup_radius: a pellet is touched within it, m
        death_radius: a ghost is touched within it, m
    """

    def __init__(self, field: PelletField, ghosts: Sequence[Ghost], pickup_radius: float, death_radius: float) -> None:
        self._field = field
        self._ghosts = ghosts
        self._pickup_radius = pickup_radius
        self._death_radius = death_radius
        self._last: tuple[int, Point, list[Point]] | None = None

    def reset(self) -> None:
        """Look at the next places alone, not at the way to them."""
        self._last = None

    def observe(self, now: int, robot: Point) -> list[tuple[int, Pellet | Ghost]]:
        """Return what was touched since the last look.

        Args:
            now: ns
            robot: its centre, map frame, m

        Returns:
            pairs of the instant (ns) of the first touch and what was touched, in this order; of a pellet and a ghost
            at once the pellet comes first
        """
        places = [ghost.position for ghost in self._ghosts]
        last = self._last
        if last is None or math.dist(last[1], robot) > _JUMP + _FASTEST * to_seconds(now - last[0]):
            last = (now, robot, places)
        self._last = (now, robot, places)
        since, came_from, old_places = last
        found: list[tuple[float, Pellet | Ghost]] = [*self._field.touched(came_from, robot, self._pickup_radius)]
        for ghost, old, new in zip(self._ghosts, old_places, places, strict=True):
            before, after = _difference(came_from, old), _difference(robot, new)
            share = first_touch(before, after, self._death_radius)
            if share is not None:
                found.append((share, ghost))
        # The sort is stable.
        found.sort(key=lambda pair: pair[0])
        return [(since + round(share * (now - since)), touched) for share, touched in found]


def _difference(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1]
