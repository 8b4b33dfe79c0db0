"""What robots of wolf and rabbit have on their blackboards under ``/<robot>/`` besides what all robots have."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["THREATS", "Threats"]

THREATS = "threats"
"""Threats that a rabbit knows of by its LiDAR; written by SenseThreats."""


@dataclass(frozen=True, slots=True)
class Threats:
    """Robots that were seen to move, as they are believed to be now, in the odom frame.

    Attributes:
        places: centres, m
    """

    places: tuple[tuple[float, float], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"({x:.1f}, {y:.1f})" for x, y in self.places) or "none"
