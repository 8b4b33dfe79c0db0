"""Walls that stand elsewhere than the map has them, each by its own error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely
from numpy.typing import NDArray

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import Disc, Pose2D
from arena_trees.world.footprint import Solid

__all__ = ["WallErrors", "misplaced", "touching_groups"]

_FARTHEST = 2.0
"""Deviations beyond which no error is drawn."""

_TRIES = 20
"""Places tried for a wall with errors of full size; each further one has half the size of the last."""

_SMALLER = 8
"""Such further tries, before the wall stays where the map has it."""

_CLOSED = 1e-3
"""Metres; walls that are not farther apart let no beam through worth the name, whatever the map's rounding."""


class WallErrors(Parameters):
    """How far walls stand from where the map has them; none does by default."""

    walls_offset_m: float = parameter(
        0.0, "standard deviation of a wall's place, along and across the wall each", "m", ge=0, le=0.02
    )
    walls_offset_yaw: float = parameter(
        0.0, "standard deviation of a wall's heading, about its middle", "rad", ge=0, le=0.009
    )


def misplaced(
    solids: Sequence[Solid],
    groups: Iterable[Sequence[str]],
    errors: WallErrors,
    kept_clear: Sequence[Disc],
    rng: np.random.Generator,
) -> tuple[Solid, ...]:
    """Return the solids of a map where they stand, in the same order and of the same sizes.

    One group after the other is moved. Errors are normal, cut at two deviations. Those are drawn anew that would open
    a gap between solids that meet on the map, make solids meet that do not, or reach into what is kept clear; a group
    for which no place is found with smaller and smaller errors, stays. Nothing is drawn where both deviations are 0.

    Args:
        solids: walls and boxes, map frame
        groups: names of solids that are moved as one piece, each solid in one group at most; the others stay
        errors: deviations
        kept_clear: what no wall may reach that does not reach it on the map, map frame
        rng: the random numbers
    """
    now = {solid.name: solid for solid in solids}
    if errors.walls_offset_m == errors.walls_offset_yaw == 0.0:
        return tuple(solids)
    for group in groups:
        on_map = [now[name] for name in group]
        around = _Around(on_map, [solid for solid in solids if solid.name not in group], now, kept_clear)
        for attempt in range(_TRIES + _SMALLER):
            moved = _move(on_map, _draw(errors, rng) * 0.5 ** max(0, attempt + 1 - _TRIES))
            if around.allows(moved):
                now |= {solid.name: solid for solid in moved}
                break
    return tuple(now[solid.name] for solid in solids)


def touching_groups(solids: Sequence[Solid]) -> tuple[tuple[str, ...], ...]:
    """Return the names of solids by what hangs together: those that touch, at once or by way of others."""
    group = list(range(len(solids)))
    for one, other in _meeting(solids, solids):
        low, high = sorted((group[one], group[other]))
        if low != high:
            group = [low if number == high else number for number in group]
    found: dict[int, list[str]] = {}
    for number, solid in zip(group, solids, strict=True):
        found.setdefault(number, []).append(solid.name)
    return tuple(tuple(names) for names in found.values())


class _Around:
    """What is around a group of solids.

    Args:
        group: the solids on the map
        others: all others on the map
        now: where every solid stands so far, by name
        kept_clear: what no wall may reach that does not reach it on the map
    """

    def __init__(
        self, group: Sequence[Solid], others: Sequence[Solid], now: Mapping[str, Solid], kept_clear: Sequence[Disc]
    ) -> None:
        self._others = [now[solid.name] for solid in others]
        self._meet = _meeting(group, others)
        self._clear = [[disc for disc in kept_clear if not _reaches(solid, disc)] for solid in group]

    def allows(self, moved: Sequence[Solid]) -> bool:
        """Return whether the group can stand where it was moved to."""
        if any(_reaches(solid, disc) for solid, clear in zip(moved, self._clear, strict=True) for disc in clear):
            return False
        return _meeting(moved, self._others) == self._meet


def _meeting(some: Sequence[Solid], others: Sequence[Solid]) -> set[tuple[int, int]]:
    """Return which of some solids meet which of others, by their places in the two."""
    tree = shapely.STRtree([other.polygon() for other in others])
    first, second = tree.query(
        np.array([one.polygon() for one in some], dtype=object), predicate="dwithin", distance=_CLOSED
    )
    return set(zip(first.tolist(), second.tolist(), strict=True))


def _reaches(solid: Solid, disc: Disc) -> bool:
    x, y, radius = disc
    return solid.distance_to(x, y) < radius


def _draw(errors: WallErrors, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the errors along and across (m) and of heading (rad)."""
    drawn = rng.standard_normal(3)
    while np.abs(drawn).max() > _FARTHEST:
        drawn = rng.standard_normal(3)
    error: NDArray[np.float64] = drawn * (errors.walls_offset_m, errors.walls_offset_m, errors.walls_offset_yaw)
    return error


def _move(solids: Sequence[Solid], error: NDArray[np.float64]) -> list[Solid]:
    """Move solids as one piece: a single one along, across and about itself, several along x, y and about their middle.

    Args:
        solids: the solids
        error: along, across (m) and heading (rad)
    """
    middle = solids[0].pose
    if len(solids) > 1:
        low_x, low_y, high_x, high_y = shapely.union_all([solid.polygon() for solid in solids]).bounds
        middle = Pose2D((low_x + high_x) / 2.0, (low_y + high_y) / 2.0)
    along, across, yaw = error.tolist()
    there = middle.compose(Pose2D(along, across, yaw))
    return [replace(solid, pose=there.compose(middle.relative(solid.pose))) for solid in solids]
