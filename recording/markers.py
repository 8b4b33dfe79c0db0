"""Outlines as the markers of a recording, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena_trees.recording.bags.cdr import Cdr
from arena_trees.recording.outlines import Outline

__all__ = ["encode_outlines", "outlines_of"]

_LINE_STRIP = 4
_ADD = 0
_MOST = 10_000
_COLOURS = {"wall": (0.3, 0.3, 0.3), "box": (0.6, 0.4, 0.2), "fence": (0.9, 0.6, 0.0)}
_GREY = (0.5, 0.5, 0.5)


def encode_outlines(outlines: list[Outline]) -> bytes:
    """Return a ``visualization_msgs/MarkerArray``: a closed line each, its namespace ``<kind> <name>``."""
    cdr = Cdr().put("I", len(outlines))
    for outline in outlines:
        _put_marker(cdr, outline)
    return cdr.message()


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


def _put_marker(cdr: Cdr, outline: Outline) -> None:
    corners = [*outline.points.tolist(), outline.points[0].tolist()]
    cdr.header("map").text(f"{outline.kind} {outline.name}").put("i", 0, _LINE_STRIP, _ADD)
    # Pose, and scale: the line's width.
    cdr.put("d", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.02, 0.0, 0.0)
    cdr.put("f", *_COLOURS.get(outline.kind, _GREY), 1.0)
    # It lasts for ever, and stays where it is.
    cdr.put("i", 0).put("I", 0).put("B", 0)
    cdr.put("I", len(corners)).put("d", *(number for x, y in corners for number in (x, y, 0.0)))
    # No colours of points, no texture (resource, image), no coordinates in it, no text, no mesh (resource, file).
    cdr.put("I", 0).text("").header("").text("").put("I", 0).put("I", 0).text("").text("").text("").put("I", 0)
    cdr.put("B", 0)
