"""The battery as a sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.sensor import Quantity, RosTopic, Sensor
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


SENSOR = Sensor(
    key="battery",
    description="charge of the battery, 0 to 1",
    reading=Battery,
    ros=RosTopic(
        topic="battery_state",
        type="sensor_msgs/msg/BatteryState",
        # NaN where it is not measured.
        reading=lambda message, times: Battery(*times, message.percentage),
        fields=lambda battery: {**_UNKNOWN, "percentage": battery.charge, "present": True},
        frame="",
    ),
    simulated="arena_trees.sensors.battery.simulated:SIMULATED",
    quantities={"charge": Quantity(value=lambda battery: battery.charge, limits=(0.0, 1.0))},
    shown=lambda battery: f"battery {battery.charge:.0%}",
    always_counted=True,
)
