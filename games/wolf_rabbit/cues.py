"""What people see and hear of wolf and rabbit: events of the trees to lights and sounds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena_trees.robot.show.cues import Priority, Show
from arena_trees.robot.show.lights import BLUE, GREEN, ORANGE, RED, VIOLET, WHITE, Light, steady
from arena_trees.robot.show.songs import even, song

__all__ = ["SHOWS"]

SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "CHASE": Show(Light("CHASE", steady(ORANGE), 2.0), even("CHASE", 0.1, 69, 76)),
        "LOST": Show(Light("LOST", steady(BLUE), 2.0), even("LOST", 0.2, 64)),
        "CATCH": Show(
            Light("CATCH", steady(GREEN), 4.0), song("CATCH", (72, 0.15), (76, 0.15), (81, 0.4)), Priority.HIGH
        ),
        "DEAD": Show(Light("DEAD", steady(WHITE), 6.0), song("DEAD", (69, 0.2), (64, 0.2), (57, 0.5)), Priority.HIGH),
        "BREACH": Show(Light("BREACH", steady(RED), 3.0), even("BREACH", 0.15, 81, 69, 81), Priority.URGENT),
        "EAT": Show(Light("EAT", steady(ORANGE), 2.0), even("EAT", 0.1, 72, 76)),
        "REST": Show(Light("REST", steady(VIOLET), 3.0)),
    }
)
"""Event to its show."""
