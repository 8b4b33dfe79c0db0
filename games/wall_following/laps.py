"""Laps: round the wall and back to where a robot began, by the truth."""

from __future__ import annotations

import math

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import Pose2D

__all__ = ["Lap", "LapRules"]

_ROUND = 0.75 * math.tau
"""Angle about the centre without which a robot was not round; near the centre the rest of a lap may be a quarter."""


class LapRules(Parameters):
    """What a scenario may change under ``rules:``."""

    finish_radius: float = parameter(0.56, "a lap ends within this distance of its begin", "m", gt=0, le=20)
    least_s: float = parameter(15.0, "no lap takes less", "s", ge=0, le=3600)
    centre_x: float = parameter(0.0, "a lap goes round this place, which lies inside of the wall", "m")
    centre_y: float = parameter(0.0, "a lap goes round this place, which lies inside of the wall", "m")
    contact_ends: bool = parameter(True, "whether a robot that touches anything ends the game")


class Lap:
    """Watches one robot's lap.

    Attributes:
        time_s: that it took, s; None before its end

    Args:
        rules: of the game
        start: where the robot began, map frame
        begun: when, ns
    """

    def __init__(self, rules: LapRules, start: Pose2D, begun: int) -> None:
        self.time_s: float | None = None
        self.start = start
        self._rules = rules
        self._begun = begun
        self._angle = self._bearing(start)
        self._turned = 0.0

    def observe(self, now: int, pose: Pose2D) -> None:
        """Look where the robot is at an instant (ns), by the truth."""
        if self.time_s is not None:
            return
        angle = self._bearing(pose)
        self._turned += math.remainder(angle - self._angle, math.tau)
        self._angle = angle
        taken = now - self._begun
        back = pose.distance_to(self.start.x, self.start.y) <= self._rules.finish_radius
        if back and abs(self._turned) >= _ROUND and taken >= from_seconds(self._rules.least_s):
            self.time_s = taken / SECOND

    def _bearing(self, pose: Pose2D) -> float:
        return math.atan2(pose.y - self._rules.centre_y, pose.x - self._rules.centre_x)
