"""The simulated LiDAR that sees robots alone."""

from __future__ import annotations

from arena_trees.simulation.sensors.lidar import Lidar, LidarParameters
from arena_trees.simulation.sensors.simulated_sensor import SimulatedSensor

__all__ = ["SIMULATED"]

# Its stream has the name that it had before it was a sensor by itself, so that equal seeds give equal trials still.
SIMULATED = SimulatedSensor(LidarParameters, Lidar, LidarParameters(sees="robots"), stream="robot lidar")
