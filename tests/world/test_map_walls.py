"""Walls from maps: every occupied cell at free space is covered, no free one is, and by few blocks."""

import numpy as np
import pytest
import shapely
from helpers.maps import drawn, grey, write_map

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.map_arena import map_arena
from arena_trees.world.maps.map_walls import map_walls, merged_rectangles
from arena_trees.world.maps.occupancy_map import load_map

ROOM = """
##########
#........#
#..##....#
#..##....#
#........#
##########
"""


@pytest.mark.parametrize("seed", range(5))
def test_rectangles_cover_what_is_needed_and_nothing_that_is_forbidden(seed: int):
    random = np.random.default_rng(seed)
    allowed = random.random((30, 40)) < 0.7
    needed = allowed & (random.random((30, 40)) < 0.5)
    covered = np.zeros_like(allowed)
    for top, left, bottom, right in merged_rectangles(needed, allowed, longest=7):
        assert 0 < bottom - top <= 7
        covered[top:bottom, left:right] = True
    assert not (needed & ~covered).any()
    assert not (covered & ~allowed).any()


@pytest.mark.parametrize("origin", [Pose2D(-3.0, 2.0, 0.0), Pose2D(1.0, -4.0, 0.7)])
def test_walls_stand_where_the_map_is_occupied(origin: Pose2D):
    area = drawn(ROOM, 0.05, origin, scale=4)
    walls = map_walls(area)
    # Four sides and the block in the middle.
    assert len(walls) == 5
    solid = shapely.union_all([wall.solid().polygon() for wall in walls])
    rows, columns = np.nonzero(area.free)
    assert not shapely.contains_xy(solid, *area.points(rows, columns).T).any()
    faces = area.points(rows, columns)
    gaps = shapely.distance(shapely.points(faces), solid)
    # A free cell's centre is as far from the walls' faces as the map says.
    np.testing.assert_allclose(gaps, area.clearance[rows, columns], atol=0.21 * area.resolution)


def test_what_is_not_known_is_no_wall_and_robots_start_where_the_file_beside_the_map_says(tmp_path):
    path = write_map(tmp_path, grey("##### #...? #...? #####".replace(" ", "\n")))
    walls = map_walls(load_map(path))
    solid = shapely.union_all([wall.solid().polygon() for wall in walls])
    assert len(walls) == 3
    assert solid.distance(shapely.Point(0.45, 0.2)) > 0.04
    path = write_map(tmp_path, np.kron(grey(ROOM), np.ones((10, 10), np.uint8)), resolution=0.05)
    (tmp_path / "room.arena.yaml").write_text("start: [1.0, 1.0, 0.5]\n", encoding="utf-8")
    arena = map_arena(path, ["pacman"])
    assert (arena.starts["pacman"].position, arena.starts["pacman"].yaw) == ((1.0, 1.0), 0.5)
    assert (arena.fences, len(arena.walls)) == ({}, 5)
