"""The LiDAR: an RPLIDAR A1 as a TurtleBot4 carries it."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.sensor import Times
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.beam_losses import BeamLosses, BeamLossParameters
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SensorTiming, Surroundings

__all__ = ["Lidar", "LidarParameters"]

_RESOLUTION = 0.00025
"""Metres; the sensor reports quarters of a millimetre."""


class LidarParameters(SensorTiming):
    """The LiDAR. The mount is the TurtleBot4's: beam 0 looks to the right, not to the front."""

    rate_hz: float = parameter(7.6, "scans a second", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.03, "from the measurement to the message's arrival", "s", ge=0, le=5)
    beams: int = parameter(640, "beams in a revolution", ge=8, le=10000)
    range_min: float = parameter(0.164, "nothing nearer is measured", "m", ge=0, le=10)
    range_max: float = parameter(12.0, "nothing farther is measured", "m", gt=0, le=100)
    noise_m: float = parameter(0.01, "standard deviation of a range", "m", ge=0, le=1)
    dropout: float = parameter(0.05, "share of beams without a return for no reason", ge=0, le=1)
    losses: BeamLossParameters = parameter(BeamLossParameters(), "beams without a return for a reason")
    mount_x: float = parameter(-0.04, "of the sensor in base_link", "m", ge=-1, le=1)
    mount_y: float = parameter(0.0, "of the sensor in base_link", "m", ge=-1, le=1)
    mount_yaw: float = parameter(math.pi / 2, "of the sensor in base_link", "rad", ge=-7, le=7)
    sees: Literal["all", "walls", "robots"] = parameter(
        "all", "what its rays hit; walls alone or robots alone, through all else, are layers as simulators have them"
    )
    height: float = parameter(0.193, "of the scan plane above the floor", "m", gt=0, le=2)


class Lidar(PeriodicSensor[LaserScan]):
    """Measures whole revolutions, each at one instant."""

    def __init__(self, parameters: LidarParameters, surroundings: Surroundings) -> None:
        super().__init__(parameters.rate_hz, parameters.latency_s, surroundings.rng)
        self._robot = surroundings.robot
        self._parameters = parameters
        self._rng = surroundings.rng
        self._caster = surroundings.caster
        self._mount = Pose2D(parameters.mount_x, parameters.mount_y, parameters.mount_yaw)
        self._increment = math.tau / parameters.beams
        angles = -math.pi + self._increment * np.arange(parameters.beams)
        self._cosine, self._sine = np.cos(angles), np.sin(angles)
        self._directions = np.zeros((parameters.beams, 3))
        self._losses: BeamLosses | None = None
        if parameters.losses != BeamLossParameters():
            self._losses = BeamLosses(parameters.losses, surroundings.rng, parameters.beams)

    def measure(self, truth: RobotTruth, times: Times) -> LaserScan:
        """Return a revolution."""
        parameters, rng = self._parameters, self._rng
        sensor = truth.pose.compose(self._mount)
        cosine, sine = math.cos(sensor.yaw), math.sin(sensor.yaw)
        directions = self._directions
        directions[:, 0] = cosine * self._cosine - sine * self._sine
        directions[:, 1] = sine * self._cosine + cosine * self._sine
        distances, surfaces = self._caster.lidar(
            self._robot, (sensor.x, sensor.y, parameters.height), directions, parameters.sees
        )
        missing = distances < 0.0
        if self._losses is not None:
            missing |= self._losses.lost(times[0], distances, surfaces)
        distances += parameters.noise_m * rng.standard_normal(parameters.beams)
        missing |= distances < parameters.range_min
        missing |= distances > parameters.range_max
        missing |= rng.random(parameters.beams) < parameters.dropout
        distances[missing] = math.inf
        ranges = (np.round(distances / _RESOLUTION) * _RESOLUTION).astype(np.float32)
        ranges.flags.writeable = False
        return LaserScan(
            *times,
            ranges=ranges,
            angle_min=_single(-math.pi),
            angle_max=_single(math.pi - self._increment),
            angle_increment=_single(self._increment),
            range_min=_single(parameters.range_min),
            range_max=_single(parameters.range_max),
            mount=self._mount,
        )


def _single(value: float) -> float:
    """Return a number as the message carries it, in single precision."""
    return float(np.float32(value))
