"""The order of the pellets, exact where they are few and sound where they are many, and the best tour."""

import itertools
import math

import numpy as np
import pytest
from helpers.maps import drawn

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.messages import Pellet
from arena_trees.games.pacman.planning.best_tour import best_order, best_tour_m
from arena_trees.games.pacman.planning.pellet_route import PelletRoute
from arena_trees.world.maps.occupancy_map import OccupancyMap


@pytest.fixture(scope="module")
def space() -> FreeSpace:
    """A hall of 10 x 8 m with a wall down its middle and a gap at one end."""
    free = np.zeros((80, 100), np.bool_)
    free[1:79, 1:99] = True
    free[:60, 50] = False
    return FreeSpace(OccupancyMap.build(free, 0.1), 0.25, 0.2)


def pellets(count: int, seed: int) -> tuple[Pellet, ...]:
    rng = np.random.default_rng(seed)
    places = rng.uniform((0.5, 0.5), (9.5, 7.5), (count, 2))
    return tuple(Pellet(10 + k, float(x), float(y)) for k, (x, y) in enumerate(places))


def legs(route: PelletRoute, chosen: tuple[Pellet, ...]) -> np.ndarray:
    cells = [route.space.nearest(pellet.x, pellet.y) for pellet in chosen]
    return np.stack([route.field(pellet)[cells] for pellet in chosen])


@pytest.mark.parametrize("seed", range(3))
def test_few_pellets_are_ordered_as_well_as_by_trying_every_order(space: FreeSpace, seed: int) -> None:
    chosen, route = pellets(6, seed), PelletRoute(space)
    between = legs(route, chosen)
    rests = route.rests(chosen, 0)
    for first in range(6):
        others = [k for k in range(6) if k != first]
        best = min(
            sum(between[a, b] for a, b in itertools.pairwise((first, *order)))
            for order in itertools.permutations(others)
        )
        assert rests[chosen[first].id] == pytest.approx(best)


def test_pellets_that_went_leave_the_same_as_if_they_had_never_been(space: FreeSpace) -> None:
    chosen, route = pellets(7, 5), PelletRoute(space)
    route.rests(chosen, 0)
    assert route.rests(chosen[2:], 0) == pytest.approx(PelletRoute(space).rests(chosen[2:], 0))
    assert route.rests(chosen[3:4], 0) == {chosen[3].id: 0.0}


def test_many_pellets_are_ordered_within_a_tenth_of_the_best(space: FreeSpace) -> None:
    """Twenty along the hall in two rows, whose best order is plain to see; and all tours are complete ones."""
    chosen = tuple(Pellet(k, 0.7 + (k % 10) * 0.4, 1.0 + 2.0 * (k // 10)) for k in range(20))
    route = PelletRoute(space)
    start = space.nearest(0.5, 1.0)
    rests = route.rests(chosen, start)
    assert set(rests) == set(range(20))
    assert rests[0] == pytest.approx(9 * 0.4 * 2 + 2.0, rel=0.1)
    for pellet in chosen:
        assert rests[pellet.id] >= rests[0] - 0.5


def test_a_pellet_without_a_way_is_finitely_far(space: FreeSpace) -> None:
    free = space.map.free.copy()
    free[:, 50] = False
    parted = FreeSpace(OccupancyMap.build(free, 0.1), 0.25, 0.2)
    route = PelletRoute(parted)
    rests = route.rests((Pellet(0, 1.0, 1.0), Pellet(1, 9.0, 1.0)), 0)
    assert all(np.isfinite(rest) and rest > 1e3 for rest in rests.values())


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
