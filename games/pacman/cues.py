"""The lights and sounds of PacMan: from the tree's events, as the PacMan report has them (algorithms 6 to 8)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena_trees.robot.show.cues import Priority, Show
from arena_trees.robot.show.lights import (
    BLACK,
    BLUE,
    CYAN,
    GREEN,
    OFF,
    PINK,
    RED,
    WHITE,
    YELLOW,
    Light,
    blink,
    drain,
    fill,
    halves,
    spin,
    steady,
)
from arena_trees.robot.show.songs import even, song

__all__ = ["SHOWS"]

_START = (
    (67, 0.2), (69, 0.2), (72, 0.4), (None, 0.1), (67, 0.2), (69, 0.2), (74, 0.4), (None, 0.1),
    (76, 0.2), (74, 0.2), (72, 0.2), (69, 0.2), (72, 0.4), (None, 0.2), (65, 0.2), (67, 0.2),
    (69, 0.4), (None, 0.1), (69, 0.2), (72, 0.2), (77, 0.4), (None, 0.1), (79, 0.2), (77, 0.2),
    (74, 0.2), (71, 0.2), (72, 0.8),
)  # fmt: skip

_GAME_OVER = Light("GAME_OVER", (*blink(RED, BLACK, RED, BLACK), *drain(RED)), 5.0)
_DEATH = song("DEATH", (74, 0.18), (73, 0.18), (71, 0.18), (70, 0.18), (67, 0.3), (None, 0.1), (62, 0.2), (55, 0.6))
_WON = (*spin(GREEN, YELLOW, 2), *halves(GREEN, YELLOW), *spin(CYAN, PINK, 2))
_FANFARE = ((72, 0.15), (74, 0.15), (76, 0.15), (79, 0.3), (None, 0.1), (76, 0.15), (79, 0.15), (84, 0.7))

SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "START_THEATRICAL": Show(
            Light("START", (*fill(YELLOW), *spin(BLACK, YELLOW), *blink(BLACK, YELLOW)), 8.0),
            song("START", *_START),
            Priority.MIDDLE,
        ),
        "PELLET": Show(Light("PELLET", steady(WHITE), 0.3), even("PELLET", 0.06, 79, 84)),
        "POWER_PELLET": Show(
            Light("POWER_PELLET", halves(BLUE, WHITE), 3.0),
            even("POWER_PELLET", 0.08, 60, 64, 67, 72, 76, 79, 84, 88),
            Priority.MIDDLE,
        ),
        "GHOST": Show(
            Light("GHOST", spin(PINK, CYAN, 3), 1.5), even("GHOST", 0.09, 88, 83, 86, 81, 84, 91), Priority.MIDDLE
        ),
        "DEATH": Show(_GAME_OVER, _DEATH, Priority.HIGH),
        "GAME_OVER": Show(_GAME_OVER, _DEATH, Priority.HIGH),
        "WIN": Show(Light("WIN", _WON, 4.0), song("WIN", *_FANFARE), Priority.HIGH),
        "OUT_OF_REACH": Show(
            Light("OUT_OF_REACH", blink(YELLOW, BLACK), 2.0), even("OUT_OF_REACH", 0.2, 64, 59), Priority.MIDDLE
        ),
        "RESET": Show(OFF, None, Priority.URGENT),
    }
)
"""Event to its show."""
