"""Where a lost target can be, and from where it is seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena_trees.control.search_grid import SearchGrid
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan


def grid_with_wall() -> SearchGrid:
    """Return a room of 8 m with a wall across its middle that leaves a gap at its upper end."""
    grid = SearchGrid(4.0, 0.2)
    grid.occupied[:30, 20] = True
    return grid


def scan_of(points: list[tuple[float, float]]) -> Scan:
    """Return a scan of points in base_link."""
    x, y = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    return Scan(0, 0, 1, x, y, np.arctan2(y, x), np.hypot(x, y), len(points), 0)


def test_a_target_can_go_as_far_as_its_speed_lets_it():
    grid = SearchGrid(4.0, 0.2)
    grid.begin_near(0.0, 0.0, 0.3)
    grid.grow(1.0)
    rows, columns = np.nonzero(grid.possible)
    far = max(math.hypot(*grid.point(r, c)) for r, c in zip(rows, columns, strict=True))
    assert 1.0 <= far <= 2.2
    before = int(grid.possible.sum())
    grid.grow(0.05)
    assert int(grid.possible.sum()) == before


def test_it_does_not_go_through_a_wall():
    grid = grid_with_wall()
    grid.begin_near(-1.0, -3.0, 0.3)
    grid.grow(3.0)
    assert grid.possible[grid.index(-1.0, -0.5)]
    assert not grid.possible[grid.index(1.0, -3.0)]
    assert not (grid.possible & grid.occupied).any()


def test_what_the_camera_has_seen_is_empty_and_what_a_wall_hides_is_not():
    grid = grid_with_wall()
    grid.begin_everywhere()
    grid.see_nothing(-2.0, -2.0, 0.0, math.radians(60.0), 10.0)
    assert not grid.possible[grid.index(-0.6, -2.0)]
    assert grid.possible[grid.index(2.0, -2.0)]
    assert grid.possible[grid.index(-2.0, 2.0)]
    assert grid.possible[grid.index(-3.0, -2.0)]


def test_the_next_view_is_where_the_hidden_part_is_seen():
    grid = grid_with_wall()
    grid.begin_near(2.0, -3.0, 0.6)
    view = grid.next_view(-2.0, -3.0, 8.0, 0.25, 0.3)
    assert view is not None
    grid.see_nothing(-2.0, -3.0, 0.0, math.tau, 8.0)
    assert grid.possible.any()
    for yaw in np.arange(0.0, math.tau, 0.5):
        grid.see_nothing(*view, float(yaw), 0.7, 8.0)
    assert not grid.possible.any()


def test_there_is_no_view_of_nothing():
    grid = SearchGrid(4.0, 0.2)
    grid.possible[:] = False
    assert grid.next_view(0.0, 0.0, 8.0, 0.25, 0.3) is None
    assert grid.bearings_to_see(0.0, 0.0, 8.0)[1] == 0


def test_a_way_goes_round_a_wall_and_never_through():
    grid = grid_with_wall()
    path = grid.path(-2.0, -3.0, (2.0, -3.0), 0.25)
    assert path[-1] == (2.0, -3.0)
    assert max(y for _, y in path) > 2.0
    assert not any(grid.occupied[grid.index(x, y)] for x, y in path)
    assert not grid.is_clear((-2.0, -3.0), (2.0, -3.0), 0.25)
    assert grid.is_clear((-2.0, -3.0), (-2.0, 3.0), 0.25)
    grid.occupied[:, 20] = True
    assert grid.path(-2.0, -3.0, (2.0, -3.0), 0.25) == []


def test_scans_mark_and_clear_but_not_the_evader():
    grid = SearchGrid(4.0, 0.2)
    pose = Pose2D(0.0, 0.0, math.pi / 2.0)
    grid.see_scan(scan_of([(2.0, 0.0), (0.0, 1.0)]), pose, 6.0, (-1.0, 0.0, 0.4))
    assert grid.occupied[grid.index(0.0, 2.0)]
    assert not grid.occupied[grid.index(-1.0, 0.0)]
    grid.see_scan(scan_of([(3.0, 0.0)]), pose, 6.0, None)
    assert not grid.occupied[grid.index(0.0, 2.0)] and grid.occupied[grid.index(0.0, 3.0)]


def test_single_beams_mark_and_clear():
    grid = SearchGrid(4.0, 0.2)
    grid.see_ray((0.0, 0.0), (2.0, 0.0), True)
    assert grid.occupied[grid.index(2.0, 0.0)]
    grid.see_ray((0.0, 0.0), (3.0, 0.0), False)
    assert not grid.occupied.any()


def test_points_outside_belong_to_no_cell():
    grid = SearchGrid(4.0, 0.2)
    grid.see_ray((3.5, 0.0), (6.0, 0.0), True)
    assert not grid.occupied.any()
    assert grid.index(99.0, -99.0) == (0, grid.count - 1)
    assert grid.inside(3.9, 0.0) and not grid.inside(4.1, 0.0)


@pytest.mark.parametrize("goal", [(3.0, 3.0), (-3.4, 0.2)])
def test_ways_are_about_as_long_as_they_are(goal):
    ways = SearchGrid(4.0, 0.2).ways_from(0.0, 0.0, 0.2)
    length = math.hypot(*goal)
    assert ways[SearchGrid(4.0, 0.2).index(*goal)] == pytest.approx(length, rel=0.3)
