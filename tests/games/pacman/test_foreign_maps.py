"""Maps that others made: each loads and gives a field, or is refused with the reason."""

import os
from pathlib import Path

import numpy as np
import pytest

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.arcade.pellet_field import PelletField
from arena_trees.games.pacman.rules import PelletRules
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.world.maps.map_files import START_CLEARANCE, start_pose
from arena_trees.world.maps.occupancy_map import load_map

DATA = Path(os.environ.get("ARENA_TREES_DATA", Path(__file__).resolve().parents[2] / ".." / "shared" / "data"))
MAPS = DATA / "maps"
SPARSE = {"arena_map_enhanced": 7, "arena_map_final": 2}
"""Rooms too narrow for pellets 2 m apart: map to the number 0.5 m apart."""
FIELDS = {"map_circular": 2, "tb3_sandbox": 2, "lab_map": 8, "depot": 82, "maze": 32}

pytestmark = pytest.mark.skipif(not MAPS.is_dir(), reason=f"there are no maps in {DATA}")


def found(name: str) -> Path:
    paths = sorted(MAPS.rglob(f"{name}.yaml"))
    if not paths:
        pytest.skip(f"there is no map {name} in {DATA}")
    return paths[0]


@pytest.mark.parametrize("name", FIELDS)
def test_a_map_gives_a_field_and_room_for_a_ghost(name: str) -> None:
    path = found(name)
    area = load_map(path)
    start = start_pose(path, area)
    field = PelletField(FreeSpace(area, START_CLEARANCE), PelletRules(), (start.x, start.y))
    assert len(field.spawned) == FIELDS[name]
    assert all(area.clearance_at(pellet.x, pellet.y) > 0.0 for pellet in field.spawned)
    space = FreeSpace(area, 0.25)
    ghost = Ghost("clyde", "clyde_source", space, np.random.default_rng(1))
    ghost.spawn(0, (start.x, start.y))
    ghost.step(20 * SECOND)
    assert area.clearance_at(*ghost.position) > 0.15
    assert np.isfinite(space.distance((start.x, start.y), ghost.position))


@pytest.mark.parametrize("name", FIELDS)
def test_plans_reach_every_pellet_that_the_game_keeps(name: str) -> None:
    path = found(name)
    area = load_map(path)
    start = start_pose(path, area)
    here = (start.x, start.y)
    field = PelletField(FreeSpace(area, START_CLEARANCE), PelletRules(spacing=1.0), here)
    plans = FreeSpace(area, START_CLEARANCE, 0.2, 0.27)
    assert all(np.isfinite(plans.distance(here, (pellet.x, pellet.y))) for pellet in field.spawned)


@pytest.mark.parametrize("name", SPARSE)
def test_a_narrow_map_is_refused_until_pellets_are_nearer(name: str) -> None:
    path = found(name)
    area = load_map(path)
    start = start_pose(path, area)
    with pytest.raises(ConfigError, match="gives no pellet"):
        PelletField(FreeSpace(area, START_CLEARANCE), PelletRules(), (start.x, start.y))
    field = PelletField(FreeSpace(area, START_CLEARANCE), PelletRules(spacing=0.5), (start.x, start.y))
    assert len(field.spawned) == SPARSE[name]


def test_a_map_of_a_square_metre_is_read_turned_and_one_without_its_image_is_refused():
    path = found("testmap")
    area = load_map(path)
    assert area.shape == (10, 10)
    assert (area.origin.x, area.origin.y, area.origin.yaw) == (2.0, 3.0, 1.0)
    assert np.count_nonzero(area.free) == 71
    with pytest.raises(ConfigError, match="gives no pellet"):
        PelletField(FreeSpace(area, START_CLEARANCE), PelletRules(spacing=0.5), area.world(5, 5))
    path = found("empty_room")
    with pytest.raises(ConfigError) as refused:
        load_map(path)
    assert str(refused.value) == f"{path}: image: no such file (got 'empty.pgm')"


def test_no_map_is_forgotten() -> None:
    assert {path.stem for path in MAPS.rglob("*.yaml")} <= {*FIELDS, *SPARSE, "testmap", "empty_room"}
