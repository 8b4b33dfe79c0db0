"""What is drawn: it is checked when it is made, its plain form gives it back, and worlds as shapes."""

import json
import math

import pytest

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.layout_shapes import GLASSES, HOMES, SOLIDS, fence_shapes, layout_shapes
from arena_trees.world.palette import MUTED
from arena_trees.world.plain_shapes import to_plain
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Text, ground_of, in_layers, line_points


def test_the_plain_form_is_json_and_leaves_out_what_is_as_by_default():
    zone = Polygon(((0.0, 0.0), (1.5, 0.25), (1.0, 2.0)), fill="#112233", layer=Layer.ROBOTS, name="zone")
    assert json.loads(json.dumps(to_plain(zone))) == {
        "kind": "polygon", "points": [0, 0, 1.5, 0.25, 1, 2], "fill": "#112233", "layer": int(Layer.ROBOTS),
        "name": "zone",
    }  # fmt: skip
    assert to_plain(Disc(1.0, 2.00004, 0.5)) == {"kind": "disc", "x": 1, "y": 2, "radius": 0.5}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(bad):
    for make in (
        lambda: Disc(bad, 0.0, 1.0),
        lambda: Disc(0.0, 0.0, bad),
        lambda: Disc(0.0, 0.0, 1.0, alpha=bad),
        lambda: Text(0.0, bad, "a"),
        lambda: Polygon(((0.0, 0.0), (1.0, bad), (1.0, 1.0))),
        lambda: Polygon(((0.0, 0.0), (1.0, 1.0)), width=bad),
        lambda: Path(((bad, 0.0),), "#000000"),
    ):
        with pytest.raises(ValueError, match="not finite"):
            make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Disc(0.0, 0.0, 0.0),
        lambda: Disc(0.0, 0.0, -1.0),
        lambda: Disc(0.0, 0.0, 1.0, fill="red"),
        lambda: Disc(0.0, 0.0, 1.0, fill="#1234567"),
        lambda: Disc(0.0, 0.0, 1.0, alpha=1.5),
        lambda: Path(((0.0, 0.0), (1.0, 1.0)), None),
        lambda: Path(((0.0, 0.0, 0.0),), "#000000"),
        lambda: Path((0.0, 1.0), "#000000"),
        lambda: Polygon(((0.0, 0.0),)),
        lambda: Text(0.0, 0.0, 7),
        lambda: Text(0.0, 0.0, "a", size=0.0),
        lambda: Text(0.0, 0.0, "a", layer="top"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make):
    with pytest.raises(ValueError):
        make()


def test_higher_layers_come_later_and_others_as_they_came():
    shapes = [Text(0, 0, "a"), Disc(1, 0, 1), Disc(2, 0, 1), Polygon(((0, 0), (1, 1)), layer=Layer.GROUND)]
    assert in_layers(shapes) == [shapes[3], shapes[1], shapes[2], shapes[0]]


SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
LAYOUT = Layout(
    "small",
    (Solid("wall", Pose2D(2.0), 0.1, 4.0, 0.5), Solid("pane", Pose2D(-2.0), 0.1, 4.0, 0.5, "glass")),
    {"red": SQUARE, "blue": SQUARE},
    {},
    {"blue": (0.5, 0.5)},
)


def test_an_edge_ends_where_it_begins_and_dashes_are_pairs_of_ends():
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    assert line_points(Polygon(square)) == ([*square, square[0]], False)
    rim, dashed = line_points(Disc(1.0, 2.0, 0.5))
    assert rim[0] == pytest.approx(rim[-1]) and not dashed
    assert all(math.hypot(x - 1.0, y - 2.0) == pytest.approx(0.5) for x, y in rim)
    ends, dashed = line_points(Path(((0.0, 0.0), (1.0, 0.0)), "#000000", dash=0.4))
    assert [x for x, _ in ends] == pytest.approx([0.0, 0.4, 0.8, 1.0]) and dashed
    assert line_points(Path(((0.0, 0.0),), "#000000", dash=0.4)) == ([], False)


def test_a_higher_layer_lies_higher():
    assert ground_of(Text(0.0, 0.0, "home")) > ground_of(Disc(0.0, 0.0, 1.0)) > 0.0


def test_a_layout_is_its_solids_fences_and_homes():
    shapes = layout_shapes(LAYOUT, {"red": "#ff0000", "blue": "#0000ff"})
    assert [shape.group for shape in shapes] == [SOLIDS, GLASSES, "fences red", "fences blue", HOMES]
    assert sorted(shapes[0].points) == [(1.95, -2.0), (1.95, 2.0), (2.05, -2.0), (2.05, 2.0)]
    assert [shape.line for shape in shapes[2:]] == ["#ff0000", "#0000ff", "#0000ff"]


def test_fences_that_coincide_are_dashed_in_turn_and_of_who_does_not_play_nothing_is_shown():
    first, second, apart = fence_shapes([("red", SQUARE), ("blue", SQUARE), ("a", SQUARE[:3])], {"red": "#ff0000"})
    assert (first.shift, second.shift, apart.shift) == (0.0, first.dash, 0.0)
    assert second.line == MUTED
    assert [shape.group for shape in layout_shapes(LAYOUT, {})] == [SOLIDS, GLASSES]
