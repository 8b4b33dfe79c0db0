"""Localisation: the pose in the map frame that tf gives when AMCL runs."""

from __future__ import annotations

import math

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.sensor import Times
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SensorTiming, Surroundings

__all__ = ["Localisation", "LocalisationParameters"]


class LocalisationParameters(SensorTiming):
    """Rate and errors of the localisation."""

    rate_hz: float = parameter(20.0, "poses a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.02, "from the measurement to the pose's arrival", "s", ge=0, le=5)
    transform_tolerance_s: float = parameter(0.1, "how far AMCL stamps its transform into the future", "s", ge=0, le=5)
    noise_m: float = parameter(0.02, "standard deviation of x and of y", "m", ge=0, le=5)
    noise_yaw: float = parameter(0.01, "standard deviation of the yaw", "rad", ge=0, le=3)
    correlation_s: float = parameter(2.0, "time after which an error is mostly forgotten", "s", gt=0, le=1000)
    jumps_per_minute: float = parameter(1.0, "sudden errors in a minute", ge=0, le=600)
    jump_m: float = parameter(0.1, "length of a sudden error", "m", ge=0, le=10)
    drift_m_per_min: float = parameter(0.0, "error that grows steadily in one direction", "m/min", ge=0, le=10)


class Localisation(PeriodicSensor[PoseEstimate]):
    """The true pose with an error that wanders (an Ornstein-Uhlenbeck process), jumps and may drift."""

    def __init__(self, parameters: LocalisationParameters, surroundings: Surroundings) -> None:
        rng = surroundings.rng
        super().__init__(parameters.rate_hz, parameters.latency_s, rng)
        self._parameters = parameters
        self._rng = rng
        self._ahead = from_seconds(parameters.transform_tolerance_s)
        self._keep = math.exp(-1.0 / (parameters.rate_hz * parameters.correlation_s))
        self._renew = math.sqrt(1.0 - self._keep**2)
        self._jump_chance = parameters.jumps_per_minute / 60.0 / parameters.rate_hz
        direction = float(rng.uniform(-math.pi, math.pi))
        self._drift = (math.cos(direction), math.sin(direction))
        noise = rng.standard_normal(3).tolist()
        self._x, self._y = parameters.noise_m * noise[0], parameters.noise_m * noise[1]
        self._yaw = parameters.noise_yaw * noise[2]

    def measure(self, truth: RobotTruth, times: Times) -> PoseEstimate:
        """Return the pose that is estimated, stamped ahead."""
        now, arrival, sequence = times
        pose = truth.pose
        parameters = self._parameters
        noise = self._rng.standard_normal(3).tolist()
        chance, direction = self._rng.random(2).tolist()
        renew = self._renew * parameters.noise_m
        self._x = self._keep * self._x + renew * noise[0]
        self._y = self._keep * self._y + renew * noise[1]
        self._yaw = self._keep * self._yaw + self._renew * parameters.noise_yaw * noise[2]
        if chance < self._jump_chance:
            self._x += parameters.jump_m * math.cos(math.tau * direction)
            self._y += parameters.jump_m * math.sin(math.tau * direction)
        drift = parameters.drift_m_per_min * now / (60.0 * SECOND)
        estimate = Pose2D(
            pose.x + self._x + drift * self._drift[0],
            pose.y + self._y + drift * self._drift[1],
            wrap(pose.yaw + self._yaw),
        )
        return PoseEstimate(now + self._ahead, arrival, sequence, estimate)
