"""Single-beam distance sensors, such as the time-of-flight ones that a body has mounts for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ranges import RangeReading, Ranges
from arena_trees.robot.timing import MAXIMUM_RATE_HZ, Delivery, Schedule
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.world.body import RangeMount

__all__ = ["RangeSensorParameters", "RangeSensors"]

_RESOLUTION = 0.001
"""Metres; the sensors report millimetres."""


class RangeSensorParameters(Parameters):
    """The range sensors of a robot; where they sit is its body's. A beam is a ray without width."""

    rate_hz: float = parameter(20.0, "measurements a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.02, "from the measurement to the message's arrival", "s", ge=0, le=5)
    range_min: float = parameter(0.03, "what is nearer is reported at this distance", "m", ge=0, le=10)
    range_max: float = parameter(10.0, "nothing farther is measured", "m", gt=0, le=100)
    noise_m: float = parameter(0.01, "standard deviation of a distance", "m", ge=0, le=1)
    dropout: float = parameter(0.01, "share of measurements without an echo for no reason", ge=0, le=1)
    height: float = parameter(0.10, "of the beams above the floor", "m", gt=0, le=2)


class RangeSensors:
    """Measures along every beam of a robot at one instant; what a LiDAR does not see, a beam does not see either.

    Args:
        robot: name of the robot that carries them
        mounts: where they sit
        parameters: their parameters
        rng: their own random stream
        caster: casts the rays
    """

    def __init__(
        self,
        robot: str,
        mounts: Sequence[RangeMount],
        parameters: RangeSensorParameters,
        rng: np.random.Generator,
        caster: RayCaster,
    ) -> None:
        self.delivery: Delivery[Ranges] = Delivery()
        self._robot = robot
        self._names = [mount.name for mount in mounts]
        self._mounts = [mount.pose for mount in mounts]
        self._parameters = parameters
        self._rng = rng
        self._caster = caster
        self._schedule = Schedule(parameters.rate_hz, 1.0 - float(rng.random()))
        self._latency = from_seconds(parameters.latency_s)
        self._limit = _single(parameters.range_max)
        self._sequence = 0

    def update(self, now: int, pose: Pose2D) -> None:
        """Measure if it is time.

        Args:
            now: instant, ns
            pose: true pose of base_link, map frame
        """
        if not self._schedule.due(now):
            return
        noise = self._rng.standard_normal(len(self._mounts)).tolist()
        lost = (self._rng.random(len(self._mounts)) < self._parameters.dropout).tolist()
        readings = tuple(
            RangeReading(name, mount, math.inf if gone else self._measured(pose.compose(mount), error), self._limit)
            for name, mount, error, gone in zip(self._names, self._mounts, noise, lost, strict=True)
        )
        self._sequence += 1
        self.delivery.send(Ranges(now, now + self._latency, self._sequence, readings))

    def _measured(self, beam: Pose2D, error: float) -> float:
        """Return the distance (m) that is reported along a beam (map frame); the error is in standard deviations."""
        parameters = self._parameters
        origin = (beam.x, beam.y, parameters.height)
        direction = np.array([[math.cos(beam.yaw), math.sin(beam.yaw), 0.0]])
        true = float(self._caster.lidar(self._robot, origin, direction)[0])
        distance = true + parameters.noise_m * error
        if true < 0.0 or distance > parameters.range_max:
            return math.inf
        return _single(round(max(distance, parameters.range_min) / _RESOLUTION) * _RESOLUTION)


def _single(value: float) -> float:
    """Return a number as the message carries it, in single precision."""
    return float(np.float32(value))
