"""Ranges: single-beam distance sensors, such as time-of-flight or ultrasonic ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.stamped import Stamped

__all__ = ["RangeReading", "Ranges"]


@dataclass(frozen=True, slots=True)
class RangeReading:
    """One beam of one sensor.

    Attributes:
        name: of the sensor, such as ``front_left``
        mount: where the beam begins and whither it looks, base_link
        distance: from the mount to what it hits, m; ``inf`` where nothing is within its reach
        limit: greatest distance that it measures, m
    """

    name: str
    mount: Pose2D
    distance: float
    limit: float

    @property
    def hit(self) -> tuple[float, float] | None:
        """The point that the beam hits, (x, y) in base_link, m; None where it hits nothing."""
        if not math.isfinite(self.distance):
            return None
        return (
            self.mount.x + self.distance * math.cos(self.mount.yaw),
            self.mount.y + self.distance * math.sin(self.mount.yaw),
        )


@dataclass(frozen=True, slots=True)
class Ranges(Stamped):
    """The newest reading of every single-beam sensor of a robot, in the order of its mounts.

    Unlike a :class:`~arena_trees.robot.scan.Scan`, readings without an echo are as good as any: no echo says that
    nothing is within reach of that beam. The age is that of the oldest reading.
    """

    readings: tuple[RangeReading, ...]

    def __getitem__(self, name: str) -> RangeReading:
        """Return the reading of a sensor.

        Raises:
            KeyError: there is no such sensor
        """
        for reading in self.readings:
            if reading.name == name:
                return reading
        raise KeyError(name)

    def __str__(self) -> str:
        return ", ".join(f"{one.name} {one.distance:.2f} m" for one in self.readings) or "none"
