"""The coarse grid joins what the cells of a map join, and nothing else."""

import cv2
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.control.navigation.occupancy_map import OccupancyMap
from arena_trees.robot.errors import ConfigError

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
def test_no_narrow_door_is_lost_and_none_is_made_up(
    doors: list[tuple[int, int]], shift: int, cell: float, roomy: float | None
) -> None:
    check(rooms(doors, 0.05, shift), cell, roomy)


@settings(deadline=None, max_examples=40)
@given(
    blocks=st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59), st.integers(1, 4)), max_size=14),
    cell=st.sampled_from((0.1, 0.2, 0.33)),
    roomy=st.sampled_from((None, 0.27)),
)
@example(blocks=[(30, column, 1) for column in range(0, 60, 11)], cell=0.2, roomy=0.27)
def test_clutter_is_passed_where_its_cells_can_be_passed(
    blocks: list[tuple[int, int, int]], cell: float, roomy: float | None
) -> None:
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
