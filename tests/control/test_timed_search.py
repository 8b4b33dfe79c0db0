"""The search in time: hurries where it is safe, waits for what passes, goes round what stays, and takes prizes."""

import math

import numpy as np
import pytest

from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.evasion.timed_search import Prize, TimedSearch, TimedWay, where_taken
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.world.maps.occupancy_map import OccupancyMap

NO_TURN = np.zeros(8, np.intp)


def grid(rows: int, columns: int, *walls: tuple[int, int]) -> TimedGrid:
    """A grid of cells of 0.2 m, numbered row by row, with walls in some."""
    free = np.ones((rows, columns), np.bool_)
    for wall in walls:
        free[wall] = False
    return TimedGrid(FreeSpace(OccupancyMap.build(free, 0.2), 0.0, 0.2))


def search(cells: TimedGrid, horizon: float = 12.0) -> TimedSearch:
    return TimedSearch(cells, speed=0.2, horizon=horizon, reported=horizon)


def calm(finder: TimedSearch) -> np.ndarray:
    return np.zeros((finder.layers, len(finder.grid)), np.float32)


def away(cells: TimedGrid, goal: int, speed: float = 0.2) -> np.ndarray:
    return (cells.space.distances_from_node(goal) / speed).astype(np.float32)


def run(finder: TimedSearch, danger: np.ndarray, goal: int, start: int = 0, delays: np.ndarray = NO_TURN) -> TimedWay:
    prize = Prize(np.array([goal]), np.zeros(1, np.float32))
    return finder.run(danger, away(finder.grid, goal), [prize], start, delays)


def test_the_grid_knows_its_neighbours_and_cuts_no_corner() -> None:
    cells = grid(3, 3, (1, 1))
    assert len(cells) == 8
    corner = cells.space.nearest(0.1, 0.1)
    beside = {int(cell) for cell in cells.straight[:, corner] if cell < 8}
    assert beside == {cells.space.nearest(0.3, 0.1), cells.space.nearest(0.1, 0.3)}
    # The wall in the middle stands beside every diagonal step.
    assert (cells.diagonal == 8).all()
    assert set(cells.around(corner)) == beside | {corner}


def test_without_danger_the_prize_is_reached_on_the_shortest_way() -> None:
    finder = search(grid(1, 10))
    way = run(finder, calm(finder), goal=8)
    assert way.cells[:9] == tuple(range(9))
    assert way.layers[:9] == tuple(range(0, 18, 2))
    assert way.cost == pytest.approx(8.0, abs=0.01)
    assert (way.prize, way.danger) == (0, 0.0)


def test_a_danger_that_passes_is_waited_for() -> None:
    """The next cell of a corridor is deadly for eight layers; it is entered from the ninth on, and left at for that."""
    finder = search(grid(1, 10))
    danger = calm(finder)
    danger[:8, 1] = 100.0
    way = run(finder, danger, goal=8)
    assert way.cells == (0, 0)
    assert way.cost == pytest.approx(8.0 + 3.5, abs=0.01)
    assert way.danger == 0.0


def test_a_danger_that_stays_is_gone_round_or_taken_as_it_costs() -> None:
    cells = grid(3, 9)
    finder = search(cells)
    row = [cells.space.nearest(0.1 + 0.2 * k, 0.3) for k in range(9)]
    danger = calm(finder)
    danger[:, row[4]] = 5.0
    way = run(finder, danger, goal=row[8], start=row[0])
    assert row[4] not in way.cells
    danger[:, row[4]] = 0.01
    way = run(finder, danger, goal=row[8], start=row[0])
    assert row[4] in way.cells


def test_what_comes_along_a_dead_end_is_fled_from() -> None:
    """A deadly front comes down a corridor from where the prize is, as fast as the robot, and ends before it does."""
    finder = search(grid(1, 12))
    danger = calm(finder)
    for layer in range(finder.layers):
        danger[layer, max(3, 10 - layer // 2) :] = 50.0
    way = run(finder, danger, goal=11, start=6)
    # The horizon's twelve seconds, and nine cells from where the front ends; nothing of the front's fifty.
    assert way.cost == pytest.approx(12.0 + 9.0, abs=1.0)
    assert way.danger == 0.0


def test_a_turn_costs_its_time_and_may_change_the_way() -> None:
    cells = grid(1, 11)
    finder = search(cells)
    prizes = [Prize(np.array([goal]), np.zeros(1, np.float32)) for goal in (2, 8)]
    beyond = np.minimum(away(cells, 2), away(cells, 8))
    delays = NO_TURN.copy()
    left = int(np.flatnonzero(cells.straight[:, 5] == 4)[0])
    ways = []
    for turn in (0, 4):
        delays[:] = 0
        delays[left] = turn
        ways.append(finder.run(calm(finder), beyond, prizes, 5, delays))
    assert ways[1].cells[1] == 6
    delays[:] = 4
    assert finder.run(calm(finder), beyond, prizes, 5, delays).cost == pytest.approx(ways[1].cost + 2.0, abs=0.01)


def test_a_prize_is_touched_on_the_side_that_is_better_for_what_comes_next() -> None:
    cells = grid(3, 3)
    finder = search(cells)
    start, low, high = (cells.space.nearest(0.1, 0.3), cells.space.nearest(0.5, 0.1), cells.space.nearest(0.5, 0.5))
    prize = Prize(np.array([low, high]), np.array([9.0, 1.0], np.float32))
    way = finder.run(calm(finder), away(cells, low), [prize], start, NO_TURN)
    assert high in way.cells
    assert way.prize == 0


def test_what_is_beyond_the_horizon_does_not_hide_where_to_go() -> None:
    """Only cells that can be reached in time are searched; the rest of the way is in the costs at the horizon."""
    finder = search(grid(1, 60), horizon=4.0)
    cells, counts = finder.grid.nearest_first(30, np.array([0.0, 0.1, 0.3, 0.5]))
    assert cells.tolist() == [30, 29, 31, 28, 32]
    assert counts.tolist() == [0, 1, 3, 5]
    assert sorted(finder.grid.among(cells)[:, 3].tolist()) == [1, *[5] * 7]
    way = run(finder, calm(finder), goal=58, start=30)
    assert way.cells[:4] == (30, 31, 32, 33)
    assert way.prize is None
    assert way.cost == pytest.approx(28.0, abs=0.01)


def test_a_part_of_a_prize_is_known_by_its_places_in_a_window_in_any_order() -> None:
    prize = Prize(np.array([3, 5, 8]), np.array([0.3, 0.5, 0.8], np.float32))
    within = prize.within(np.array([8, 2, 3]))
    assert within.cells.tolist() == [2, 0]
    assert within.rest.tolist() == pytest.approx([0.3, 0.8])


def test_of_prizes_in_one_cell_that_with_the_least_rest_is_taken() -> None:
    prizes = [Prize(np.array([0, 2]), np.array([4.0, 4.0], np.float32)), Prize(np.array([2]), np.ones(1, np.float32))]
    taken, rest, owners = where_taken(prizes, 4)
    assert (taken.tolist(), rest.tolist()) == ([0, 2], [4.0, 1.0])
    assert owners[taken].tolist() == [0, 1]


def test_cells_that_are_not_reached_in_time_make_no_difference() -> None:
    """The way is that of a search through all cells: who cannot be somewhere by a layer needs no costs there."""
    cells = grid(12, 12)
    finder, everywhere = search(cells), search(cells)
    everywhere._farthest = np.full_like(everywhere._farthest, 100.0)
    rng = np.random.default_rng(5)
    for _ in range(20):
        danger = (rng.random((finder.layers, len(cells))) ** 6).astype(np.float32)
        goals = rng.choice(len(cells), 3, replace=False)
        prizes = [Prize(np.array([goal]), rng.random(1).astype(np.float32)) for goal in goals.tolist()]
        start, turns = int(rng.integers(len(cells))), rng.integers(0, 4, 8)
        asked = (danger, away(cells, int(goals[0])), prizes, start, turns)
        assert finder.run(*asked) == everywhere.run(*asked)


def test_the_longest_step_of_a_grid() -> None:
    cells = grid(3, 2)
    assert cells.longest(cells.straight) == pytest.approx(0.2)
    assert cells.longest(cells.diagonal) == pytest.approx(0.2 * math.sqrt(2.0))
    assert grid(4, 1).longest(grid(4, 1).diagonal) == 0.0
