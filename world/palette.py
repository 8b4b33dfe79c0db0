"""The colours that every drawer shares: of what a world holds, and of robots."""

from __future__ import annotations

__all__ = ["GLASS", "INK", "MUTED", "PAPER", "WALL", "pale", "robot_colour"]

INK = "#22303c"
MUTED = "#566470"
PAPER = "#fbfaf7"
WALL = "#b9b3a6"
GLASS = "#dcecf2"
_ROBOTS = ("#c8401f", "#1d5f8a", "#3c7a2b", "#6b3f92", "#b07a00", "#0f8a80", "#b8316f", "#5c6670")


def robot_colour(number: int) -> str:
    """Return the colour of a robot, ``#rrggbb``: of the first one where the number is 0."""
    return _ROBOTS[number % len(_ROBOTS)]


def pale(colour: str, share: float) -> str:
    """Return a colour ``#rrggbb`` mixed with white; a share of 0 is the colour itself."""
    parts = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)
