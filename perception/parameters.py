"""Parameters of the perception writer: how far readings are trusted."""

from __future__ import annotations

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["PerceptionParameters"]


class PerceptionParameters(Parameters):
    """Tolerances for readings."""

    future_tolerance: float = parameter(0.1, "how far ahead of the clock a stamp may be", "s", ge=0.0, le=10.0)
    pose_future_tolerance: float = parameter(
        1.0, "the same for poses: AMCL stamps its transform ahead by its tolerance", "s", ge=0.0, le=10.0
    )
    max_distance: float = parameter(1e5, "greatest coordinate of a pose", "m", gt=0.0, le=1e6)
    max_linear: float = parameter(5.0, "greatest speed that odometry may report", "m/s", gt=0.0, le=50.0)
    max_angular: float = parameter(50.0, "greatest yaw rate that odometry may report", "rad/s", gt=0.0, le=500.0)
