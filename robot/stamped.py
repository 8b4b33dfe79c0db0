"""When a percept was measured, and when it arrived."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.clock import STALE

__all__ = ["Stamped"]


@dataclass(frozen=True, slots=True)
class Stamped:
    """When something was measured, when it reached us, and its place in its sequence.

    Attributes:
        stamp: instant of the measurement, ns of the robot's clock
        arrival: instant of its arrival, ns of the robot's clock
        sequence: number in its stream, counted up from 1
    """

    stamp: int
    arrival: int
    sequence: int

    def age(self, now: int) -> int:
        """Return the age (ns): since the stamp or since the arrival, whichever is longer.

        A stamp in the future (AMCL stamps its transform ahead by its tolerance) does not make a
        percept younger than its arrival says. An arrival in the future makes it stale.
        """
        if now < self.arrival:
            return STALE
        return now - min(self.stamp, self.arrival)
