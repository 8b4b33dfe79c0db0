"""Feelers: how far the evader's hull is from what stands before and behind it, by single-beam sensors or by LiDAR."""

from __future__ import annotations

import math

from py_trees.blackboard import Client

from arena_trees.perception.sectors import sector_min

__all__ = ["gap_ahead", "gap_behind"]

_WIDTH = math.radians(60.0)
"""A LiDAR's sector to either side of straight ahead, or straight behind."""


def gap_ahead(percepts: Client, hull: float) -> float:
    """Return the room before a hull of a radius (m), m; inf where nothing is known to be there."""
    return _gap(percepts, hull, "front", 0.0)


def gap_behind(percepts: Client, hull: float) -> float:
    """Return the room behind a hull of a radius (m), m; inf where nothing is known to be there."""
    return _gap(percepts, hull, "back", math.pi)


def _gap(percepts: Client, hull: float, names: str, bearing: float) -> float:
    ranges, scan = percepts.ranges, percepts.scan
    gap = math.inf
    if ranges is not None:
        # The sensors sit on the hull.
        ways = [reading.distance for reading in ranges.readings if reading.name.startswith(names)]
        gap = min(ways, default=math.inf)
    if scan is not None:
        gap = min(gap, sector_min(scan, bearing - _WIDTH, bearing + _WIDTH) - hull)
    return gap
