"""The battery as a sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.sensor import Number, RefusedReadingError, RosTopic, Sensor
from arena_trees.robot.stamped import Stamped

__all__ = ["SENSOR", "Battery"]


@dataclass(frozen=True, slots=True)
class Battery(Stamped):
    """Charge of the battery, 0 to 1."""

    charge: float

    def __str__(self) -> str:
        return f"{self.charge:.0%}"


_UNKNOWN = dict.fromkeys(
    ("voltage", "temperature", "current", "charge", "capacity", "design_capacity"), math.nan
)  # fmt: skip


def check(battery: Battery) -> Battery:
    """Return the battery.

    Raises:
        RefusedReadingError: the charge is not finite or not within 0 to 1
    """
    if not math.isfinite(battery.charge):
        raise RefusedReadingError("not finite")
    if not 0.0 <= battery.charge <= 1.0:
        raise RefusedReadingError("out of range")
    return battery


SENSOR = Sensor(
    key="battery",
    description="charge of the battery, 0 to 1",
    reading=Battery,
    check=check,
    ros=RosTopic(
        topic="battery_state",
        type="sensor_msgs/msg/BatteryState",
        # NaN where it is not measured.
        reading=lambda message, times: Battery(*times, message.percentage),
        fields=lambda battery: {**_UNKNOWN, "percentage": battery.charge, "present": True},
        frame="",
    ),
    simulated="arena_trees.sensors.battery.simulated:SIMULATED",
    numbers={"charge": Number(value=lambda battery: battery.charge)},
    shown=lambda battery: f"battery {battery.charge:.0%}",
    always_counted=True,
)
