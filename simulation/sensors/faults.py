"""Faults of a simulated robot's sensors, injected between its port and its loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import field_validator

from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Cue, Readings
from arena_trees.robot.ports import RobotPort
from arena_trees.robot.turret import TurretRates
from arena_trees.simulation.sensors.garbage import garbage

__all__ = ["Disturbance", "Fault", "FaultyPort", "sensor_names"]

_NOT_SENSED = (keys.NOW, keys.GEOFENCE, keys.INBOX)
"""Percepts that no sensor measures."""


def sensor_names() -> tuple[str, ...]:
    """Return the names of all sensors; lane and markers are what a lane camera sees."""
    return tuple(key for key in keys.percept_keys() if key not in _NOT_SENSED)


class Fault(Parameters):
    """One sensor of one robot is faulty for a while."""

    robot: str = parameter(..., "name of the robot")
    sensor: str = parameter(
        "scan", "which of its sensors, by the key of its percept; lane and markers are what its lane camera sees"
    )
    kind: Literal["silent", "frozen", "stuck", "garbage", "delayed", "intermittent"] = parameter(
        "silent",
        "no messages; messages with values and stamp of the last good one; with its values and new stamps; with NaN in"
        " place of numbers; late by delay_s; silent for the first half of each period_s",
    )
    at_s: float = parameter(0.0, "when it begins", "s", ge=0, le=86_400)
    for_s: float | None = parameter(None, "for how long; to the end where not given", "s", gt=0, le=86_400)
    delay_s: float = parameter(1.0, "of kind delayed", "s", gt=0, le=60)
    period_s: float = parameter(1.0, "of kind intermittent", "s", gt=0, le=600)

    @field_validator("sensor")
    @classmethod
    def _exists(cls, sensor: str) -> str:
        if sensor not in sensor_names():
            raise ValueError(no_such("sensor", sensor, sensor_names()))
        return sensor

    def acts(self, now: int) -> bool:
        """Return whether messages are disturbed at an instant (ns)."""
        elapsed = now - from_seconds(self.at_s)
        if elapsed < 0 or (self.for_s is not None and elapsed >= from_seconds(self.for_s)):
            return False
        period = from_seconds(self.period_s)
        return self.kind != "intermittent" or elapsed % period < period // 2


class Disturbance:
    """What a fault makes of the newest messages of its sensor.

    Attributes:
        fault: that it is

    Args:
        fault: that it is
    """

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._good: Any = None
        self._came: Any = None
        self._lost: Any = None
        self._given: Any = None
        self._late: deque[Any] = deque()

    def of(self, message: Any, now: int) -> Any:
        """Return what comes at an instant (ns) in place of a message, or None."""
        if not self.fault.acts(now):
            if message is self._lost:
                # It came while the sensor was silent, and does not come again.
                return self._good
            self._good = self._came = self._given = message
            self._late.clear()
            return message
        if message is not self._came:
            self._came = message
            if self.fault.kind == "delayed":
                delay = from_seconds(self.fault.delay_s)
                self._late.append(replace(message, arrival=message.arrival + delay))
            else:
                self._given = self._disturbed(message)
        while self._late and self._late[0].arrival <= now:
            self._given = self._late.popleft()
        return self._given

    def _disturbed(self, message: Any) -> Any:
        if self.fault.kind == "garbage":
            return garbage(message)
        if self.fault.kind in ("silent", "intermittent"):
            self._lost = message
            return self._good
        if self._good is None:
            # A sensor that is frozen or stuck from the start has measured once.
            self._good = message
        if self.fault.kind == "frozen":
            return replace(self._good, arrival=message.arrival, sequence=message.sequence)
        return replace(self._good, stamp=message.stamp, arrival=message.arrival, sequence=message.sequence)


class FaultyPort:
    """A robot port with faulty sensors.

    Args:
        port: the healthy robot
        faults: of this robot
    """

    def __init__(self, port: RobotPort, faults: Sequence[Fault]) -> None:
        self._port = port
        self._faults = [Disturbance(fault) for fault in faults]

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._port.name

    def now(self) -> int:
        """Return the robot's clock, ns."""
        return self._port.now()

    def read(self) -> Readings:
        """Return the newest messages, as the faults leave them."""
        readings = self._port.read()
        for one in self._faults:
            message = readings.get(one.fault.sensor)
            disturbed = one.of(message, readings.now)
            if disturbed is not message:
                readings = readings.changed(one.fault.sensor, disturbed)
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
