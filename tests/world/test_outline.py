"""Closed outlines as chains of walls: the tilde, and any polygon."""

import math

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.layout import generate_layout
from arena_trees.world.outline.section import OutlineArena
from arena_trees.world.outline.tilde import tilde_outline


def outline(**values) -> OutlineArena:
    return OutlineArena.model_validate(values)


def filled(arena: OutlineArena) -> shapely.Polygon:
    """Return what the walls enclose, themselves included."""
    # Walls in one line only touch; a hair's breadth joins them.
    union = shapely.union_all([solid.polygon().buffer(1e-6) for solid in arena.solids()])
    assert union.geom_type == "Polygon", "the chain has a gap"
    return shapely.Polygon(union.exterior)


@given(
    st.floats(2.0, 30.0), st.floats(0.0, 0.15), st.floats(0.03, 0.06), st.integers(16, 60)
)  # fmt: skip
def test_the_walls_of_a_tilde_are_closed_and_their_faces_lie_on_it(length, amplitude, width, pieces):
    values = {"length": length, "amplitude": amplitude * length, "width": width * length, "pieces": pieces}
    arena = outline(tilde=values, thickness=0.005 * length)
    ring = shapely.Polygon(arena.corners)
    assert ring.exterior.is_ccw
    assert filled(arena).symmetric_difference(ring).area < 1e-3 * ring.area
    # Half a turn about the origin brings it onto itself.
    assert shapely.Polygon([(-x, -y) for x, y in arena.corners]).symmetric_difference(ring).area < 1e-6 * ring.area


def test_it_rises_first():
    corners = tilde_outline(18.0, 2.0, 0.8, 24)
    assert max(y for x, y in corners if x < 0.0) == pytest.approx(2.4, abs=0.01)
    assert max(y for x, y in corners if x > 0.0) < 0.5


@pytest.mark.parametrize("turned", [False, True])
def test_any_outline_will_do_whichever_way_it_is_told(turned):
    corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.5], [2.0, 4.0], [0.0, 4.0]]
    arena = outline(points=corners[::-1] if turned else corners, thickness=0.1)
    assert filled(arena).symmetric_difference(shapely.Polygon(corners)).area < 1e-4


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({}, "points"),
        ({"tilde": {}, "points": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]}, "points"),
        ({"points": [[0.0, 0.0], [1.0, 0.0]]}, "points"),
        ({"points": [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]}, "points"),
        ({"tilde": {"length": 2.0, "amplitude": 1.0, "width": 0.8}}, "tilde.width"),
        ({"tilde": {}, "thickness": 2.0}, "thickness"),
        ({"points": [[0.0, 0.0], [4.0, 0.0], [0.0, 0.5]], "thickness": 0.2}, "thickness"),
    ],
)
def test_it_refuses_what_is_no_outline(values, key):
    with pytest.raises(ConfigError) as caught:
        outline(**values)
    assert caught.value.key == key


def room(**start) -> ArenaFile:
    starts = {"robot": {"position": [-3.0, 0.0], **start}}
    points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    values = {"name": "room", "fenced": False, "outline": {"points": points}, "starts": starts}
    return validate(ArenaFile, values, "room.yaml")


def test_a_start_may_be_drawn_from_a_rectangle():
    arena = room(sides=[1.0, 4.0])
    poses = [generate_layout(arena, RandomStreams(seed)).starts["robot"] for seed in range(200)]
    xs, ys = [pose.x for pose in poses], [pose.y for pose in poses]
    assert -3.5 <= min(xs) < -3.4 and -2.6 < max(xs) <= -2.5
    assert -2.0 <= min(ys) < -1.8 and 1.8 < max(ys) <= 2.0
    assert min(pose.yaw for pose in poses) < -0.9 * math.pi


@pytest.mark.parametrize("start", [{"sides": [1.0, -1.0]}, {"sides": [1.0, 1.0], "radius": 1.0}])
def test_it_refuses_a_start_that_is_no_area(start):
    with pytest.raises(ConfigError, match="sides"):
        room(**start)
