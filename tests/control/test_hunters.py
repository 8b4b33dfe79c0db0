"""Hunters: where they go while the robot drives."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from arena_trees.control.evasion.hunters import Hunter, Hunters, HunterState, ShortestWays
from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.rules import GhostRules
from arena_trees.robot.clock import from_seconds
from arena_trees.world.maps.occupancy_map import OccupancyMap


@pytest.fixture(scope="module")
def grid() -> TimedGrid:
    """A hall of 6 x 4 m with a wall from its lower side."""
    free = np.zeros((84, 124), np.bool_)
    free[2:82, 2:122] = True
    free[:50, 60:64] = False
    return TimedGrid(FreeSpace(OccupancyMap.build(free, 0.05), 0.27, 0.2))


def followed(grid: TimedGrid, hunter: Hunter, way: list[int], seconds: float) -> NDArray[np.float64]:
    """Return how far a hunter is from a robot that is in each cell of its way for so long, m."""
    ways = ShortestWays(grid)
    hunters = Hunters(grid, ways, [hunter])
    state, found = HunterState(hunters.start[:, None], np.zeros((1, 1), np.float32)), []
    for cell in way:
        robot = np.array([cell])
        state, away = hunters.moved(state, np.array([seconds], np.float32), robot, ways.rows(robot))
        found.append(float(away[0, 0]))
    return np.array(found)


def test_a_chaser_is_foreseen_where_the_real_one_comes(grid: TimedGrid) -> None:
    """The robot goes along the left side, and the ghost comes round the wall."""
    column = np.flatnonzero(np.abs(grid.points[:, 0] - grid.points[:, 0].min()) < 0.01)
    way = [int(cell) for cell in column for _ in range(2)]
    ghost = Ghost("one", "chase", grid.space, np.random.default_rng(1), GhostRules(base_speed=0.25))
    ghost.spawn(0, place=(5.0, 1.0))
    foreseen = followed(grid, Hunter(*ghost.position, 0.25, 1.0), way, 0.5)
    real = []
    for number, cell in enumerate(way):
        ghost.step(from_seconds(0.5 * (number + 1)), grid.space.point(cell))
        real.append(math.dist(ghost.position, grid.space.point(cell)))
    assert np.abs(foreseen - real).max() < 0.6
    assert foreseen[0] > 4.0
    assert foreseen.min() < 1.8


def test_who_has_come_to_the_robot_stays_with_it(grid: TimedGrid) -> None:
    here = grid.space.nearest(1.0, 1.0)
    assert followed(grid, Hunter(1.0, 1.7, 0.25, 1.0), [here] * 20, 0.5)[-1] == 0.0


def test_one_that_has_arrived_gathers_no_way(grid: TimedGrid) -> None:
    here, there = grid.space.nearest(1.0, 1.0), grid.space.nearest(2.0, 1.0)
    away = followed(grid, Hunter(1.0, 1.0, 0.25, 1.0), [here] * 40 + [there], 0.5)
    assert away[39] == 0.0
    assert away[40] > 0.5


def test_a_long_time_leads_hunters_as_far_as_many_short_ones_and_leaves_what_was_as_it_was(grid: TimedGrid) -> None:
    ways = ShortestWays(grid)
    hunters = Hunters(grid, ways, [Hunter(5.0, 1.0, 0.25, 1.0), Hunter(1.0, 3.0, 0.4, 1.0)])
    robot = np.array([grid.space.nearest(*place) for place in ((1.0, 1.0), (5.0, 3.5), (3.1, 3.0), (4.9, 1.0))])
    start = HunterState(np.repeat(hunters.start[:, None], 4, axis=1), np.zeros((2, 4), np.float32))
    at_once, away = hunters.moved(start, np.full(4, 4.0, np.float32), robot, ways.rows(robot))
    state, away_at_last = start, away
    for _ in range(40):
        state, away_at_last = hunters.moved(state, np.full(4, 0.1, np.float32), robot, ways.rows(robot))
    assert away == pytest.approx(away_at_last, abs=1e-3)
    assert (at_once.cells != start.cells).sum() >= 6
    assert (start.cells == hunters.start[:, None]).all()
    assert not start.gone.any()


def test_ways_are_found_again_after_they_were_forgotten(grid: TimedGrid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_trees.control.evasion.hunters._MOST_VALUES", 3 * len(grid))
    ways = ShortestWays(grid)
    ways.rows(np.array([0, 1, 2]))
    ways.trim()
    assert (ways.rows(np.array([2])) == 2).all()
    for goals in ([0, 1, 2], [2, 3], [4, 5, 0], [0]):
        ways.trim()
        rows = ways.rows(np.array(goals))
        for row, goal in zip(rows, goals, strict=True):
            cells = np.arange(len(grid))
            assert (ways.next(np.full(len(grid), row), cells) == grid.space.next_nodes(np.array([goal]))[0]).all()
