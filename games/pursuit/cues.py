"""What people see and hear of a pursuit: events of the trees to lights and sounds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena_trees.robot.show.cues import Priority, Show
from arena_trees.robot.show.lights import BLACK, GREEN, RED, WHITE, Light, blink, steady
from arena_trees.robot.show.songs import even, song

__all__ = ["SHOWS"]

SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "FIRE": Show(Light("FIRE", blink(GREEN, BLACK), 0.5), even("FIRE", 0.06, 93, 86, 79), Priority.MIDDLE),
        "HIT": Show(Light("HIT", steady(GREEN), 4.0), song("HIT", (72, 0.15), (76, 0.15), (81, 0.4)), Priority.HIGH),
        "HOME": Show(Light("HOME", steady(WHITE), 4.0), song("HOME", (76, 0.2), (72, 0.4)), Priority.HIGH),
        "DODGE": Show(Light("DODGE", blink(RED, BLACK), 1.0)),
    }
)
"""Event to its show. A TurtleBot 4 has no laser that people could see: its ring flashes green instead."""
