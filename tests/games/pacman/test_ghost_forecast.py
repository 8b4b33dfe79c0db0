"""The forecast of ghosts: on their course while it fits a target, anywhere once it does not, about their haunts."""

import math
from itertools import pairwise

import numpy as np
import pytest

from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.messages import GhostView
from arena_trees.games.pacman.planning.ghost_forecast import ForecastParameters, GhostForecast
from arena_trees.robot.clock import SECOND
from arena_trees.world.maps.occupancy_map import OccupancyMap

PERIOD = 0.4


@pytest.fixture(scope="module")
def area() -> OccupancyMap:
    """Two halls of 4 x 6 m side by side, with a door of 1 m between them."""
    free = np.zeros((120, 164), np.bool_)
    free[2:118, 2:162] = True
    free[:, 81:83] = False
    free[50:70, 81:83] = True
    return OccupancyMap.build(free, 0.05)


@pytest.fixture(scope="module")
def grid(area: OccupancyMap) -> TimedGrid:
    return TimedGrid(FreeSpace(area, 0.27, 0.2))


def forecast(grid: TimedGrid) -> GhostForecast:
    return GhostForecast(grid, ForecastParameters(targets=96), np.random.default_rng(7))


def view(x: float, y: float, speed: float = 0.25) -> GhostView:
    return GhostView("clyde", x, y, speed=speed)


def walked(seer: GhostForecast, *way: tuple[float, float]) -> GhostView:
    """Let a ghost walk straight from place to place and return it as it is then."""
    for (x0, y0), (x1, y1) in pairwise(way):
        length = math.dist((x0, y0), (x1, y1))
        steps = max(1, round(length / 0.05))
        for k in range(steps + 1):
            x, y = x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps
            ghost = GhostView("clyde", x, y, 0.25 * (x1 - x0) / length, 0.25 * (y1 - y0) / length, 0.25)
            seer.watch(ghost)
    return ghost


def mean(grid: TimedGrid, presence: np.ndarray) -> np.ndarray:
    return presence @ grid.points


def test_every_instant_is_a_distribution_and_now_is_where_the_ghost_is(grid: TimedGrid) -> None:
    seer = forecast(grid)
    ghost = walked(seer, (2.0, 1.0), (2.0, 2.0))
    presence = seer.presence(ghost, 30, PERIOD)
    assert presence.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert presence[0].argmax() == grid.space.nearest(2.0, 2.0)


def test_no_ghost_is_foreseen_faster_than_it_is(grid: TimedGrid) -> None:
    seer = forecast(grid)
    for speed in (0.25, 0.4, 1.0):
        seer.watch(view(2.0, 3.0, speed))
        presence = seer.presence(view(2.0, 3.0, speed), 40, PERIOD)
        lengths = grid.space.distances_from(2.0, 3.0)
        for layer, there in enumerate(presence):
            assert lengths[there > 0.0].max() <= speed * PERIOD * layer + 0.3


def test_a_ghost_that_walks_straight_is_foreseen_ahead_and_not_behind(grid: TimedGrid) -> None:
    seer = forecast(grid)
    ghost = walked(seer, (2.0, 0.6), (2.0, 2.6))
    soon = seer.presence(ghost, 12, PERIOD)[8]
    ahead = grid.points[:, 1] > 2.6
    assert soon[ahead].sum() > 0.8
    assert mean(grid, soon)[1] > 2.6 + 0.3


def test_a_turn_makes_what_was_ahead_unlikely(grid: TimedGrid) -> None:
    seer = forecast(grid)
    ghost = walked(seer, (2.0, 0.6), (2.0, 4.0), (2.0, 3.0))
    soon = seer.presence(ghost, 12, PERIOD)[8]
    assert soon[grid.points[:, 1] < 3.0].sum() > 0.8


def test_a_ghost_that_stays_about_a_place_is_expected_to_stay(grid: TimedGrid) -> None:
    corner = [(1.0, 1.0), (2.0, 1.2), (1.2, 2.2), (2.2, 2.0)]
    guard, wanderer = forecast(grid), forecast(grid)
    at_haunt = walked(guard, *(corner[k % 4] for k in (0, 1, 2, 3, 0, 2, 1, 3, 2, 0, 3, 1, 0, 2)))
    passing = walked(wanderer, (4.6, 3.0), corner[2])
    inside = np.hypot(*(grid.points - (1.6, 1.6)).T) < 2.0
    shares = [
        seer.presence(ghost, 50, PERIOD)[-1][inside].sum() for seer, ghost in ((guard, at_haunt), (wanderer, passing))
    ]
    assert shares[0] > 0.9
    assert shares[1] < 0.7


def test_a_ghost_that_was_put_elsewhere_is_followed_from_there(grid: TimedGrid) -> None:
    seer = forecast(grid)
    walked(seer, (2.0, 0.6), (2.0, 2.6))
    seer.watch(view(6.0, 3.0))
    presence = seer.presence(view(6.0, 3.0), 10, PERIOD)
    assert presence[0].argmax() == grid.space.nearest(6.0, 3.0)
    seer.reset()
    seer.watch(view(1.0, 1.0))
    assert seer.presence(view(1.0, 1.0), 2, PERIOD)[0].argmax() == grid.space.nearest(1.0, 1.0)


def test_a_ghost_in_a_part_of_its_own_stays_there(area: OccupancyMap) -> None:
    free = area.free.copy()
    free[:, 81:83] = False
    parted = TimedGrid(FreeSpace(OccupancyMap.build(free, 0.05), 0.27, 0.2))
    seer = forecast(parted)
    ghost = walked(seer, (6.0, 1.0), (6.0, 2.0))
    presence = seer.presence(ghost, 60, PERIOD)
    right = parted.points[:, 0] > 4.1
    assert presence[:, right].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    # It walks about, rather than to stand in front of a wall.
    assert (presence[-1] > 0.0).sum() > 50


def test_real_ghosts_are_found_where_they_are_foreseen(area: OccupancyMap, grid: TimedGrid) -> None:
    """Of the document's wanderer, over 300 s: what is foreseen for 4 s ahead holds far better than mere reach."""
    seer, space = forecast(grid), FreeSpace(area, 0.25)
    ghost = Ghost("clyde", "clyde_source", space, np.random.default_rng(3))
    foreseen: list[tuple[int, np.ndarray, np.ndarray]] = []
    likely, reach = [], []
    for tick in range(3000):
        now = tick * SECOND // 10
        ghost.step(now)
        seer.watch(ghost.view())
        if tick % 20 == 0 and tick > 100:
            presence = seer.presence(ghost.view(), 11, PERIOD)[10]
            lengths = grid.space.distances_from(*ghost.position)
            foreseen.append((tick + 40, presence, lengths <= 0.25 * 4.0 + 0.3))
        while foreseen and foreseen[0][0] == tick:
            _, presence, within = foreseen.pop(0)
            near = np.hypot(*(grid.points - ghost.position).T) < 0.5
            likely.append(float(presence[near].sum()))
            reach.append(float((near & within).sum() / within.sum()))
    assert np.mean(likely) > 0.6
    assert np.mean(likely) > 2.0 * np.mean(reach)
