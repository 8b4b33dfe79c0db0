"""Free space: where a disc fits, ways that jump no wall, and a coarse grid that joins what the cells of a map join."""

import math
from itertools import pairwise

import cv2
import numpy as np
import pytest
from helpers.maps import drawn
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.occupancy_map import OccupancyMap

ROOMS = """
##########
#....#...#
#....#...#
#........#
#....#...#
##########
"""


def test_nodes_keep_their_distance_to_walls() -> None:
    area = drawn(ROOMS, 0.05, scale=8)
    space = FreeSpace(area, 0.15)
    assert len(space) > 100
    assert space.spacing == pytest.approx(0.1)
    assert min(area.clearance_at(x, y) for x, y in space.points) >= 0.15 - 1e-6


def test_a_way_goes_through_the_door_and_its_length_is_told() -> None:
    space = FreeSpace(drawn(ROOMS, 0.05, scale=8), 0.15)
    a, b = space.point(space.nearest(1.0, 1.8)), space.point(space.nearest(3.0, 1.8))
    path = space.path(a, b)
    assert path[0] == a
    assert path[-1] == b
    # The door, in the drawing's sixth column and fourth line, is the only way.
    assert any(2.0 <= x <= 2.4 and 0.8 <= y <= 1.2 for x, y in path)
    steps = [math.dist(p, q) for p, q in pairwise(path)]
    assert max(steps) <= space.spacing * math.sqrt(2.0) + 1e-9
    assert sum(steps) == pytest.approx(space.distance(a, b))
    assert sum(steps) > math.dist(a, b) + 0.5


def test_there_is_no_way_through_a_wall_and_no_corner_is_cut():
    space = FreeSpace(drawn("####### #..#..# #..#..# #######", 0.05, scale=8), 0.1)
    left, right = (0.7, 0.7), (2.0, 0.7)
    assert space.path(left, right) == []
    assert space.distance(left, right) == math.inf
    assert np.count_nonzero(space.components == space.components[space.nearest(*left)]) == len(space) // 2
    rng = np.random.default_rng(3)
    mine = space.nearest(*left)
    assert all(
        space.components[space.random_node(rng, reachable_from=mine)] == space.components[mine] for _ in range(50)
    )
    # Two rooms that touch at a corner, and an L round a corner.
    assert FreeSpace(drawn("..# ..# ##."), 0.0).components.max() == 1
    corner = FreeSpace(drawn(".. .#"), 0.0)
    assert corner.distance((0.05, 0.05), (0.15, 0.15)) == pytest.approx(0.2)


def test_a_thin_wall_is_not_jumped_on_a_coarse_grid() -> None:
    wall = np.ones((60, 60), np.bool_)
    wall[:, 30] = False
    for clearance in (0.0, 0.02, 0.1):
        space = FreeSpace(OccupancyMap.build(wall, 0.02), clearance, 0.5)
        assert space.distance((0.3, 0.6), (0.9, 0.6)) == math.inf


def test_distances_are_remembered_and_cannot_be_spoilt() -> None:
    space = FreeSpace(drawn(ROOMS, 0.05, scale=8), 0.15)
    found = space.distances_from(1.0, 1.0)
    assert space.distances_from(1.0, 1.0) is found
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0.0


@pytest.mark.parametrize(
    ("clearance", "cell", "key"), [(-0.1, 0.1, "clearance_m"), (math.nan, 0.1, "clearance_m"), (0.1, 0.0, "cell_m")]
)
def test_bad_lengths_are_refused(clearance: float, cell: float, key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        FreeSpace(drawn(ROOMS, scale=4), clearance, cell)


def test_a_disc_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(ConfigError, match="fits nowhere"):
        FreeSpace(drawn(ROOMS), 2.0)


@settings(deadline=None, max_examples=60)
@given(
    cells=st.lists(st.booleans(), min_size=64, max_size=64),
    yaw=st.floats(-3.0, 3.0),
    seed=st.integers(0, 1000),
    scale=st.integers(1, 3),
)
def test_ways_are_shortest_symmetrical_and_free(cells: list[bool], yaw: float, seed: int, scale: int) -> None:
    free = np.kron(np.array(cells).reshape(8, 8), np.ones((scale, scale))).astype(np.bool_)
    assume(free.any())
    area = OccupancyMap.build(free, 0.1, Pose2D(1.0, -2.0, yaw))
    try:
        space = FreeSpace(area, 0.05, 0.1)
    except ConfigError:
        assume(False)
    rng = np.random.default_rng(seed)
    a, b = space.random_node(rng), space.random_node(rng)
    there, back = space.distances_from_node(a)[b], space.distances_from_node(b)[a]
    assert there == pytest.approx(back)
    path = space.node_path(a, b)
    assert bool(path) is math.isfinite(there) is bool(space.components[a] == space.components[b])
    length = 0.0
    for p, q in pairwise(path):
        assert q in space.neighbours(p)
        length += math.dist(space.point(p), space.point(q))
    if path:
        assert length == pytest.approx(there)
        assert there >= math.dist(space.point(a), space.point(b)) - 1e-9
    following, node, walked = space.next_nodes(np.array([b]))[0], a, 0.0
    while following[node] != node:
        walked += math.dist(space.point(node), space.point(following[node]))
        node = int(following[node])
    assert (node, walked) == ((b, pytest.approx(there)) if path else (a, 0.0))
    for x, y in space.points:
        assert area.free[area.cell(x, y)]
        assert space.point(space.nearest(x, y)) == (x, y)


CLEARANCE = 0.25


def rooms(doors: list[tuple[int, int]], resolution: float, shift: int = 0, wall: int = 2) -> OccupancyMap:
    """Return rooms in a row behind each other, with a door (its place and width in cells) in each wall between."""
    size = round(1.2 / resolution)
    free = np.zeros((size + 2 * wall, len(doors) * (size + wall) + size + 2 * wall + shift), np.bool_)
    for number in range(len(doors) + 1):
        left = wall + shift + number * (size + wall)
        free[wall : wall + size, left : left + size] = True
        if number < len(doors):
            place, width = doors[number]
            place = min(place, size - width)
            free[wall + place : wall + place + width, left + size : left + size + wall] = True
    return OccupancyMap.build(free, resolution)


def labels(area: OccupancyMap) -> np.ndarray:
    fits = (area.free & (area.clearance >= CLEARANCE - 1e-6)).astype(np.uint8)
    return cv2.connectedComponents(fits, connectivity=4)[1]


def check(area: OccupancyMap, cell: float, roomy: float | None) -> None:
    """Hold a free space to the cells of its map."""
    space, found = FreeSpace(area, CLEARANCE, cell, roomy), labels(area)
    own = np.array([found[area.cell(x, y)] for x, y in space.points])
    assert (own > 0).all()
    assert set(own) == set(range(1, found.max() + 1)), "some place has no node at all"
    pairs = {(int(label), int(component)) for label, component in zip(own, space.components, strict=True)}
    assert len(pairs) == found.max() == space.components.max() + 1, "cells and nodes are joined differently"
    for label in range(1, int(found.max()) + 1):
        cells = area.points(*np.nonzero(found == label))
        gaps = np.abs(cells[:, None] - space.points[own == label][None]).max(axis=2).min(axis=1)
        assert gaps.max() <= 3.0 * space.spacing + 1e-9, "a place is far from every node"


@settings(deadline=None, max_examples=40)
@given(
    doors=st.lists(st.tuples(st.integers(0, 40), st.integers(9, 14)), min_size=1, max_size=3),
    shift=st.integers(0, 5),
    cell=st.sampled_from((0.1, 0.2, 0.33)),
    roomy=st.sampled_from((None, 0.27, 0.3)),
)
def test_no_narrow_door_is_lost_and_none_is_made_up(doors, shift, cell, roomy):
    check(rooms(doors, 0.05, shift), cell, roomy)


@settings(deadline=None, max_examples=40)
@given(
    blocks=st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59), st.integers(1, 4)), max_size=14),
    cell=st.sampled_from((0.1, 0.2, 0.33)),
    roomy=st.sampled_from((None, 0.27)),
)
@example(blocks=[(30, column, 1) for column in range(0, 60, 11)], cell=0.2, roomy=0.27)
def test_clutter_is_passed_where_its_cells_can_be_passed(blocks, cell, roomy):
    free = np.ones((60, 60), np.bool_)
    for row, column, size in blocks:
        free[row : row + size, column : column + size] = False
    area = OccupancyMap.build(free, 0.05)
    try:
        FreeSpace(area, CLEARANCE, cell)
    except ConfigError:
        assume(False)
    check(area, cell, roomy)


@pytest.mark.parametrize("resolution", [0.01, 0.03, 0.04, 0.05, 0.1])
def test_a_door_as_wide_as_the_robot_is_passed_at_every_resolution(resolution: float) -> None:
    width = round(0.5 / resolution) + 1
    for place in range(0, 8, 3):
        area = rooms([(place, width)], resolution)
        check(area, 0.1, None)
        check(area, 0.2, 0.27)
        assert labels(area).max() == 1
