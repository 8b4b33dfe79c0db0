"""The IMU in the arena: true rates and accelerations with noise, and a gyroscope that has a bias."""

from __future__ import annotations

import numpy as np

import arena_trees as at
from arena_trees_imu.sensor import Imu


class ImuParameters(at.SensorTiming):
    """Rate and errors of the IMU."""

    rate_hz: float = at.parameter(50.0, "messages a second", "Hz", gt=0, le=50)
    rate_noise: float = at.parameter(0.004, "standard deviation of the yaw rate", "rad/s", ge=0, le=1)
    rate_bias: float = at.parameter(0.002, "standard deviation, over robots, of the bias", "rad/s", ge=0, le=1)
    acceleration_noise: float = at.parameter(0.03, "standard deviation of an acceleration", "m/s^2", ge=0, le=10)


class ImuSensor(at.PeriodicSensor[Imu]):
    """Measures what changed since its last message."""

    def __init__(self, parameters: ImuParameters, surroundings: at.Surroundings) -> None:
        self._rng: np.random.Generator = surroundings.rng
        super().__init__(parameters.rate_hz, parameters.latency_s, self._rng)
        self._parameters = parameters
        self._bias = parameters.rate_bias * float(self._rng.standard_normal())
        self._last = 0, 0.0

    def measure(self, truth: at.RobotTruth, times: tuple[int, int, int]) -> Imu:
        """Return yaw rate, acceleration along the way, and that towards the curve's centre."""
        twist, (then, speed) = truth.twist, self._last
        self._last = times[0], twist.linear
        along = (twist.linear - speed) / at.to_seconds(times[0] - then)
        across = twist.linear * twist.angular
        noise = self._rng.standard_normal(3).tolist()
        rate = twist.angular + self._bias + self._parameters.rate_noise * noise[0]
        error = self._parameters.acceleration_noise
        return Imu(*times, rate, along + error * noise[1], across + error * noise[2])


SIMULATED = at.SimulatedSensor(ImuParameters, ImuSensor)
