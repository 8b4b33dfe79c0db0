"""Where pellets stand: the document's sampling, clearance, reachability, power pellets; and collecting them."""

from pathlib import Path

import numpy as np
import pytest
from helpers.maps import drawn, grey, write_map
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.pellet_field import PelletField
from arena_trees.games.pacman.rules import PelletRules
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.map_files import START_CLEARANCE, find_map, start_pose
from arena_trees.world.maps.occupancy_map import OccupancyMap, load_map

HALL = "\n".join(["." * 20] * 12)


def field_of(name: str, **rules: float) -> PelletField:
    path = find_map(name)
    area = load_map(path)
    start = start_pose(path, area)
    return PelletField(FreeSpace(area, START_CLEARANCE), PelletRules(**rules), (start.x, start.y))


def test_the_flat_has_eight_pellets_and_a_far_one_and_the_maze_is_the_same_on_both_sides():
    field = field_of("flat")
    assert str(field) == "8 pellets"
    assert [pellet.id for pellet in field.spawned] == list(range(8))
    lengths = sorted(field.distances)
    assert 8.5 < lengths[-1] < 9.5
    assert lengths[-2] < 6.2
    assert (field.farthest.x, field.farthest.y) == pytest.approx((5.0, -4.8))
    places = {(round(pellet.x, 6), round(pellet.y, 6)) for pellet in field_of("maze").spawned}
    assert len(places) == 42
    assert {(-x, y) for x, y in places} == places


def test_pellets_stand_where_the_document_says(tmp_path):
    # 20 x 12 pixels of 0.1 m; spacing 0.5 m is 5 pixels; H = 12, origin (2, 3).
    pixels = grey(HALL)
    pixels[5, 5] = 250
    pixels[5, 10] = 251
    area = load_map(write_map(tmp_path, pixels, origin="[2.0, 3.0, 0.0]"))
    rules = PelletRules(spacing=0.5, wall_clearance=0.0)
    found = {(pellet.x, pellet.y) for pellet in PelletField(FreeSpace(area, 0.05), rules, (3.0, 3.5)).spawned}
    candidates = {(u, v) for u in range(0, 20, 5) for v in range(0, 12, 5)} - {(5, 5)}
    assert found == {(round(u * 0.1 + 2.0, 9), round((12 - v) * 0.1 + 3.0, 9)) for u, v in candidates}


def test_the_threshold_makes_walls_for_the_clearance(tmp_path: Path) -> None:
    pixels = grey(HALL)
    rules = PelletRules(spacing=0.5, wall_clearance=0.25)
    before = PelletField(FreeSpace(load_map(write_map(tmp_path, pixels)), 0.1), rules, (1.0, 0.5))
    pixels[6, 11] = 250
    after = PelletField(FreeSpace(load_map(write_map(tmp_path, pixels)), 0.1), rules, (1.0, 0.5))
    lost = {(pellet.x, pellet.y) for pellet in before.spawned} - {(pellet.x, pellet.y) for pellet in after.spawned}
    assert lost == {(1.0, 0.7)}


def test_what_cannot_be_reached_is_dropped_and_said() -> None:
    rooms = drawn("##### #.#.# #.#.# #####", 0.1, scale=10)
    rules = PelletRules(spacing=0.5, wall_clearance=0.2)
    field = PelletField(FreeSpace(rooms, 0.22), rules, (1.5, 1.5))
    assert field.dropped
    assert all(x > 2.5 for x, _ in field.dropped)
    assert all(pellet.x < 2.5 for pellet in field.spawned)
    assert [pellet.id for pellet in field.spawned] == list(range(len(field.spawned)))
    assert f"{len(field.dropped)} dropped, without a way to them: (3." in str(field)


@pytest.mark.parametrize(
    ("drawing", "rules", "key"),
    [
        # Of the corner's only candidate the robot is always too far.
        (HALL, {"spacing": 50.0}, "start"),
        (HALL, {"spacing": 0.5, "wall_clearance": 5.0}, "spacing"),
        (HALL, {"free_threshold": 254.5}, "free_threshold"),
        ("###### #....# ######", {"spacing": 0.1}, "clearance_m"),
    ],
)
def test_a_map_without_pellets_is_refused(tmp_path: Path, drawing: str, rules: dict[str, float], key: str) -> None:
    area = load_map(write_map(tmp_path, grey(drawing)))
    with pytest.raises(ConfigError) as refused:
        PelletField(FreeSpace(area, 0.22), PelletRules(**{"spacing": 0.2, "wall_clearance": 0.0, **rules}), (1.0, 0.5))
    assert refused.value.key == key


def test_too_many_pellets_are_refused() -> None:
    area = OccupancyMap.build(np.ones((200, 200), np.bool_), 0.1)
    with pytest.raises(ConfigError, match="more than 5000"):
        PelletField(FreeSpace(area, 0.22), PelletRules(spacing=0.2), (10.0, 10.0))


def test_power_pellets_are_far_from_each_other() -> None:
    field = field_of("maze", power_pellets=4)
    corners = {(pellet.x, pellet.y) for pellet in field.spawned if pellet.power}
    assert corners == {(-6.0, 0.0), (6.0, 0.0), (-4.0, 10.0), (6.0, 10.0)}
    assert not any(pellet.power for pellet in field_of("maze").spawned)
    assert all(pellet.power for pellet in field_of("flat", power_pellets=99).spawned)


def test_collecting_removing_and_resetting() -> None:
    field = field_of("flat")
    near = field.spawned[0]
    beyond, within = (near.x + 0.26, near.y), (near.x + 0.24, near.y)
    assert field.touched(beyond, beyond, 0.25) == []
    assert [pellet for _, pellet in field.touched(within, within, 0.25)] == [near]
    assert field.remove(near.id)
    assert field.touched(within, within, 0.25) == []
    assert field.remove(3)
    assert not field.remove(3)
    assert sorted(field.remaining) == [1, 2, 4, 5, 6, 7]
    field.reset()
    assert tuple(field.remaining.values()) == field.spawned


def test_a_step_over_pellets_touches_them_in_order() -> None:
    field = field_of("maze")
    touched = field.touched((-6.5, 0.1), (1.0, 0.1), 0.25)
    assert [pellet.x for _, pellet in touched] == [-6.0, -4.0, -2.0, 0.0]
    assert [share for share, _ in touched] == sorted(share for share, _ in touched)


@settings(deadline=None, max_examples=60)
@given(
    cells=st.lists(st.booleans(), min_size=48, max_size=48),
    scale=st.integers(2, 6),
    yaw=st.floats(-3.0, 3.0),
    spacing=st.floats(0.1, 1.0),
    clearance=st.floats(0.0, 0.4),
    where=st.integers(0, 47),
)
def test_the_geometry_of_any_field(cells, scale, yaw, spacing, clearance, where):
    free = np.kron(np.array(cells).reshape(6, 8), np.ones((scale, scale))).astype(np.bool_)
    area = OccupancyMap.build(free, 0.1, Pose2D(1.0, -2.0, yaw))
    start = area.world(where // 8 * scale, where % 8 * scale)
    rules = PelletRules(spacing=spacing, wall_clearance=clearance)
    try:
        space = FreeSpace(area, 0.15)
        field = PelletField(space, rules, start)
    except ConfigError:
        assume(False)
    step = max(1, round(spacing / 0.1))
    assert len(field.spawned) == len(field.distances)
    for x, y in [*((pellet.x, pellet.y) for pellet in field.spawned), *field.dropped]:
        # Half a pixel down to the right of the upper left corner is the middle.
        centre = Pose2D(x, y, yaw).compose(Pose2D(0.05, -0.05))
        row, column = area.cell(centre.x, centre.y)
        assert area.free[row, column]
        assert area.clearance[row, column] >= clearance - 1e-6
        assert column % step == 0
        assert (free.shape[0] - 1 - row) % step == 0
    nodes = space.points[space.components == space.components[space.nearest(*start)]]
    assert all(np.hypot(*(nodes - (pellet.x, pellet.y)).T).min() <= 0.25 for pellet in field.spawned)
    assert all(np.hypot(*(nodes - place).T).min() > 0.15 for place in field.dropped)
