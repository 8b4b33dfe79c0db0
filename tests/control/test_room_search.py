"""Where a robot that searches looks and goes, and when it changes its mind."""

import math

import pytest

from arena_trees.control.searching.room_search import RoomSearch, RoomView, Searcher
from arena_trees.control.searching.search_grid import SearchGrid
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D

SEARCHER = Searcher(hfov=0.7, reach=6.0, speed=0.3, turn_rate=1.0, clearance=0.24, target_speed=0.2)
HERE = Pose2D(0.0, -3.0, math.pi / 2.0)


@pytest.fixture
def search() -> RoomSearch:
    """A room of 8 m with a wall along x = 1 and one along x = -1, open at their upper ends."""
    grid = SearchGrid(4.0, 0.2)
    grid.known[:] = True
    for x in (-1.1, 1.1):
        grid.occupied[:30, grid.index(x, 0.0)[1]] = True
    return RoomSearch(grid)


def goal(view: RoomView) -> tuple[float, float]:
    assert view.way, view
    return view.way[-1]


def test_it_goes_where_it_sees_behind_what_hides_the_target(search: RoomSearch) -> None:
    search.lose_target(2.5, -3.0, (0.0, 0.0), 0.1, SEARCHER)
    x, _ = goal(search.look(HERE, None, SEARCHER, 0))
    assert x > 0.0


def test_the_place_is_chosen_once_a_second_and_at_once_after_a_loss(search: RoomSearch) -> None:
    search.lose_target(2.5, -3.0, (0.0, 0.0), 0.1, SEARCHER)
    search.look(HERE, None, SEARCHER, 0)
    first = goal(search.look(HERE, None, SEARCHER, 1))
    search.grid.begin_near(-2.5, -3.0, 0.3)
    assert goal(search.look(HERE, None, SEARCHER, SECOND // 2)) == first
    other = goal(search.look(HERE, None, SEARCHER, SECOND + 1))
    assert other[0] < 0.0
    search.lose_target(2.5, -3.0, (0.0, 0.0), 0.1, SEARCHER)
    assert goal(search.look(HERE, None, SEARCHER, SECOND + SECOND // 10))[0] > 0.0


def test_a_target_is_looked_for_where_it_went_on_to(search: RoomSearch) -> None:
    search.lose_target(0.0, 0.0, (0.0, 1.0), 0.0, SEARCHER)
    chance = search.grid.chance
    assert chance[search.grid.index(0.0, 1.0)] > 0.0 == chance[search.grid.index(0.0, 0.0)]


def test_it_looks_round_where_that_finds_it_sooner_and_goes_on_once_that_is_seen(search: RoomSearch) -> None:
    view = search.look(HERE, None, SEARCHER, 0)
    assert not view.way and view.look is not None
    for k in range(60):
        search.see_nothing(Pose2D(HERE.x, HERE.y, -math.pi + 0.1 * k), SEARCHER)
    assert search.look(HERE, None, SEARCHER, 2 * SECOND).way


def test_a_turret_looks_on_the_way(search: RoomSearch) -> None:
    search.lose_target(2.5, -3.0, (0.0, 0.0), 0.1, SEARCHER)
    view = search.look(HERE, 0.0, SEARCHER, 0)
    assert view.way and view.look is not None
    assert search.look(HERE, None, SEARCHER, SECOND).look is None


def test_a_way_goes_round_and_a_detour_is_one_only_where_something_is_between(search: RoomSearch) -> None:
    assert search.way(HERE, (0.0, 2.0), 0.24) == ((0.0, 2.0),)
    assert search.detour(HERE, (0.0, 2.0), 0.24) == ()
    way = search.detour(HERE, (2.5, -3.0), 0.24)
    assert len(way) > 1 and max(y for _, y in way) > 1.9
    assert way[-1] == (pytest.approx(2.5), pytest.approx(-3.0))
