"""The shapes of fences with their newest verdicts, as people watch them."""

from __future__ import annotations

from collections.abc import Iterable

from arena_trees.robot.percepts import FenceStatus, GeofenceReport
from arena_trees.world.geofence import Geofence
from arena_trees.world.shapes import Layer, Polygon, Shape, Text

__all__ = ["zone_shapes"]

_COLOURS = {
    FenceStatus.SAFE: "#1acc33",
    FenceStatus.WARNING: "#ffb300",
    FenceStatus.BREACH: "#ff1a1a",
    FenceStatus.UNKNOWN: "#999999",
}
_WIDTH = 0.04
_LETTERS = 0.18


def zone_shapes(zones: Iterable[tuple[Geofence, GeofenceReport]]) -> list[Shape]:
    """Return each fence in the colour of its newest verdict, and the verdict as text at its first corner."""
    shapes: list[Shape] = []
    for fence, report in zones:
        colour, group = _COLOURS[report.status], f"fence {fence.name}"
        points = tuple((float(x), float(y)) for x, y in fence.points)
        shapes.append(Polygon(points, line=colour, width=_WIDTH, layer=Layer.FLOOR, group=group))
        x, y = points[0]
        shapes.append(Text(x, y, str(report), size=_LETTERS, colour=colour, height=_LETTERS, group=group))
    return shapes
