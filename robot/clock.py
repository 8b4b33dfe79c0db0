"""Time: integer nanoseconds of the robot's own clock (simulated, ROS or recorded)."""

from __future__ import annotations

__all__ = ["SECOND", "from_seconds", "to_seconds"]

SECOND = 1_000_000_000
"""Nanoseconds in a second."""


def from_seconds(seconds: float) -> int:
    """Return a duration in nanoseconds (rounded)."""
    return round(seconds * SECOND)


def to_seconds(nanoseconds: int) -> float:
    """Return a duration in seconds."""
    return nanoseconds / SECOND
