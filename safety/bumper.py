"""The bumper limit: one that has run into something does not push on."""

from __future__ import annotations

import math

from arena_trees.robot.geometry import Twist2D
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.reasons import GateReason

__all__ = ["BumperLimit"]


class BumperLimit(MotionLimit[None]):
    """Takes away motion ahead while the bumper is pressed; it covers the front half only, and nothing feels behind."""

    reason = GateReason.BUMPER

    def limit(self, memory: None, situation: Situation, wanted: Twist2D) -> tuple[float, None]:
        """Return no speed, or any."""
        bumpers = situation.percepts.bumpers
        held = wanted.linear > 0.0 and bumpers is not None and bool(bumpers.pressed)
        return 0.0 if held else math.inf, None
