"""The best tour: as long as geometry says, in the best order."""

import itertools
import math

import numpy as np
import pytest
from helpers.maps import drawn

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.planning.best_tour import best_order, best_tour_m


def length(lengths: np.ndarray, order: tuple[int, ...] | list[int]) -> float:
    return float(sum(lengths[a, b] for a, b in itertools.pairwise([0, *order])))


def places(count: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).random((count + 1, 2)) * 10.0
    return np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))


@pytest.mark.parametrize("seed", range(3))
def test_no_order_is_better(seed: int):
    lengths = places(6, seed)
    best = min(length(lengths, order) for order in itertools.permutations(range(1, 7)))
    assert length(lengths, best_order(lengths)) == pytest.approx(best)


def test_many_places_are_all_visited_and_no_reversal_or_move_of_a_stop_is_better():
    lengths = places(20, 1)
    order = best_order(lengths)
    assert sorted(order) == list(range(1, 21))
    for first, last in itertools.combinations(range(20), 2):
        rest = [*order[:first], *order[first + 1 :]]
        reversal = [*order[:first], *reversed(order[first : last + 1]), *order[last + 1 :]]
        if last - first < 16:
            assert length(lengths, reversal) >= length(lengths, order) - 1e-9
        assert length(lengths, [*rest[:last], order[first], *rest[last:]]) >= length(lengths, order) - 1e-9


def test_a_tour_in_the_open_is_straight():
    space = FreeSpace(drawn("\n".join(["." * 60] * 40)), 0.2)
    # Straight to within reach of the place, at an angle that the grid has not.
    assert best_tour_m(space, (1.0, 1.0), [(5.0, 2.6)], 0.25) == pytest.approx(math.hypot(4.0, 1.6) - 0.25, rel=0.005)
    assert best_tour_m(space, (1.0, 1.0), [(5.0, 1.0), (3.0, 1.2)], 0.25) == pytest.approx(3.75, rel=0.005)
    assert best_tour_m(space, (1.0, 1.0), [], 0.25) == 0.0


def test_a_tour_goes_round_a_wall():
    rows = ["." * 60] * 20 + ["." * 30 + "#" + "." * 29] * 20
    space = FreeSpace(drawn("\n".join(rows)), 0.2)
    # Round the disc about the wall's end, (3.05, 2.0), from one side to the other.
    tangent = math.sqrt(2.05**2 + 1.0**2 - 0.25**2)
    found = best_tour_m(space, (1.0, 1.0), [(5.1, 1.0)], 0.0)
    assert 2.0 * tangent < found < 2.0 * math.hypot(2.05, 1.25) + 0.1
