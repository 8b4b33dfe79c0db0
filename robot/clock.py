"""Time: integer nanoseconds of the robot's own clock (simulated, ROS or recorded)."""

from __future__ import annotations

__all__ = ["SECOND", "STALE", "from_seconds", "to_seconds"]

SECOND = 1_000_000_000
"""Nanoseconds in a second."""

STALE = 1 << 62
"""Age (ns) of what arrived in the future: the clock went back, so nothing is known of it."""


def from_seconds(seconds: float) -> int:
    """Return a duration in nanoseconds (rounded)."""
    return round(seconds * SECOND)


def to_seconds(nanoseconds: int) -> float:
    """Return a duration in seconds."""
    return nanoseconds / SECOND
