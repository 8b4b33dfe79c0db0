"""Turn on the spot by an angle, closed over odometry."""

from __future__ import annotations

import math

from arena_trees.robot.geometry import wrap

__all__ = ["MeasuredTurn"]


class MeasuredTurn:
    """Counts a turn from yaw samples, whole revolutions included.

    Args:
        angle: to turn by, rad, counter-clockwise positive
    """

    def __init__(self, angle: float) -> None:
        self.remaining = angle
        self._yaw: float | None = None

    def update(self, yaw: float) -> float:
        """Take a yaw (rad) and return the angle that remains, rad."""
        if self._yaw is not None:
            self.remaining -= wrap(yaw - self._yaw)
        self._yaw = yaw
        return self.remaining

    def rate(self, speed: float, gain: float = 3.0) -> float:
        """Return the yaw rate (rad/s): full speed, slower over the last bit, never too slow to arrive."""
        return math.copysign(min(speed, max(0.15, gain * abs(self.remaining))), self.remaining)
