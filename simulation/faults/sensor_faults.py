"""Faults of a simulated robot's sensors and clock, injected between its port and its loop."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.percepts import Cue, Readings
from arena_trees.robot.ports import RobotPort
from arena_trees.robot.turret import TurretRates
from arena_trees.simulation.faults.fault import Fault, sensor_names
from arena_trees.simulation.faults.values import garbage, wrong

__all__ = ["Disturbance", "FaultyPort"]


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
        self._given: Any = None
        self._late: deque[Any] = deque()
        self._more = 0

    def of(self, message: Any, now: int) -> Any:
        """Return what comes at an instant (ns) in place of a message, or None."""
        if not self.fault.acts(now):
            # What came while the sensor was faulty does not come again.
            if message is not self._came:
                self._good = self._came = self._given = message
            self._late.clear()
            return self._given
        if self.fault.kind == "flood":
            self._came, self._given = message, None if message is None else self._again(message, now)
        elif message is not self._came:
            self._came = message
            if self.fault.kind == "delayed":
                delay = from_seconds(self.fault.delay_s)
                self._late.append(replace(message, arrival=message.arrival + delay))
            else:
                self._given = self._disturbed(message)
        while self._late and self._late[0].arrival <= now:
            self._given = self._late.popleft()
        return self._given

    def _again(self, message: Any, now: int) -> Any:
        """Return a message as new once more; of all that come in one tick, a robot reads the last."""
        self._more += self.fault.times
        return replace(message, stamp=now, arrival=now, sequence=message.sequence + self._more)

    def _disturbed(self, message: Any) -> Any:
        kind = self.fault.kind
        if kind == "garbage":
            return garbage(message)
        if kind == "wrong":
            return wrong(message, self.fault.scale, self.fault.bias, math.radians(self.fault.yaw_deg))
        if kind in ("silent", "intermittent"):
            return self._good
        if self._good is None:
            # A sensor that is frozen or stuck from the start has measured once.
            self._good = message
        if kind == "frozen":
            return replace(self._good, arrival=message.arrival, sequence=message.sequence)
        return replace(self._good, stamp=message.stamp, arrival=message.arrival, sequence=message.sequence)


class FaultyPort:
    """A robot port with a faulty clock, faulty sensors, and a faulty line to its base.

    Args:
        port: the healthy robot
        faults: of this robot; those of other parts are left alone
    """

    def __init__(self, port: RobotPort, faults: Sequence[Fault]) -> None:
        self._port = port
        self._faults = [Disturbance(fault) for fault in faults if fault.part == "sensor"]
        self._clocks = [fault for fault in faults if fault.part == "clock"]
        self._bases = [
            fault for fault in faults if fault.part == "base" and fault.kind in ("silent", "delayed", "intermittent")
        ]
        self._late: deque[tuple[int, Twist2D]] = deque()
        self._seen: dict[str, tuple[Any, Any]] = {}

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._port.name

    def now(self) -> int:
        """Return the robot's clock, ns."""
        return self.shown(self._port.now())

    def shown(self, instant: int) -> int:
        """Return what the robot's clock shows at an instant (ns), zero or more."""
        shown = instant
        for fault in self._clocks:
            begin = from_seconds(fault.at_s)
            if instant >= begin and fault.kind == "stands":
                # It goes on from where it stood.
                shown -= instant - begin if fault.for_s is None else min(instant - begin, from_seconds(fault.for_s))
            elif fault.acts(instant):
                shown += from_seconds(fault.by_s)
        return max(0, shown)

    def read(self) -> Readings:
        """Return the newest messages, as the faults leave them."""
        readings = self._port.read()
        for one in self._faults:
            message = readings.get(one.fault.sensor)
            disturbed = one.of(message, readings.now)
            if disturbed is not message:
                readings = readings.changed(one.fault.sensor, disturbed)
        return self._dated(readings) if self._clocks else readings

    def drive(self, twist: Twist2D) -> None:
        """Command the base."""
        now = self._port.now()
        for fault in self._bases:
            if not fault.acts(now):
                continue
            if fault.kind != "delayed":
                return
            self._late.append((now + from_seconds(fault.delay_s), twist))
            while self._late and self._late[0][0] <= now:
                self._port.drive(self._late.popleft()[1])
            return
        self._late.clear()
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

    def _dated(self, readings: Readings) -> Readings:
        """Return the readings with the times that the robot's clock showed: old ones keep what they got."""
        changed = replace(readings, now=self.shown(readings.now))
        for key in sensor_names():
            reading = readings.get(key)
            if reading is None:
                continue
            measured, dated = self._seen.get(key, (None, None))
            if reading is not measured:
                times = {"stamp": self.shown(reading.stamp), "arrival": self.shown(reading.arrival)}
                dated = replace(reading, **times)
                self._seen[key] = reading, dated
            changed = changed.changed(key, dated)
        return changed
