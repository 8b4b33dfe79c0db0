"""The battery as a sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.sensor import Quantity, RosTopic, Sensor, Times
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


def reading(message: Any, times: Times) -> Battery:
    """Return what is in a ``sensor_msgs/BatteryState``, whose charge is NaN where it is not measured."""
    return Battery(*times, message.percentage)


SENSOR = Sensor(
    key="battery",
    description="charge of the battery, 0 to 1",
    reading=Battery,
    stale_s=10.0,
    ros=RosTopic(
        topic="battery_state",
        type="sensor_msgs/msg/BatteryState",
        reading=reading,
        fields=lambda battery: {**_UNKNOWN, "percentage": battery.charge, "present": True},
        frame="",
    ),
    simulated="arena_trees.sensors.battery.simulated:SIMULATED",
    quantities={"charge": Quantity(value=lambda battery: battery.charge, limits=(0.0, 1.0))},
    shown=lambda battery: f"battery {battery.charge:.0%}",
    always_counted=True,
)
