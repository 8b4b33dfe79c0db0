"""The turret: a second actuator that turns camera and barrel apart from the base."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.stamped import Stamped

__all__ = ["STEADY", "TurretRates", "TurretState"]


@dataclass(frozen=True, slots=True)
class TurretRates:
    """Angular rates of a turret, relative to its base.

    Attributes:
        yaw: rad/s, counter-clockwise positive
        pitch: rad/s, positive upwards (against REP-103, where a positive pitch lowers the nose, because so people aim)
    """

    yaw: float = 0.0
    pitch: float = 0.0

    @property
    def is_finite(self) -> bool:
        """Whether neither rate is NaN or infinite."""
        return math.isfinite(self.yaw) and math.isfinite(self.pitch)

    def __str__(self) -> str:
        return f"yaw {self.yaw:+.2f} rad/s, pitch {self.pitch:+.2f} rad/s"


STEADY = TurretRates()
"""A turret that does not turn."""


@dataclass(frozen=True, slots=True)
class TurretState(Stamped):
    """Where a turret points, relative to base_link, as its encoders say.

    Attributes:
        yaw: rad, counter-clockwise positive, in [-pi, pi]
        pitch: rad, positive upwards
        rates: how it turns
    """

    yaw: float
    pitch: float
    rates: TurretRates = STEADY

    def __str__(self) -> str:
        return f"yaw {math.degrees(self.yaw):+.1f} deg, pitch {math.degrees(self.pitch):+.1f} deg"
