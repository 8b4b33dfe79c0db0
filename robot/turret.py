"""The turret: a second actuator that turns camera and barrel apart from the base."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["STEADY", "TurretRates"]


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
