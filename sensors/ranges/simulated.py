"""Single-beam distance sensors, such as the time-of-flight ones that a body has mounts for."""

from __future__ import annotations

import math

import numpy as np

from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.sensor import Times
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.sensors.ranges.sensor import RangeReading, Ranges
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SensorTiming, SimulatedSensor, Surroundings

__all__ = ["SIMULATED", "RangeSensorParameters", "RangeSensors"]

_RESOLUTION = 0.001
"""Metres; the sensors report millimetres."""


class RangeSensorParameters(SensorTiming):
    """The range sensors of a robot; where they sit is its body's. A beam is a ray without width."""

    rate_hz: float = parameter(20.0, "measurements a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.02, "from the measurement to the message's arrival", "s", ge=0, le=5)
    range_min: float = parameter(0.03, "what is nearer is reported at this distance", "m", ge=0, le=10)
    range_max: float = parameter(10.0, "nothing farther is measured", "m", gt=0, le=100)
    noise_m: float = parameter(0.01, "standard deviation of a distance", "m", ge=0, le=1)
    dropout: float = parameter(0.01, "share of measurements without an echo for no reason", ge=0, le=1)
    height: float = parameter(0.10, "of the beams above the floor", "m", gt=0, le=2)


class RangeSensors(PeriodicSensor[Ranges]):
    """Measures along every beam of a robot at one instant; what a LiDAR does not see, a beam does not see either."""

    def __init__(self, parameters: RangeSensorParameters, surroundings: Surroundings) -> None:
        super().__init__(parameters.rate_hz, parameters.latency_s, surroundings.rng)
        self._robot = surroundings.robot
        self._mounts = surroundings.body.ranges
        self._parameters = parameters
        self._rng = surroundings.rng
        self._caster = surroundings.caster
        self._limit = _single(parameters.range_max)

    def measure(self, truth: RobotTruth, times: Times) -> Ranges:
        """Return the distance along every beam."""
        noise = self._rng.standard_normal(len(self._mounts)).tolist()
        lost = (self._rng.random(len(self._mounts)) < self._parameters.dropout).tolist()
        readings = tuple(
            RangeReading(
                mount.name,
                mount.pose,
                math.inf if gone else self._measured(truth.pose.compose(mount.pose), error),
                self._limit,
            )
            for mount, error, gone in zip(self._mounts, noise, lost, strict=True)
        )
        return Ranges(*times, readings)

    def _measured(self, beam: Pose2D, error: float) -> float:
        """Return the distance (m) that is reported along a beam (map frame); the error is in standard deviations."""
        parameters = self._parameters
        origin = (beam.x, beam.y, parameters.height)
        direction = np.array([[math.cos(beam.yaw), math.sin(beam.yaw), 0.0]])
        true = float(self._caster.lidar(self._robot, origin, direction)[0][0])
        distance = true + parameters.noise_m * error
        if true < 0.0 or distance > parameters.range_max:
            return math.inf
        return _single(round(max(distance, parameters.range_min) / _RESOLUTION) * _RESOLUTION)


def _single(value: float) -> float:
    """Return a number as the message carries it, in single precision."""
    return float(np.float32(value))


SIMULATED = SimulatedSensor(RangeSensorParameters, RangeSensors)
