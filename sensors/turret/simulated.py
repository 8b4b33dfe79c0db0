"""The encoders of a simulated turret."""

from __future__ import annotations

import math

from arena_trees.robot.geometry import wrap
from arena_trees.robot.sensor import Times
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.physics.turret import TurretParameters
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SimulatedSensor, Surroundings

__all__ = ["SIMULATED"]


class TurretEncoders(PeriodicSensor[TurretState]):
    """Measure the angles with noise, and the rates without."""

    def __init__(self, parameters: TurretParameters, surroundings: Surroundings) -> None:
        super().__init__(parameters.rate_hz, parameters.latency_s)
        self._noise = math.radians(parameters.noise_deg)
        self._rng = surroundings.rng

    def measure(self, truth: RobotTruth, times: Times) -> TurretState:
        """Return where the turret points."""
        assert truth.turret is not None, "only a body with a turret has encoders"
        yaw, pitch = truth.turret
        yaw_error, pitch_error = self._rng.normal(0.0, self._noise, 2).tolist()
        return TurretState(*times, wrap(yaw + yaw_error), pitch + pitch_error, truth.turret_rates)


SIMULATED = SimulatedSensor(TurretParameters, TurretEncoders)
