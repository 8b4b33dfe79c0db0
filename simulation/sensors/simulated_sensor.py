"""The simulated part of a sensor: its parameters, and what measures in the arena."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np

from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.timing import Delivery
from arena_trees.simulation.physics.truth import Truth
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.world.body import Body

__all__ = ["Measuring", "SimulatedSensor", "Surroundings", "simulated_sensors"]


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


class Measuring(Protocol):
    """A sensor at work.

    Attributes:
        delivery: holds its readings until they arrive
    """

    delivery: Delivery[Any]

    def update(self, now: int, truth: Truth) -> None:
        """Measure, if it is time.

        Args:
            now: instant after the tick, ns
            truth: what is true of the robot then
        """
        ...


@dataclass(frozen=True, slots=True)
class SimulatedSensor:
    """The simulated part of a :class:`~arena_trees.robot.sensor.Sensor`.

    Attributes:
        parameters: model of what a scenario may change, all of it with defaults
        make: makes a sensor of such parameters
    """

    parameters: type[Parameters]
    make: Callable[[Any, Surroundings], Measuring]


@lru_cache(maxsize=1)
def simulated_sensors() -> Mapping[str, SimulatedSensor]:
    """Return the simulated part of every sensor that has one, by the sensor's key.

    Raises:
        ConfigError: one cannot be imported
    """
    found = {}
    for key, sensor in sensors().items():
        if sensor.simulated:
            module, _, name = sensor.simulated.partition(":")
            try:
                found[key] = getattr(import_module(module), name)
            except (ImportError, AttributeError) as error:
                reason = f"its simulated part cannot be loaded: {type(error).__name__}: {error}"
                raise ConfigError(reason, key="sensor", value=key) from error
    return found
