"""What people see and hear at a crossing: events of the tree to lights and sounds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena_trees.robot.show.cues import Priority, Show
from arena_trees.robot.show.lights import BLACK, GREEN, ORANGE, Light, blink, fill
from arena_trees.robot.show.songs import even

__all__ = ["SHOWS"]

SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "GRANT": Show(Light("GRANT", fill(GREEN), 1.5), even("GRANT", 0.12, 67, 74), Priority.MIDDLE),
        "YIELD": Show(Light("YIELD", blink(ORANGE, BLACK), 2.0), even("YIELD", 0.2, 62, 62)),
    }
)
"""Event to its show."""
