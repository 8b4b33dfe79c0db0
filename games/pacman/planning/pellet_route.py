"""The order of the pellets: what the rest of the tour costs from each of them, by exact or by local search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.messages import Pellet

__all__ = ["PelletRoute", "costs_to_go", "greedy", "improved"]

_EXACT = 11
"""Up to so many pellets every order is weighed (Held and Karp's recursion); with more, 2-opt and or-opt."""

_FAR = 1e4
"""m; stands for a pellet without a way to it, so that sums stay finite."""


class PelletRoute:
    """Lengths of tours through the pellets that are left, over geodesic distances; a tour need not return.

    Args:
        space: free space of the robot
    """

    def __init__(self, space: FreeSpace) -> None:
        self.space = space
        self._fields: dict[tuple[float, float], NDArray[np.float64]] = {}
        self._rests: dict[frozenset[int], dict[int, float]] = {}
        self._exact: tuple[frozenset[int], dict[int, int], NDArray[np.float64]] | None = None
        self._order: list[int] = []

    def field(self, pellet: Pellet) -> NDArray[np.float64]:
        """Return the geodesic distance (m) of every cell to a pellet, shape (n,)."""
        place = (pellet.x, pellet.y)
        if place not in self._fields:
            self._fields[place] = np.minimum(self.space.distances_from(*place), _FAR)
        return self._fields[place]

    def rests(self, pellets: Sequence[Pellet], start: int) -> dict[int, float]:
        """Return, by number of the pellet, how long (m) the tour through all others is that begins at it.

        Args:
            pellets: that are left
            start: cell of the robot; where there are many pellets, the order is searched from it
        """
        left = frozenset(pellet.id for pellet in pellets)
        found = self._rests.get(left)
        if found is None:
            if len(self._rests) > 256:
                self._rests.clear()
            few = self.is_exact(len(pellets))
            found = self._rests[left] = self._by_recursion(pellets) if few else self._by_exchange(pellets, start)
        return found

    def is_exact(self, count: int) -> bool:
        """Return whether the tours through so many pellets are the shortest ones, and cheap to tell again."""
        return count <= _EXACT

    def _between(self, pellets: Sequence[Pellet]) -> NDArray[np.float64]:
        cells = [self.space.nearest(pellet.x, pellet.y) for pellet in pellets]
        return np.stack([self.field(pellet)[cells] for pellet in pellets])

    def _by_recursion(self, pellets: Sequence[Pellet]) -> dict[int, float]:
        left = frozenset(pellet.id for pellet in pellets)
        if self._exact is None or not left <= self._exact[0]:
            place = {pellet.id: number for number, pellet in enumerate(pellets)}
            self._exact = (left, place, costs_to_go(self._between(pellets)))
        _, place, costs = self._exact
        whole = sum(1 << place[pellet.id] for pellet in pellets)
        return {pellet.id: float(costs[whole & ~(1 << place[pellet.id]), place[pellet.id]]) for pellet in pellets}

    def _by_exchange(self, pellets: Sequence[Pellet], start: int) -> dict[int, float]:
        between = self._between(pellets)
        first = np.array([self.field(pellet)[start] for pellet in pellets])
        place = {pellet.id: number for number, pellet in enumerate(pellets)}
        known = [place[number] for number in self._order if number in place]
        # What was in order stays nearly so when some have gone.
        complete = len(known) == len(pellets)
        order = improved(known if complete else greedy(between, first), between, first, 1 if complete else 4)
        self._order = [pellets[number].id for number in order]
        legs = between[order[:-1], order[1:]]
        whole = float(legs.sum())
        rests = {}
        for k, number in enumerate(order):
            # Out of its turn, a pellet is visited first and the others in their order.
            gap = 0.0 if k == 0 or k == len(order) - 1 else float(between[order[k - 1], order[k + 1]])
            without = whole - (float(legs[k - 1]) if k else 0.0) - (float(legs[k]) if k < len(legs) else 0.0) + gap
            rests[pellets[number].id] = whole if k == 0 else float(between[number, order[0]]) + without
        return rests


def costs_to_go(between: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the length of the shortest tour from a pellet through a set, shape (2^n, n) (Held and Karp, 1962)."""
    count = len(between)
    costs = np.full((1 << count, count), np.inf)
    costs[0] = 0.0
    for left in range(1, 1 << count):
        choices = [k for k in range(count) if left >> k & 1]
        rest = np.array([costs[left & ~(1 << k), k] for k in choices])
        costs[left] = (between[:, choices] + rest).min(axis=1)
    return costs


def greedy(between: NDArray[np.float64], first: NDArray[np.float64]) -> list[int]:
    """Return the order in which the nearest pellet comes next; the first has the least ``first`` (m)."""
    order = [int(first.argmin())]
    left = set(range(len(first))) - set(order)
    while left:
        nearest = min(left, key=lambda k: (between[order[-1], k], k))
        order.append(nearest)
        left.remove(nearest)
    return order


def improved(
    order: list[int], between: NDArray[np.float64], first: NDArray[np.float64], rounds: int = 1000
) -> list[int]:
    """Return the order after exchanges that shorten it: stretches of up to 16 reversed (2-opt) or moved (or-opt).

    Args:
        order: to begin with
        between: from stop to stop, m, shape (n, n)
        first: from the start to each stop, m, shape (n,)
        rounds: most passes over the whole order; it ends before, once a pass improves nothing
    """

    def length(tour: list[int]) -> float:
        return float(first[tour[0]] + between[tour[:-1], tour[1:]].sum())

    best = length(order)
    for _ in range(rounds):
        before = best
        for i in range(len(order) - 1):
            for j in range(i + 2, min(i + 16, len(order)) + 1):
                stretch = order[i:j]
                rest = order[:i] + order[j:]
                for tour in (order[:i] + stretch[::-1] + order[j:], _moved(rest, stretch, between)):
                    cost = length(tour)
                    if cost < best - 1e-9:
                        order, best = tour, cost
        if best == before:
            break
    return order


def _moved(rest: list[int], stretch: list[int], between: NDArray[np.float64]) -> list[int]:
    """Return a tour with a stretch put where it lengthens the rest least."""
    if not rest:
        return stretch
    before, after = np.array(rest[:-1], int), np.array(rest[1:], int)
    added = between[before, stretch[0]] + between[stretch[-1], after] - between[before, after]
    at_end = between[rest[-1], stretch[0]]
    if not added.size or at_end <= added.min():
        return rest + stretch
    k = int(added.argmin()) + 1
    return rest[:k] + stretch + rest[k:]
