"""What stands in a world, as shapes."""

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.layout_shapes import GLASSES, HOMES, SOLIDS, fence_shapes, layout_shapes
from arena_trees.world.palette import MUTED

SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
LAYOUT = Layout(
    "small",
    (Solid("wall", Pose2D(2.0), 0.1, 4.0, 0.5), Solid("pane", Pose2D(-2.0), 0.1, 4.0, 0.5, "glass")),
    {"red": SQUARE, "blue": SQUARE},
    {},
    {"blue": (0.5, 0.5)},
)


def test_a_layout_is_its_solids_fences_and_homes():
    shapes = layout_shapes(LAYOUT, {"red": "#ff0000", "blue": "#0000ff"})
    assert [shape.group for shape in shapes] == [SOLIDS, GLASSES, "fences red", "fences blue", HOMES]
    assert sorted(shapes[0].points) == [(1.95, -2.0), (1.95, 2.0), (2.05, -2.0), (2.05, 2.0)]
    assert [shape.line for shape in shapes[2:]] == ["#ff0000", "#0000ff", "#0000ff"]


def test_fences_that_coincide_are_dashed_in_turn():
    first, second, apart = fence_shapes([("red", SQUARE), ("blue", SQUARE), ("a", SQUARE[:3])], {"red": "#ff0000"})
    assert (first.shift, second.shift, apart.shift) == (0.0, first.dash, 0.0)
    assert second.line == MUTED


def test_of_a_robot_that_does_not_play_nothing_is_shown():
    assert [shape.group for shape in layout_shapes(LAYOUT, {})] == [SOLIDS, GLASSES]
