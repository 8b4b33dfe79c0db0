"""The simulated part of a sensor: its parameters, and what measures in the arena."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint
from typing import Any, Generic, NamedTuple

import numpy as np

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.entry_points import loaded
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.sensor import Times
from arena_trees.robot.sensor_registry import GROUP, sensors
from arena_trees.robot.timing import MAXIMUM_RATE_HZ, Delivery, Schedule, StampedT
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.world.body import Body

__all__ = ["PeriodicSensor", "SensorTiming", "SimulatedSensor", "Surroundings", "simulated_sensors"]


class Surroundings(NamedTuple):
    """What a robot's sensor is made of, its parameters apart.

    Attributes:
        robot: name of the robot
        body: what the robot is made of
        start: where it begins, map frame
        rng: the sensor's own random numbers
        caster: casts rays in the arena
    """

    robot: str
    body: Body
    start: Pose2D
    rng: np.random.Generator
    caster: RayCaster


class SensorTiming(Parameters):
    """How often a sensor measures, and how late it is; the parameters of a sensor extend it."""

    rate_hz: float = parameter(20.0, "messages a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.0, "from the measurement to the message's arrival", "s", ge=0, le=5)


class PeriodicSensor(ABC, Generic[StampedT]):
    """Base of sensors that measure at a rate: it owns the schedule, a subclass states what is measured.

    Attributes:
        delivery: holds its readings until they arrive

    Args:
        rate_hz: measurements a second
        latency_s: from the measurement to the message's arrival, s
        rng: draws the instant of the first measurement within the first period; its end where None
    """

    def __init__(self, rate_hz: float, latency_s: float, rng: np.random.Generator | None = None) -> None:
        self.delivery: Delivery[StampedT] = Delivery()
        self._schedule = Schedule(rate_hz) if rng is None else Schedule(rate_hz, 1.0 - float(rng.random()))
        self._latency = from_seconds(latency_s)
        self._sequence = 0

    def update(self, now: int, truth: RobotTruth) -> None:
        """Measure, if it is time.

        Args:
            now: instant after the tick, ns
            truth: what is true of the robot then
        """
        if self.due(now, truth):
            self._sequence += 1
            self.delivery.send(self.measure(truth, (now, now + self._latency, self._sequence)))

    def due(self, now: int, truth: RobotTruth) -> bool:
        """Return whether it measures now (ns)."""
        return self._schedule.due(now)

    @abstractmethod
    def measure(self, truth: RobotTruth, times: Times) -> StampedT:
        """Return a reading.

        Args:
            truth: what is true of the robot
            times: stamp and arrival (ns) and number of the reading, its first three attributes
        """


@dataclass(frozen=True, slots=True)
class SimulatedSensor:
    """The simulated part of a :class:`~arena_trees.robot.sensor.Sensor`.

    Attributes:
        parameters: model of what a scenario may change, all of it with defaults
        make: makes a sensor of such parameters
        defaults: where they are not those of the model
        stream: name of its random numbers' stream, where that is not the sensor's key
    """

    parameters: type[Parameters]
    make: Callable[[Any, Surroundings], PeriodicSensor[Any]]
    defaults: Parameters | None = None
    stream: str = ""


@lru_cache(maxsize=1)
def simulated_sensors() -> Mapping[str, SimulatedSensor]:
    """Return the simulated part of every sensor that has one, by the sensor's key.

    Raises:
        ConfigError: one cannot be imported, or is none
    """
    found = {}
    for key, sensor in sensors().items():
        if sensor.simulated:
            simulated = loaded(EntryPoint(key, sensor.simulated, GROUP), "sensor")
            if not isinstance(simulated, SimulatedSensor):
                raise ConfigError("is no arena_trees SimulatedSensor", key="sensor", value=sensor.simulated)
            found[key] = simulated
    return found
