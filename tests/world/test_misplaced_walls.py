"""Walls that stand elsewhere than on the map: each by its own error, with no gap and nothing run over."""

import math

import numpy as np
import pytest
import shapely

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.footprint import Solid
from arena_trees.world.misplaced_walls import WallErrors, misplaced, touching_groups

LARGEST = WallErrors(walls_offset_m=0.02, walls_offset_yaw=0.009)


def wall(name, start, end):
    return Solid.wall(name, start, end, 0.1, 0.5, "normal")


ROOM = (
    wall("north", (-2.05, 2.0), (2.05, 2.0)),
    wall("west", (-2.0, -2.05), (-2.0, 2.05)),
    wall("south", (-2.05, -2.0), (2.05, -2.0)),
    wall("east", (2.0, -2.05), (2.0, 2.05)),
    wall("free", (-0.5, 1.0), (0.5, 1.0)),
)
EACH = tuple((solid.name,) for solid in ROOM)


def moved(errors=LARGEST, seed=1, solids=ROOM, groups=EACH, clear=()):
    return misplaced(solids, groups, errors, clear, np.random.default_rng(seed))


def off(solid, there):
    """Return the error along and across a wall (m), and of its heading (rad)."""
    error = solid.pose.relative(there.pose)
    return error.x, error.y, error.yaw


def test_each_wall_has_its_own_error_of_the_deviations_and_keeps_its_size():
    errors = np.array([off(ROOM[-1], moved(seed=seed)[-1]) for seed in range(400)])
    # Cut at two deviations, a normal error has 0.88 of its deviation.
    assert errors.std(axis=0) == pytest.approx(0.88 * np.array((0.02, 0.02, 0.009)), rel=0.1)
    assert np.abs(errors.mean(axis=0)).max() < 0.004
    assert (np.abs(errors) <= 2.0 * np.array((0.02, 0.02, 0.009)) + 1e-12).all()
    there = moved()
    assert len({off(solid, stands) for solid, stands in zip(ROOM, there, strict=True)}) == len(ROOM)
    assert [(s.name, s.length, s.width, s.height) for s in there] == [
        (s.name, s.length, s.width, s.height) for s in ROOM
    ]


def test_without_errors_the_very_same_walls_stand_and_nothing_is_drawn():
    rng = np.random.default_rng(1)
    assert misplaced(ROOM, EACH, WallErrors(), (), rng) == ROOM
    assert rng.random() == np.random.default_rng(1).random()


def test_a_seed_decides():
    assert moved() == moved() != moved(seed=2)


@pytest.mark.parametrize("half", [2.0, 10.0])
def test_corners_stay_closed_and_walls_of_a_large_room_move_too(half):
    end = half + 0.05
    room = (
        wall("north", (-end, half), (end, half)),
        wall("west", (-half, -end), (-half, end)),
        wall("south", (-end, -half), (end, -half)),
        wall("east", (half, -end), (half, end)),
    )
    for seed in range(60):
        there = moved(solids=room, groups=EACH[:4], seed=seed)
        outside = shapely.box(-half - 1, -half - 1, half + 1, half + 1).difference(
            # What is narrower than a millimetre lets nothing through.
            shapely.union_all([solid.polygon().buffer(5e-4) for solid in there])
        )
        rooms = [part for part in outside.geoms if part.contains(shapely.Point(0.0, 0.0))]
        assert len(outside.geoms) == 2
        assert rooms[0].area == pytest.approx((2 * half - 0.1) ** 2, rel=0.1)
        assert sum(stands != solid for stands, solid in zip(there, room, strict=True)) >= 3


def test_what_is_apart_stays_apart_and_what_is_kept_clear_stays_clear():
    box = Solid("box", Pose2D(0.0, 0.8, 0.0), 0.2, 0.28, 0.4)
    robot = (0.9, 1.0, 0.395)
    assert ROOM[-1].distance_to(*robot[:2]) >= robot[2]
    places = set()
    for seed in range(60):
        there = moved(solids=(*ROOM, box), seed=seed, clear=[robot, (0.0, 1.0, 0.2)])
        assert there[-1] == box, "a box is not moved"
        assert there[-2].polygon().distance(box.polygon()) > 0.0
        assert there[-2].distance_to(*robot[:2]) >= robot[2]
        places.add(there[-2].pose)
    # What stands in the wall on the map does not hold it.
    assert len(places) > 50


def test_a_wall_without_room_stays():
    tight = [wall("inner", (-0.5, 0.0), (0.5, 0.0)), *(wall(f"{y}", (-1.0, y), (1.0, y)) for y in (-0.10105, 0.10105))]
    for seed in range(20):
        there = moved(solids=tight, groups=[("inner",)], seed=seed)
        assert there[0].polygon().distance(shapely.union_all([s.polygon() for s in there[1:]])) >= 1e-3


def test_a_group_moves_as_one_piece_about_its_middle():
    turned = moved(WallErrors(walls_offset_yaw=0.009), groups=[[solid.name for solid in ROOM]])
    before, after = ((solids[0].pose, solids[-1].pose) for solids in (ROOM, turned))
    assert after[0] != before[0]
    one, other = before[0].relative(before[1]), after[0].relative(after[1])
    assert (other.x, other.y, other.yaw) == pytest.approx((one.x, one.y, one.yaw))
    assert math.hypot(after[0].x, after[0].y) == pytest.approx(math.hypot(before[0].x, before[0].y))


def test_groups_are_what_hangs_together():
    assert touching_groups(ROOM) == (("north", "west", "south", "east"), ("free",))
    assert touching_groups(()) == ()


@pytest.mark.parametrize(
    "changes",
    [{"walls_offset_m": math.nan}, {"walls_offset_m": 0.03}, {"walls_offset_yaw": -1e-3}, {"walls_offset_yaw": 0.01}],
)
def test_errors_that_cannot_be_are_refused(changes):
    with pytest.raises(ConfigError, match="walls_offset"):
        WallErrors().with_changes(changes)
