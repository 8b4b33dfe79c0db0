"""Ways before hunters: they are led about, and not only run away from."""

import math
from dataclasses import replace

import numpy as np
import pytest

from arena_trees.control.evasion.hunted_search import HuntedSearch, HuntedTask
from arena_trees.control.evasion.hunters import Hunter
from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.evasion.timed_search import Prize, TimedWay
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.world.maps.occupancy_map import OccupancyMap

SPEED = 0.29
SECOND = 40.0
"""What a second within reach of a hunter costs, s."""


@pytest.fixture(scope="module")
def ring() -> TimedGrid:
    """A corridor of 0.8 m round a block of 1.2 x 1.2 m, and a blind alley of 2.4 m from its right side."""
    free = np.zeros((60, 108), np.bool_)
    free[2:58, 2:58] = True
    free[18:42, 18:42] = False
    free[22:38, 58:106] = True
    return TimedGrid(FreeSpace(OccupancyMap.build(free, 0.05), 0.27, 0.2))


def search(grid: TimedGrid) -> HuntedSearch:
    return HuntedSearch(grid, SPEED, 1.4, 20.0, 10.0, 0.4, 0.6)


def task(grid: TimedGrid, finder: HuntedSearch, pellet: tuple[float, float], *hunters: Hunter) -> HuntedTask:
    """Return the task to take one pellet."""
    cell = grid.space.nearest(*pellet)
    field = grid.space.distances_from_node(cell)
    prize = Prize(np.array([cell]), np.zeros(1, np.float32))
    danger = np.zeros((finder.layers, len(grid)), np.float32)
    deadly = np.full(finder.layers, SECOND * finder.period, np.float32)
    beyond = (field / SPEED).astype(np.float32)
    return HuntedTask(danger, beyond, [prize], hunters, deadly)


def found(
    grid: TimedGrid, start: tuple[float, float], yaw: float, pellet: tuple[float, float], *hunters: Hunter
) -> TimedWay:
    finder = search(grid)
    return finder.run(task(grid, finder, pellet, *hunters), grid.space.nearest(*start), yaw)


def chaser(x: float, y: float) -> Hunter:
    return Hunter(x, y, 0.25, 1.0)


def test_a_hunter_far_away_is_no_reason_to_leave_the_shortest_way(ring: TimedGrid) -> None:
    way = found(ring, (0.5, 0.5), 0.0, (2.5, 0.5), chaser(0.5, 2.5))
    assert way.prize == 0
    assert way.cells[-1] == ring.space.nearest(2.5, 0.5)
    assert way.danger == 0.0
    assert {round(float(ring.points[cell][1]), 2) for cell in way.cells} == {
        round(float(ring.points[way.cells[0]][1]), 2)
    }


def test_a_chaser_on_the_way_is_led_round_the_block(ring: TimedGrid) -> None:
    """It stands between the robot and the pellet; to run to the other side and stay there would never take it."""
    way = found(ring, (0.5, 0.5), math.pi / 2, (2.5, 1.1), chaser(1.5, 0.5))
    assert way.prize == 0
    assert max(float(ring.points[cell][1]) for cell in way.cells) > 2.3
    assert way.danger < 0.25 * SECOND


def test_a_pellet_in_a_blind_alley_is_left_while_a_chaser_is_close_behind(ring: TimedGrid) -> None:
    """From the alley's mouth, the chaser is right behind, or on the far side of the block."""
    close = found(ring, (2.5, 1.2), math.pi / 2, (5.0, 1.5), chaser(2.5, 0.5))
    far = found(ring, (2.5, 1.5), 0.0, (5.0, 1.5), chaser(0.5, 1.5))
    assert close.prize is None
    assert close.danger < 0.5 * SECOND
    assert max(float(ring.points[cell][0]) for cell in close.cells) < 3.0
    assert far.prize == 0


def test_the_way_that_the_robot_is_on_is_gone_on_with_where_another_is_no_better(ring: TimedGrid) -> None:
    """The pellet lies on the other side of the block, as far away either way."""

    def highest(heading: float | None, hunter: Hunter, yaw: float = 0.0) -> float:
        finder = search(ring)
        asked = task(ring, finder, (2.5, 1.5), hunter)
        asked = replace(asked, heading=heading, turning_back=SECOND)
        way = finder.run(asked, ring.space.nearest(0.5, 1.5), yaw)
        return max(float(ring.points[cell][1]) for cell in way.cells)

    afar = Hunter(5.0, 1.5, 0.01, 1.0)
    up, down = math.pi / 2, -math.pi / 2
    assert highest(up, afar) > 2.2
    assert highest(down, afar) < 1.7
    assert highest(down, chaser(0.5, 0.5)) > 2.2, "but not into a hunter"


def test_a_wait_costs_nothing_though_the_robot_was_on_its_way(ring: TimedGrid) -> None:
    """The chaser is on the pellet, in the alley; either way round the block leads towards it."""
    finder = search(ring)
    asked = replace(task(ring, finder, (2.5, 1.5), chaser(4.0, 1.5)), heading=math.pi / 2, turning_back=SECOND)
    way = finder.run(asked, ring.space.nearest(0.5, 1.5), 0.0)
    assert way.cells[0] == way.cells[1]


def test_a_turn_gives_the_hunter_time(ring: TimedGrid) -> None:
    finder = search(ring)
    turned = finder.waits(np.array([0.3, math.pi, -math.pi, math.tau - 0.3], np.float32))
    assert turned == pytest.approx([0.0, (math.pi - 0.5) / 1.4, (math.pi - 0.5) / 1.4, 0.0], abs=1e-4)


def test_hunters_go_on_while_the_robot_turns(ring: TimedGrid) -> None:
    """The chaser is 0.7 m behind a robot that heads away from it, or towards it and has to turn about."""
    away, about = (found(ring, (0.5, 1.2), yaw, (0.5, 2.4), chaser(0.5, 0.5)) for yaw in (math.pi / 2, -math.pi / 2))
    assert about.danger > away.danger + 0.1 * SECOND


def test_a_hunter_that_is_deadly_farther_than_harmless_is_refused(ring: TimedGrid) -> None:
    with pytest.raises(ValueError, match=r"0\.6 m, 0\.6 m"):
        HuntedSearch(ring, SPEED, 1.4, 20.0, 10.0, 0.6, 0.6)


def test_hunters_reach_as_if_they_were_independent(ring: TimedGrid) -> None:
    finder = search(ring)
    distances = np.array([[0.3, 0.5, 0.7], [0.3, 0.5, 0.5]], np.float32)
    chances = np.array([[1.0], [0.5]], np.float32)
    # At 0.7 m a hunter is 0.05 (1.2 - 0.7) / 0.6 as deadly.
    doubtful = 1.0 - (1.0 - 0.05 * 5.0 / 6.0) * 0.75
    assert finder.reached(distances, chances) == pytest.approx([1.0, 1.0 - 0.5 * 0.75, doubtful], abs=1e-5)


def test_the_same_task_gives_the_same_way(ring: TimedGrid) -> None:
    ways = [found(ring, (0.5, 0.5), 0.0, (2.5, 2.5), chaser(1.5, 0.5), chaser(2.5, 1.5)) for _ in range(2)]
    assert ways[0] == ways[1]
