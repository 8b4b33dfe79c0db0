"""Outlines as the markers of a recording, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena_trees.recording.message_types import message, serialise
from arena_trees.recording.outlines import Outline

__all__ = ["encode_outlines", "outlines_of"]

_LINE_STRIP = 4
_ADD = 0
_MOST = 10_000
_COLOURS = {"wall": (0.3, 0.3, 0.3), "box": (0.6, 0.4, 0.2), "fence": (0.9, 0.6, 0.0)}
_GREY = (0.5, 0.5, 0.5)


def encode_outlines(outlines: list[Outline]) -> bytes:
    """Return a ``visualization_msgs/MarkerArray``: a closed line each, its namespace ``<kind> <name>``."""
    markers = [_marker(outline) for outline in outlines]
    return serialise(message("visualization_msgs/msg/MarkerArray", markers=markers))


def outlines_of(array: Any) -> list[Outline]:
    """Return the closed lines of a ``visualization_msgs/MarkerArray`` in the map frame, placed as they are."""
    outlines = []
    for marker in array.markers[:_MOST]:
        if marker.type != _LINE_STRIP or marker.action != _ADD or not 4 <= len(marker.points) <= _MOST:
            continue
        points = np.array([(point.x, point.y) for point in marker.points[:-1]], dtype=np.float64)
        last = marker.points[-1]
        if not np.isfinite(points).all() or abs(points).max() > 1e6 or (last.x, last.y) != tuple(points[0]):
            continue
        kind, _, name = marker.ns.partition(" ")
        known = kind in _COLOURS and bool(name)
        outlines.append(Outline(name if known else marker.ns, kind if known else "other", points))
    return outlines


def _marker(outline: Outline) -> Any:
    red, green, blue = _COLOURS.get(outline.kind, _GREY)
    corners = [*outline.points.tolist(), outline.points[0].tolist()]
    stamp = message("builtin_interfaces/msg/Time", sec=0, nanosec=0)
    return message(
        "visualization_msgs/msg/Marker",
        header=message("std_msgs/msg/Header", stamp=stamp, frame_id="map"),
        ns=f"{outline.kind} {outline.name}",
        id=0,
        type=_LINE_STRIP,
        action=_ADD,
        pose=message(
            "geometry_msgs/msg/Pose",
            position=_point(0.0, 0.0),
            orientation=message("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0),
        ),
        scale=message("geometry_msgs/msg/Vector3", x=0.02, y=0.0, z=0.0),
        color=message("std_msgs/msg/ColorRGBA", r=red, g=green, b=blue, a=1.0),
        lifetime=message("builtin_interfaces/msg/Duration", sec=0, nanosec=0),
        frame_locked=False,
        points=[_point(x, y) for x, y in corners],
        colors=[],
        texture_resource="",
        texture=message("sensor_msgs/msg/CompressedImage", header=_header(), format="", data=np.zeros(0, np.uint8)),
        uv_coordinates=[],
        text="",
        mesh_resource="",
        mesh_file=message("visualization_msgs/msg/MeshFile", filename="", data=np.zeros(0, np.uint8)),
        mesh_use_embedded_materials=False,
    )


def _header() -> Any:
    stamp = message("builtin_interfaces/msg/Time", sec=0, nanosec=0)
    return message("std_msgs/msg/Header", stamp=stamp, frame_id="")


def _point(x: float, y: float) -> Any:
    return message("geometry_msgs/msg/Point", x=x, y=y, z=0.0)
