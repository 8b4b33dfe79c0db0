"""Faults of a simulated robot's sensors, injected between its port and its loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import field_validator

from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Cue, Readings
from arena_trees.robot.ports import RobotPort
from arena_trees.robot.turret import TurretRates

__all__ = ["Fault", "FaultyPort", "sensor_names"]

_NOT_SENSED = (keys.NOW, keys.GEOFENCE, keys.INBOX)
"""Percepts that no sensor measures."""


def sensor_names() -> tuple[str, ...]:
    """Return the names of all sensors; lane and markers are what a lane camera sees."""
    return tuple(key for key in keys.percept_keys() if key not in _NOT_SENSED)


class Fault(Parameters):
    """One sensor of one robot falls silent: its last message stays the newest, and its age grows."""

    robot: str = parameter(..., "name of the robot")
    sensor: str = parameter(
        "scan", "which of its sensors, by the key of its percept; lane and markers are what its lane camera sees"
    )
    at_s: float = parameter(0.0, "when it falls silent", "s", ge=0, le=86_400)
    for_s: float | None = parameter(None, "for how long; to the end where not given", "s", gt=0, le=86_400)

    @field_validator("sensor")
    @classmethod
    def _exists(cls, sensor: str) -> str:
        if sensor not in sensor_names():
            raise ValueError(no_such("sensor", sensor, sensor_names()))
        return sensor


class FaultyPort:
    """A robot port whose sensors fall silent as they are told to.

    Args:
        port: the healthy robot
        faults: of this robot
    """

    def __init__(self, port: RobotPort, faults: Sequence[Fault]) -> None:
        self._port = port
        self._faults = tuple(faults)
        self._held: dict[int, Any] = {}

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._port.name

    def now(self) -> int:
        """Return the robot's clock, ns."""
        return self._port.now()

    def read(self) -> Readings:
        """Return the newest messages, those of silent sensors from before."""
        readings = self._port.read()
        for index, fault in enumerate(self._faults):
            message = readings.get(fault.sensor)
            if self._silent(fault, readings.now):
                readings = readings.changed(fault.sensor, self._held.get(index))
            else:
                self._held[index] = message
        return readings

    def drive(self, twist: Twist2D) -> None:
        """Command the base."""
        self._port.drive(twist)

    def aim(self, rates: TurretRates) -> None:
        """Command the turret."""
        self._port.aim(rates)

    def fire(self) -> None:
        """Fire the weapon."""
        self._port.fire()

    def cue(self, cue: Cue) -> None:
        """Show or sound an event."""
        self._port.cue(cue)

    @staticmethod
    def _silent(fault: Fault, now: int) -> bool:
        elapsed = now - from_seconds(fault.at_s)
        return elapsed >= 0 and (fault.for_s is None or elapsed < from_seconds(fault.for_s))
