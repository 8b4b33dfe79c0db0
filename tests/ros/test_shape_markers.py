"""Shapes as RViz' markers: all that is shown, and what is gone."""

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from builtin_interfaces.msg import Time
from visualization_msgs.msg import Marker

from arena_trees.nodes.adapters.shape_markers import ShapeMarkers
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Text

STAMP = Time(sec=5)
SQUARE = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))


def shown(shapes, **options):
    return ShapeMarkers(**options).message(shapes, STAMP).markers


def test_each_kind_has_its_marker_in_the_map():
    shapes = [
        Text(1.0, 2.0, "home", size=0.3, height=1.0, group="words"),
        Disc(1.0, 2.0, 0.25, fill="#ff0000", height=0.5, alpha=0.5, group="pellets"),
        Path(((0.0, 0.0), (1.0, 0.0)), "#00ff00", width=0.05, group="ways"),
        Polygon(SQUARE, fill="#0000ff", line="#ffffff", group="zones"),
    ]
    markers = shown(shapes, lifetime_s=1.5)
    kinds = {(one.ns, one.id): one.type for one in markers}
    assert kinds == {
        ("zones", 0): Marker.TRIANGLE_LIST,
        ("zones edges", 0): Marker.LINE_STRIP,
        ("ways", 0): Marker.LINE_STRIP,
        ("pellets", 0): Marker.CYLINDER,
        ("words texts", 0): Marker.TEXT_VIEW_FACING,
    }
    assert {one.header.frame_id for one in markers} == {"map"}
    assert {one.header.stamp.sec for one in markers} == {5}
    assert {(one.action, one.lifetime.sec, one.lifetime.nanosec) for one in markers} == {(0, 1, 500_000_000)}
    by_group = {one.ns: one for one in markers}
    disc, text = by_group["pellets"], by_group["words texts"]
    assert (disc.pose.position.x, disc.pose.position.y, disc.scale.x, disc.scale.z) == (1.0, 2.0, 0.5, 0.5)
    assert (disc.color.r, disc.color.g, disc.color.a) == (1.0, 0.0, 0.5)
    assert (text.text, text.scale.z, text.pose.position.z) == ("home", 0.3, 1.0)
    assert len(by_group["zones"].points) == 6
    edge = by_group["zones edges"].points
    assert (edge[0].x, edge[0].y) == (edge[-1].x, edge[-1].y) and len(edge) == 5


def test_a_dashed_line_is_its_dashes():
    (line,) = shown([Polygon(SQUARE, line="#000000", dash=0.5, shift=0.5)])
    assert line.type == Marker.LINE_LIST
    assert len(line.points) == 16
    assert (line.points[0].x, line.points[1].x) == (0.5, 1.0)


def test_a_higher_layer_lies_above():
    low, high = shown([Disc(0, 0, 1, fill="#000000", layer=Layer.ROBOTS), Disc(0, 0, 1, fill="#000000", layer=0)])
    assert low.pose.position.z < high.pose.position.z


def test_what_is_gone_is_deleted_in_every_array():
    markers = ShapeMarkers()
    discs = [Disc(float(x), 0.0, 0.1, fill="#ffffff", group="pellets") for x in range(3)]

    def tell(shapes):
        array = markers.message(shapes, STAMP)
        return {(one.ns, one.id): one.action for one in array.markers}

    assert tell(discs) == {("pellets", number): Marker.ADD for number in range(3)}
    gone = {("pellets", 0): Marker.ADD, ("pellets", 1): Marker.DELETE, ("pellets", 2): Marker.DELETE}
    assert tell(discs[2:]) == gone == tell(discs[2:]), "whoever heard only the last is right, too"
    assert set(tell([]).values()) == {Marker.DELETE}


def test_what_has_no_points_has_no_marker():
    assert shown([Path((), "#000000"), Path(((0.0, 0.0),), "#000000", dash=0.1)]) == []
    assert shown([Polygon(((0.0, 0.0), (1.0, 1.0)), fill="#000000")]) == []
