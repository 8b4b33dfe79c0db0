"""Fences as RViz shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import Point
from rclpy.duration import Duration
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from arena_trees.robot.percepts import FenceStatus, GeofenceReport
from arena_trees.world.geofence import Geofence

__all__ = ["fence_markers"]

_COLOURS = {
    FenceStatus.SAFE: (0.1, 0.8, 0.2),
    FenceStatus.WARNING: (1.0, 0.7, 0.0),
    FenceStatus.BREACH: (1.0, 0.1, 0.1),
    FenceStatus.UNKNOWN: (0.6, 0.6, 0.6),
}

_LIFETIME = Duration(seconds=1.0)
"""A verdict that nobody renews disappears."""

_HEIGHT = 0.02
_WIDTH = 0.04
_LETTERS = 0.18


def fence_markers(zones: Sequence[tuple[Geofence, GeofenceReport]], stamp: Any) -> Any:
    """Return a ``visualization_msgs/MarkerArray`` in the map frame.

    Args:
        zones: each fence with its newest verdict
        stamp: ``builtin_interfaces/Time`` of the markers
    """
    markers = []
    for fence, report in zones:
        line = _marker(fence, report, stamp, 0, Marker.LINE_STRIP)
        line.scale.x = _WIDTH
        line.points = [Point(x=x, y=y, z=_HEIGHT) for x, y in (*fence.points, fence.points[0])]
        text = _marker(fence, report, stamp, 1, Marker.TEXT_VIEW_FACING)
        text.scale.z = _LETTERS
        text.pose.position = Point(x=fence.points[0][0], y=fence.points[0][1], z=_LETTERS)
        text.text = str(report)
        markers += [line, text]
    return MarkerArray(markers=markers)


def _marker(fence: Geofence, report: GeofenceReport, stamp: Any, number: int, kind: int) -> Any:
    red, green, blue = _COLOURS[report.status]
    marker = Marker(ns=f"fence {fence.name}", id=number, type=kind, lifetime=_LIFETIME.to_msg())
    marker.header.frame_id, marker.header.stamp = "map", stamp
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=1.0)
    marker.pose.orientation.w = 1.0
    return marker
