"""When a percept was measured, and when it arrived."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.clock import STALE
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.quick_init import quick_init

__all__ = ["Stamped", "check_finite", "stamps"]


@quick_init
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
        percept younger than by its arrival. An arrival in the future makes it stale.
        """
        if now < self.arrival:
            return STALE
        return now - min(self.stamp, self.arrival)


def stamps(stamp: int, arrival: int | None, sequence: int | None) -> tuple[int, int, int]:
    """Return stamp, arrival and number: what is not given is the stamp, and the arrival, which grows as well."""
    came = stamp if arrival is None else arrival
    return stamp, came, came if sequence is None else sequence


def check_finite(what: str, **numbers: float) -> None:
    """Refuse numbers that are NaN or infinite.

    Raises:
        ConfigError: one of them is; it names the key and the value
    """
    for name, value in numbers.items():
        if not math.isfinite(value):
            raise ConfigError("must be finite", key=f"{what}.{name}", value=value)
