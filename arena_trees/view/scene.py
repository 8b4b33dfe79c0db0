"""Shapes as Foxglove's 3D panel shows them."""

from __future__ import annotations

from collections.abc import Iterable

from foxglove.messages import (
    Color,
    CylinderPrimitive,
    LinePrimitive,
    LinePrimitiveLineType,
    Point3,
    Pose,
    Quaternion,
    SceneEntity,
    SceneUpdate,
    TextPrimitive,
    Timestamp,
    TriangleListPrimitive,
    Vector3,
)

from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ros_messages.layout import MAP_FRAME
from arena_trees.world.body import Body
from arena_trees.world.palette import pale, shares
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Shape, Text, ground_of, in_layers, line_points
from arena_trees.world.triangles import triangles

__all__ = ["robot_shapes", "scene_update", "timestamp"]

_NOSE = 1.3
"""How far a robot's nose reaches, in radii of its hull."""
_THINNEST = 0.005
"""m; of a line."""


def timestamp(now: int) -> Timestamp:
    """Return an instant (ns) as Foxglove has it."""
    return Timestamp(now // SECOND, now % SECOND)


def robot_shapes(name: str, body: Body, pose: Pose2D, colour: str) -> list[Shape]:
    """Return a robot as shapes: its hull, a line to its front, and its name.

    Args:
        name: of the robot
        body: what it is made of
        pose: where it is, map frame
        colour: of the robot, ``#rrggbb``
    """
    nose = pose.compose(Pose2D(_NOSE * body.radius))
    fill = pale(colour, 0.5) if body.colour is None else body.colour
    return [
        Disc(pose.x, pose.y, body.radius, fill, colour, height=body.height, layer=Layer.ROBOTS, group=name),
        Path(((pose.x, pose.y), (nose.x, nose.y)), colour, width=0.04, layer=Layer.ROBOTS, group=name),
        Text(pose.x, pose.y, name, colour=colour, height=body.height + 0.2, group=name),
    ]


def scene_update(entity: str, shapes: Iterable[Shape], now: int) -> SceneUpdate:
    """Return what makes shapes one entity of the scene, in the map frame, in place of what it was.

    Args:
        entity: its name
        shapes: all that belongs to it
        now: instant, ns
    """
    lines: list[LinePrimitive] = []
    cylinders: list[CylinderPrimitive] = []
    areas: list[TriangleListPrimitive] = []
    texts: list[TextPrimitive] = []
    for shape in in_layers(shapes):
        if isinstance(shape, Text):
            place = _at(shape.x, shape.y, shape.height)
            colour = _colour(shape.colour, shape.alpha)
            texts.append(TextPrimitive(pose=place, billboard=True, font_size=shape.size, color=colour, text=shape.text))
            continue
        if isinstance(shape, Disc) and shape.fill is not None:
            place = _at(shape.x, shape.y, ground_of(shape) + shape.height / 2.0)
            size = Vector3(x=2.0 * shape.radius, y=2.0 * shape.radius, z=shape.height)
            colour = _colour(shape.fill, shape.alpha)
            cylinders.append(CylinderPrimitive(pose=place, size=size, bottom_scale=1.0, top_scale=1.0, color=colour))
        elif isinstance(shape, Polygon) and shape.fill is not None:
            points = [(x, y) for corners in triangles(shape.points) for x, y in corners]
            colour = _colour(shape.fill, shape.alpha)
            areas.append(TriangleListPrimitive(pose=_at(0.0, 0.0, 0.0), points=_points(points, shape), color=colour))
        lines += _lines(shape)
    return SceneUpdate(
        entities=[
            SceneEntity(
                timestamp=timestamp(now),
                frame_id=MAP_FRAME,
                id=entity,
                lines=lines,
                cylinders=cylinders,
                triangles=areas,
                texts=texts,
            )
        ]
    )


def _lines(shape: Polygon | Disc | Path) -> list[LinePrimitive]:
    """Return a shape's line or edge, if it has one."""
    colour = shape.colour if isinstance(shape, Path) else shape.line
    points, dashed = line_points(shape)
    if colour is None or not points:
        return []
    kind = LinePrimitiveLineType.LineList if dashed else LinePrimitiveLineType.LineStrip
    return [
        LinePrimitive(
            type=kind,
            pose=_at(0.0, 0.0, 0.0),
            thickness=max(shape.width, _THINNEST),
            points=_points(points, shape),
            color=_colour(colour, shape.alpha),
        )
    ]


def _points(points: Iterable[tuple[float, float]], shape: Shape) -> list[Point3]:
    z = ground_of(shape)
    return [Point3(x=x, y=y, z=z) for x, y in points]


def _at(x: float, y: float, z: float) -> Pose:
    return Pose(position=Vector3(x=x, y=y, z=z), orientation=Quaternion(w=1.0))


def _colour(colour: str, alpha: float) -> Color:
    red, green, blue = shares(colour)
    return Color(r=red, g=green, b=blue, a=alpha)
