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
    jump_recovery_s: float | None = parameter(
        None, "time after which a sudden error is mostly forgotten; as other errors where absent", "s", gt=0, le=1000
    )
    offset_m: float = parameter(0.0, "lasting error of the map's place, in a direction drawn once", "m", ge=0, le=5)
    offset_yaw: float = parameter(0.0, "lasting error of the map's heading, to a side drawn once", "rad", ge=0, le=1)
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
        self._jump_x = self._jump_y = 0.0
        recovery_s = parameters.jump_recovery_s
        self._keep_jump = None if recovery_s is None else math.exp(-1.0 / (parameters.rate_hz * recovery_s))
        self._map: Pose2D | None = None
        if parameters.offset_m or parameters.offset_yaw:
            turn, side = rng.uniform(-1.0, 1.0, 2).tolist()
            yaw = math.copysign(parameters.offset_yaw, side)
            self._map = Pose2D(
                parameters.offset_m * math.cos(math.pi * turn), parameters.offset_m * math.sin(math.pi * turn), yaw
            )

    def measure(self, truth: RobotTruth, times: Times) -> PoseEstimate:
        """Return the pose that is estimated, stamped ahead."""
        now, arrival, sequence = times
        pose = truth.pose if self._map is None else self._map.compose(truth.pose)
        parameters = self._parameters
        noise = self._rng.standard_normal(3).tolist()
        chance, direction = self._rng.random(2).tolist()
        renew = self._renew * parameters.noise_m
        self._x = self._keep * self._x + renew * noise[0]
        self._y = self._keep * self._y + renew * noise[1]
        self._yaw = self._keep * self._yaw + self._renew * parameters.noise_yaw * noise[2]
        if self._keep_jump is not None:
            self._jump_x, self._jump_y = self._keep_jump * self._jump_x, self._keep_jump * self._jump_y
        if chance < self._jump_chance:
            x, y = (
                parameters.jump_m * math.cos(math.tau * direction),
                parameters.jump_m * math.sin(math.tau * direction),
            )
            if self._keep_jump is None:
                self._x, self._y = self._x + x, self._y + y
            else:
                self._jump_x, self._jump_y = self._jump_x + x, self._jump_y + y
        drift = parameters.drift_m_per_min * now / (60.0 * SECOND)
        estimate = Pose2D(
            pose.x + self._x + self._jump_x + drift * self._drift[0],
            pose.y + self._y + self._jump_y + drift * self._drift[1],
            wrap(pose.yaw + self._yaw),
        )
        return PoseEstimate(now + self._ahead, arrival, sequence, estimate)
