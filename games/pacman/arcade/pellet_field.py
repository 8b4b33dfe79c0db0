"""The pellets of PacMan: where they stand on a map, and which are left."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.sweep import first_touch
from arena_trees.games.pacman.messages import Pellet
from arena_trees.games.pacman.rules import PelletRules
from arena_trees.robot.errors import ConfigError
from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["PelletField"]

Point = tuple[float, float]

_MOST_PELLETS = 5000
"""As many as a message of the game may name."""
_WHITE = 255.0
_AS_FAR = 0.2
"""m; in so much the ways of a map that is the same on both sides differ, since the grid is not."""
_STOPS_WITHIN = 0.10
"""m; a robot comes to rest so near to its goal."""


class PelletField:
    """The pellets of one map, as the PacMan report's algorithm 1 places them.

    From the image's upper left corner on, every ``spacing`` metres along rows and columns a pixel (u, v) is a
    candidate. It bears a pellet where its value M(u, v) is above the threshold and no other pixel at or below it is
    nearer than the clearance (distance transform); at x = u R + x0, y = (H - v) R + y0, turned by the origin's yaw.
    A candidate that the robot cannot reach from its start is dropped when the field is made.

    Args:
        space: where the robot can be on the map
        rules: where pellets stand
        start: the robot's start, map frame, m
        radius: a pellet is reached within it, m

    Attributes:
        spawned: all pellets, by number from 0 in the order of the sampling: row by row from the image's top
        dropped: candidates without a way to them, map frame, m
        distances: length (m) of the way from the start to each pellet of ``spawned``
        remaining: pellets that are left, by number

    Raises:
        ConfigError: the map gives no pellet, or more than 5000
    """

    def __init__(self, space: FreeSpace, rules: PelletRules, start: Point, radius: float = 0.25) -> None:
        candidates = _candidates(space.map, rules)
        if len(candidates) > _MOST_PELLETS:
            raise ConfigError(f"the map gives more than {_MOST_PELLETS} pellets", key="spacing", value=rules.spacing)
        if not candidates:
            raise ConfigError(
                "the map gives no pellet: try a smaller spacing or wall clearance", key="spacing", value=rules.spacing
            )
        lengths = _way_lengths(space, candidates, start, radius)
        kept = [place for place, length in zip(candidates, lengths, strict=True) if math.isfinite(length)]
        self.dropped = tuple(place for place in candidates if place not in kept)
        self.distances = tuple(length for length in lengths if math.isfinite(length))
        if not kept:
            raise ConfigError(f"none of the map's {len(candidates)} pellets can be reached", key="start", value=start)
        power = _power(kept, self.distances, rules.power_pellets)
        self.spawned = tuple(Pellet(number, x, y, number in power) for number, (x, y) in enumerate(kept))
        self.remaining = {pellet.id: pellet for pellet in self.spawned}

    def __str__(self) -> str:
        text = f"{len(self.spawned)} pellets"
        if not self.dropped:
            return text
        places = ", ".join(f"({x:.2f}, {y:.2f})" for x, y in self.dropped[:5])
        more = ", ..." if len(self.dropped) > 5 else ""
        return f"{text}; {len(self.dropped)} dropped, without a way to them: {places}{more}"

    @property
    def farthest(self) -> Pellet:
        """The pellet with the longest way from the start; of several that are about as far, the first."""
        return self.spawned[_farthest(self.distances)]

    def touched(self, start: Point, end: Point, radius: float) -> list[tuple[float, Pellet]]:
        """Return the pellets left that come within a radius on a straight step, and when.

        Args:
            start: of the step, map frame, m
            end: of the step, map frame, m
            radius: m

        Returns:
            pairs of the share of the step (0 to 1) at which the pellet is touched first, and the pellet; in this order
        """
        found = []
        for pellet in self.remaining.values():
            share = first_touch(
                (start[0] - pellet.x, start[1] - pellet.y), (end[0] - pellet.x, end[1] - pellet.y), radius
            )
            if share is not None:
                found.append((share, pellet))
        return sorted(found, key=lambda pair: (pair[0], pair[1].id))

    def remove(self, number: int) -> bool:
        """Take one pellet away. Return whether it was there."""
        return self.remaining.pop(number, None) is not None

    def reset(self) -> None:
        """Put all pellets back."""
        self.remaining = {pellet.id: pellet for pellet in self.spawned}


def _candidates(map: OccupancyMap, rules: PelletRules) -> list[Point]:
    """Return where the document's rules allow a pellet, in the order of the sampling."""
    # A hair's breadth, because the values were integers once.
    bright = map.free & ((1.0 - map.occupancy) * _WHITE > rules.free_threshold + 1e-3)
    if not bright.any():
        raise ConfigError("no free pixel of the map is above it", key="free_threshold", value=rules.free_threshold)
    step = max(1, round(rules.spacing / map.resolution))
    clearance = OccupancyMap.build(bright, map.resolution).clearance[::-1]
    good = (bright[::-1] & (clearance >= rules.wall_clearance - 1e-6))[::step, ::step]
    v, u = np.nonzero(good)
    # Cells count from the lower left, at their centres; the document's pixels from above, at their upper left corners.
    points = map.points(map.shape[0] - v * step - 0.5, u * step - 0.5)
    return [(float(x), float(y)) for x, y in np.round(points, 9)]


def _way_lengths(space: FreeSpace, places: Sequence[Point], start: Point, radius: float) -> list[float]:
    """Return the length (m) of the way to each place, inf where none comes within the radius.

    The robot drives to a place where it fits, and to the nearest node of any other; it may stop short of either.
    """
    lengths = space.distances_from(*start)
    found = []
    near = cKDTree(space.points).query_ball_point(places, radius)
    for place, nodes in zip(places, near, strict=True):
        gaps = np.hypot(*(space.points[nodes] - place).T)
        fits = space.map.clearance_at(*place) >= space.clearance_m - 1e-6
        near_enough = gaps <= (radius if fits else radius - _STOPS_WITHIN)
        found.append(float(np.min((lengths[nodes] + gaps)[near_enough], initial=math.inf)))
    return found


def _farthest(lengths: Sequence[float]) -> int:
    """Return the number of the first of the longest ways (m); the grid tells them no better apart."""
    return int(np.argmax(np.asarray(lengths) >= max(lengths) - _AS_FAR))


def _power(places: Sequence[Point], lengths: Sequence[float], count: int) -> set[int]:
    """Return the numbers of the power pellets: the one farthest on foot, then always the farthest from those chosen."""
    if count == 0:
        return set()
    points: NDArray[np.float64] = np.asarray(places)
    chosen = [_farthest(lengths)]
    while len(chosen) < min(count, len(places)):
        gaps = np.hypot(*(points[:, None, :] - points[None, chosen, :]).transpose(2, 0, 1)).min(axis=1)
        chosen.append(int(np.argmax(gaps)))
    return set(chosen)
