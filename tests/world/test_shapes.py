"""What is drawn: it is checked when it is made, and its plain form gives it back."""

import json
import math

import pytest

from arena_trees.world.plain_shapes import from_plain, to_plain
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Text, in_layers

SHAPES = (
    Polygon(((0.0, 0.0), (1.5, 0.25), (1.0, 2.0)), fill="#112233", line="#abcdef", dash=0.1, shift=0.1, name="zone"),
    Disc(1.0, -2.0, 0.125, fill="#FFD400", alpha=0.5, layer=Layer.ROBOTS, group="pellets", height=0.25),
    Path(((0.0, 0.0), (1.0, 1.0), (2.0, 1.0)), "#00ff00", fading=True),
    Path((), "#00ff00"),
    Text(0.0, 0.5, "Clyde\n2 of 3", halo="#ffffff", bold=True),
)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_shape_comes_back_from_its_plain_form(shape):
    assert from_plain(json.loads(json.dumps(to_plain(shape)))) == shape


def test_the_plain_form_leaves_out_what_is_as_by_default():
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


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {},
        {"kind": "cube"},
        {"kind": "disc"},
        {"kind": "disc", "x": 0, "y": 0, "radius": 1, "colour": "#000000"},
        {"kind": "disc", "x": "a", "y": 0, "radius": 1},
        {"kind": "path", "points": [0, 1, 2], "colour": "#000000"},
        {"kind": "path", "points": "01", "colour": "#000000"},
        {"kind": "path", "points": [[0, 1], [1, 2]], "colour": "#000000"},
    ],
)
def test_what_is_no_shape_is_refused(plain):
    with pytest.raises(ValueError):
        from_plain(plain)


def test_higher_layers_come_later_and_others_as_they_came():
    shapes = [Text(0, 0, "a"), Disc(1, 0, 1), Disc(2, 0, 1), Polygon(((0, 0), (1, 1)), layer=Layer.GROUND)]
    assert in_layers(shapes) == [shapes[3], shapes[1], shapes[2], shapes[0]]
