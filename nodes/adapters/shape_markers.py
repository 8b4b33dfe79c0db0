"""Shapes as RViz shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geometry_msgs.msg import Point
from rclpy.duration import Duration
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from arena_trees.world.palette import shares
from arena_trees.world.shapes import Disc, Path, Polygon, Shape, Text, ground_of, in_layers, line_points
from arena_trees.world.triangles import triangles

__all__ = ["ShapeMarkers"]

_THINNEST = 0.001
"""m; what is thinner is not shown."""


class ShapeMarkers:
    """Makes markers of shapes, and deletes those of shapes that are gone.

    A marker's namespace is its shape's group (edges, and texts, have one of their own, with `` edges`` or `` texts``
    behind it), and its number counts the shapes of the group. Every array is right for whoever sees no other: it holds
    all shapes, and deletes all that were shown once and are not any more.

    Args:
        lifetime_s: after which a marker that nobody renews disappears, s; 0 keeps it
    """

    def __init__(self, lifetime_s: float = 0.0) -> None:
        self._lifetime = Duration(seconds=lifetime_s)
        self._most: dict[str, int] = {}

    def message(self, shapes: Iterable[Shape], stamp: Any) -> Any:
        """Return a ``visualization_msgs/MarkerArray`` in the map frame.

        Args:
            shapes: everything that is shown now
            stamp: ``builtin_interfaces/Time`` of the markers
        """
        markers = [marker for shape in in_layers(shapes) for marker in _markers(shape)]
        count: dict[str, int] = {}
        for marker in markers:
            marker.id = count.setdefault(marker.ns, 0)
            count[marker.ns] += 1
            marker.lifetime = self._lifetime.to_msg()
        for group, most in self._most.items():
            markers += [
                Marker(ns=group, id=number, action=Marker.DELETE) for number in range(count.get(group, 0), most)
            ]
        for group, number in count.items():
            self._most[group] = max(number, self._most.get(group, 0))
        for marker in markers:
            marker.header.frame_id, marker.header.stamp = "map", stamp
        return MarkerArray(markers=markers)


def _markers(shape: Shape) -> list[Any]:
    """Return the markers of a shape, without numbers."""
    if isinstance(shape, Text):
        return [_text(shape)]
    if isinstance(shape, Disc):
        return _disc(shape)
    if isinstance(shape, Path):
        line = _line(shape, shape.colour, shape.group)
        return [line] if line.points else []
    markers = []
    if shape.fill is not None:
        inside = _marker(shape, shape.group, Marker.TRIANGLE_LIST, shape.fill)
        z = ground_of(shape)
        inside.points = [Point(x=x, y=y, z=z) for corners in triangles(shape.points) for x, y in corners]
        inside.scale.x = inside.scale.y = inside.scale.z = 1.0
        markers += [inside] if inside.points else []
    if shape.line is not None:
        markers.append(_line(shape, shape.line, f"{shape.group} edges" if shape.fill else shape.group))
    return markers


def _disc(shape: Disc) -> list[Any]:
    markers = []
    if shape.fill is not None:
        body = _marker(shape, shape.group, Marker.CYLINDER, shape.fill)
        body.pose.position = Point(x=shape.x, y=shape.y, z=ground_of(shape) + shape.height / 2.0)
        body.scale.x = body.scale.y = 2.0 * shape.radius
        body.scale.z = max(shape.height, _THINNEST)
        markers.append(body)
    if shape.line is not None:
        markers.append(_line(shape, shape.line, f"{shape.group} edges" if shape.fill else shape.group))
    return markers


def _text(shape: Text) -> Any:
    marker = _marker(shape, f"{shape.group} texts", Marker.TEXT_VIEW_FACING, shape.colour)
    marker.pose.position = Point(x=shape.x, y=shape.y, z=shape.height)
    marker.scale.z = shape.size
    marker.text = shape.text
    return marker


def _line(shape: Polygon | Disc | Path, colour: str, group: str) -> Any:
    """Return a shape's line, or its dashes; no point of fewer than two."""
    points, dashed = line_points(shape)
    marker = _marker(shape, group, Marker.LINE_LIST if dashed else Marker.LINE_STRIP, colour)
    marker.scale.x = max(shape.width, _THINNEST)
    z = ground_of(shape)
    marker.points = [Point(x=x, y=y, z=z) for x, y in points]
    return marker


def _marker(shape: Shape, group: str, kind: int, colour: str) -> Any:
    marker = Marker(ns=group, type=kind, action=Marker.ADD)
    marker.pose.orientation.w = 1.0
    red, green, blue = shares(colour)
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=shape.alpha)
    return marker
