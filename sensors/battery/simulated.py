"""The simulated battery, which empties with time and with driving."""

from __future__ import annotations

from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.sensor import Times
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.sensors.battery.sensor import Battery
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SensorTiming, SimulatedSensor

__all__ = ["SIMULATED", "BatteryParameters", "BatterySensor"]

_WHEEL_OFFSET = 0.1165
"""Distance of a wheel from the robot's axis, m."""


class BatteryParameters(SensorTiming):
    """Charge and consumption; with the defaults a full battery lasts about three hours."""

    rate_hz: float = parameter(1.0, "messages a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    capacity_wh: float = parameter(26.0, "energy of the full battery", "Wh", gt=0, le=10000)
    start: float = parameter(1.0, "charge at the start, 1 is full", ge=0, le=1)
    idle_w: float = parameter(8.0, "consumption at rest", "W", ge=0, le=1000)
    drive_w: float = parameter(8.0, "further consumption at a wheel speed of 1 m/s", "W", ge=0, le=1000)


class BatterySensor(PeriodicSensor[Battery]):
    """Integrates the consumption between its messages."""

    def __init__(self, parameters: BatteryParameters) -> None:
        super().__init__(parameters.rate_hz, parameters.latency_s)
        self._parameters = parameters
        self._charge = parameters.start
        self._measured_at = 0

    def measure(self, truth: RobotTruth, times: Times) -> Battery:
        """Return the charge that is left."""
        parameters = self._parameters
        now = times[0]
        speed = abs(truth.twist.linear) + abs(truth.twist.angular) * _WHEEL_OFFSET
        power = parameters.idle_w + parameters.drive_w * speed
        hours = (now - self._measured_at) / SECOND / 3600.0
        self._charge = max(0.0, self._charge - power * hours / parameters.capacity_wh)
        self._measured_at = now
        return Battery(*times, self._charge)


SIMULATED = SimulatedSensor(BatteryParameters, lambda parameters, surroundings: BatterySensor(parameters))
