"""Where a lost target can be, and from where it is seen."""

import math

import numpy as np
import pytest
import shapely

from arena_trees.control.searching.search_grid import _RAYS, SearchGrid
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan


def grid_with_wall() -> SearchGrid:
    """Return a room of 8 m with a wall across its middle that leaves a gap at its upper end."""
    grid = SearchGrid(4.0, 0.2)
    grid.occupied[:30, 20] = True
    return grid


def scan_of(points: list[tuple[float, float]]) -> Scan:
    x, y = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    return Scan(0, 0, 1, x, y, np.arctan2(y, x), np.hypot(x, y), len(points), 0)


def chance_at(grid: SearchGrid, x: float, y: float) -> float:
    """Return the probability of the cell of a point, as a share of that of an even spread."""
    return float(grid.chance[grid.index(x, y)]) * grid.count**2


def test_a_target_spreads_with_its_speed_and_is_somewhere():
    grid = SearchGrid(4.0, 0.2)
    grid.begin_near(0.0, 0.0, 0.3)
    grid.grow(0.1)
    assert chance_at(grid, 0.6, 0.0) == 0.0, "it went half the length of a cell"
    grid.grow(1.0)
    assert chance_at(grid, 0.6, 0.0) > 1.0 > chance_at(grid, 1.7, 0.0) > 0.0
    assert chance_at(grid, 3.0, 0.0) == 0.0
    assert grid.chance.sum() == pytest.approx(1.0)


def test_it_does_not_go_through_a_wall():
    grid = grid_with_wall()
    grid.begin_near(-1.0, -3.0, 0.3)
    grid.grow(3.0)
    assert chance_at(grid, -1.0, -1.5) > 0.0
    assert chance_at(grid, 1.0, -3.0) == 0.0
    assert not grid.chance[grid.occupied].any() and grid.chance.sum() == pytest.approx(1.0)


def test_what_the_camera_has_seen_is_unlikely_most_of_all_near_it_and_what_a_wall_hides_is_not():
    grid = grid_with_wall()
    grid.begin_everywhere()
    grid.see_nothing(-2.0, -2.0, 0.0, math.radians(60.0), 10.0)
    assert chance_at(grid, -0.6, -2.0) < 0.6
    assert chance_at(grid, 2.0, -2.0) > 1.0
    assert chance_at(grid, -2.0, 2.0) > 1.0
    assert chance_at(grid, -3.0, -2.0) > 1.0
    grid = SearchGrid(4.0, 0.2)
    grid.see_nothing(-3.0, 0.0, 0.0, math.radians(60.0), 10.0)
    assert chance_at(grid, -2.0, 0.0) < chance_at(grid, 3.0, 0.0) < chance_at(grid, -3.5, 0.0)


def test_a_target_is_nowhere_within_what_the_sensors_met_all_round():
    grid = SearchGrid(4.0, 0.2)
    grid.occupied[10:20, 10:20] = True
    grid.occupied[12:18, 12:18] = False
    grid.begin_everywhere()
    grid.confine(3.0, 3.0)
    assert not grid.chance[12:18, 12:18].any() and grid.chance.sum() == pytest.approx(1.0)


def test_a_target_that_can_be_nowhere_can_be_everywhere():
    grid = grid_with_wall()
    grid.begin_near(*grid.point(10, 20), 0.01)
    assert chance_at(grid, -2.0, -2.0) == chance_at(grid, 2.0, 3.0) > 0.0


def test_it_looks_first_where_the_target_is_likely_and_soon_in_view():
    grid = SearchGrid(4.0, 0.2)
    for y in (2.0, -2.0):
        grid.begin_near(0.0, y, 0.5)
        look, soon = grid.direction_to_look(0.0, 0.0, 0.3, math.radians(42.0), 1.0, 8.0)
        assert look == pytest.approx(math.copysign(math.pi / 2.0, y), abs=0.4)
        assert soon > 0.0
    grid.begin_everywhere()
    look, _ = grid.direction_to_look(0.0, 0.0, 0.3, math.radians(42.0), 1.0, 8.0)
    assert look == pytest.approx(0.3, abs=0.2), "all are alike, and this needs no turn"
    aside, soon = grid.direction_to_look(0.0, 0.0, 0.3, math.radians(42.0), 1.0, 8.0, 0.5)
    assert 0.5 <= abs(aside - 0.3) < 0.8 and soon > 0.0


def test_the_next_view_is_where_the_hidden_part_is_seen_and_there_is_none_where_no_way_leads():
    grid = grid_with_wall()
    grid.begin_near(2.0, -3.0, 0.6)
    found = grid.next_view(-2.0, -3.0, 8.0, 0.25, 0.3)
    assert found is not None and found[1] > 0.0
    before = float(grid.chance[:, 21:].sum())
    assert before == pytest.approx(1.0)
    _, soon = grid.direction_to_look(*found[0], 0.0, math.tau, 1.0, 8.0)
    assert soon > 0.0 and grid.direction_to_look(-2.0, -3.0, 0.0, math.tau, 1.0, 8.0)[1] == 0.0
    grid = SearchGrid(4.0, 0.2)
    grid.occupied[15:25, 15:25] = True
    grid.occupied[18:22, 18:22] = False
    assert grid.next_view(0.0, 0.0, 8.0, 0.25, 0.3) is None


def test_a_view_is_kept_unless_another_is_clearly_better():
    grid = SearchGrid(4.0, 0.2)
    grid.begin_near(0.0, 3.0, 0.5)
    best = grid.next_view(0.0, -3.0, 8.0, 0.25, 0.3)
    x, y = best[0]
    kept = grid.next_view(0.0, -3.0, 8.0, 0.25, 0.3, (x + 0.3, y))
    assert kept is not None and kept[0] == pytest.approx((x + 0.3, y), abs=0.15)
    far = grid.next_view(0.0, -3.0, 8.0, 0.25, 0.3, (-3.5, -3.5))
    assert far is not None and far[0] == best[0]


def test_a_wall_may_go_on_where_nobody_has_looked():
    grid = SearchGrid(4.0, 0.2)
    grid.see_ray((0.0, -2.0), (2.0, -2.0), True)
    assert not grid.is_clear((0.0, -1.6), (3.0, -1.6), 0.25), "it is unknown what stands there"
    for y in (-1.7, -1.5, -1.3):
        grid.see_ray((0.0, y), (4.0, y), False)
    assert grid.is_clear((0.0, -1.6), (3.0, -1.6), 0.25)


def test_whoever_stands_at_a_wall_drives_away_from_it_or_along_but_not_into_it():
    grid = SearchGrid(4.0, 0.2)
    grid.occupied[:, 25] = True
    grid.known[:] = True
    x, y = grid.point(20, 24)
    assert grid.is_clear((x, y), (x - 2.0, y), 0.3)
    assert grid.is_clear((x, y), (x, y + 0.2), 0.3)
    assert not grid.is_clear((x, y), (x + 2.0, y), 0.3)
    assert math.isfinite(grid.ways_from(x, y, 0.3)[grid.index(-2.0, 0.0)])


def test_a_way_goes_round_a_wall_and_never_through():
    grid = grid_with_wall()
    path = grid.path(-2.0, -3.0, (2.0, -3.0), 0.25)
    assert path[-1] == (2.0, -3.0)
    assert max(y for _, y in path) > 2.0
    assert not any(grid.occupied[grid.index(x, y)] for x, y in path)
    assert not grid.is_clear((-2.0, -3.0), (2.0, -3.0), 0.25)
    assert grid.is_clear((-2.0, -3.0), (-2.0, 3.0), 0.25)
    grid.occupied[:, 20] = True
    nearest = grid.path(-2.0, -3.0, (2.0, -3.0), 0.25)
    assert nearest and max(x for x, _ in nearest) < -0.2, "to the nearest place on this side"


def test_scans_and_single_beams_mark_and_clear_but_not_the_evader():
    grid = SearchGrid(4.0, 0.2)
    pose = Pose2D(0.0, 0.0, math.pi / 2.0)
    grid.see_scan(scan_of([(2.0, 0.0), (0.0, 1.0)]), pose, 6.0, (-1.0, 0.0, 0.4))
    assert grid.occupied[grid.index(0.0, 2.0)]
    assert not grid.occupied[grid.index(-1.0, 0.0)]
    grid.see_scan(scan_of([(3.0, 0.0)]), pose, 6.0, None)
    assert not grid.occupied[grid.index(0.0, 2.0)] and grid.occupied[grid.index(0.0, 3.0)]
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


@pytest.mark.parametrize("seed", range(4))
def test_what_is_seen_is_what_no_cell_stands_before(seed):
    random = np.random.default_rng(seed)
    grid = SearchGrid(4.0, 0.2)
    for row, column in random.integers(0, grid.count - 10, (seed, 2)):
        grid.occupied[row, column : column + 10] = True
        grid.occupied[row : row + 5, column] = True
    points = random.uniform(-4.2, 4.2, (6, 2))
    rows, columns = random.integers(0, grid.count, (2, 12))
    seen = grid._sees(points, rows, columns, 5.0)
    middles = np.array([grid.point(*place) for place in np.argwhere(grid.occupied)]).reshape(-1, 2)
    # A direction is rounded by half of the angle between two of them, and so is each edge of a cell.
    slack = math.tau / _RAYS
    for (one, other), found in np.ndenumerate(seen):
        line = np.array(grid.point(rows[other], columns[other])) - points[one]
        distance, offset = math.hypot(*line), middles - points[one]
        off = np.abs(np.angle(np.exp(1j * (np.arctan2(offset[:, 1], offset[:, 0]) - math.atan2(line[1], line[0])))))
        away = np.hypot(*offset.T)
        between = (away > 0.75 * grid.cell) & (away < distance - 1.5 * grid.cell)
        half = np.arcsin(np.minimum(1.0, 0.5 * grid.cell / away))
        if (between & (off < half - slack)).any() or distance >= 5.0:
            assert not found
        if not (between & (off < half + slack)).any() and distance < 5.0:
            assert found


def test_ways_lead_inside_one_area_only_and_views_are_inside_another():
    grid = SearchGrid(4.0, 0.2, centre=(1.0, 0.0))
    assert grid.inside(4.9, 0.0) and not grid.inside(-3.1, 0.0)
    assert grid.point(*grid.index(2.3, -1.1)) == (pytest.approx(2.3), pytest.approx(-1.1))
    grid.keep_inside(shapely.box(-2.0, -2.0, 3.0, 2.0), shapely.box(-1.5, -1.5, 0.0, 1.5))
    grid.begin_near(2.5, 0.0, 0.3)
    row, column = grid.index(1.5, 0.0)
    grid.occupied[row - 1 : row + 2, column] = True
    grid.known[:] = True
    ways = grid.ways_from(-1.0, 0.0, 0.2)
    assert math.isfinite(ways[grid.index(2.5, 0.0)]) and math.isfinite(ways[grid.index(0.0, 1.7)])
    assert not math.isfinite(ways[grid.index(3.5, 0.0)])
    (x, y), _ = grid.next_view(-1.0, 0.0, 6.0, 0.2, 0.3)
    assert -1.5 < x < 0.0 and abs(y) < 1.5
    assert grid.chance[grid.index(3.5, 0.0)] == 0.0
    grid.grow(1.0)
    assert grid.chance[grid.index(3.3, 0.0)] > 0.0, "the target may be where no way leads"
