"""The message of the game: how far robots are with their laps."""

from __future__ import annotations

import enum

from arena_trees.robot.messaging.game_message import Duration, GameMessage, Number

__all__ = ["MESSAGES", "LapPhase", "LapState", "StartPlace"]


class LapPhase(enum.Enum):
    """Phase of the game."""

    WAITING = "WAITING"
    """It has not begun."""
    RUNNING = "RUNNING"
    """A robot is still on its lap."""
    OVER = "OVER"


class StartPlace(GameMessage):
    """Where a robot began its lap, and where that ends.

    Attributes:
        x: m, map frame
        y: m, map frame
        radius: m
    """

    x: Number
    y: Number
    radius: Duration


class LapState(GameMessage, topic="laps"):
    """How the laps stand; the rules repeat it.

    Attributes:
        phase: of the game
        laps_s: time of its lap of each robot that has finished it, s
        starts: where each robot began
    """

    phase: LapPhase
    laps_s: dict[str, Duration]
    starts: dict[str, StartPlace]

    def __str__(self) -> str:
        laps = ", ".join(f"{name} {time:.1f} s" for name, time in self.laps_s.items())
        return f"{self.phase.value} {laps}".strip()


MESSAGES: tuple[type[GameMessage], ...] = (LapState,)
"""All of them."""
