"""The IMU as a sensor: what it measures, how that travels, what is good and what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import arena_trees as at

GRAVITY = 9.80665
"""Standard gravity, m/s^2, which an IMU that lies level measures upwards (REP-145)."""


@dataclass(frozen=True, slots=True)
class Imu(at.Stamped):
    """Yaw rate (rad/s) and acceleration forward and to the left (m/s^2) of ``imu_link``, whose axes are base_link's."""

    yaw_rate: float
    forward: float
    leftward: float


def reading(message: Any, times: tuple[int, int, int]) -> Imu:
    """Return what is in a ``sensor_msgs/Imu``."""
    acceleration = message.linear_acceleration
    return Imu(*times, message.angular_velocity.z, acceleration.x, acceleration.y)


def fields(imu: Imu) -> dict[str, Any]:
    """Return the fields of a ``sensor_msgs/Imu``; -1 says that it measures no orientation."""
    return {
        "orientation_covariance": [-1.0] + [0.0] * 8,
        "angular_velocity": {"z": imu.yaw_rate},
        "linear_acceleration": {"x": imu.forward, "y": imu.leftward, "z": GRAVITY},
    }


SENSOR = at.Sensor(
    key="imu",
    description="yaw rate and acceleration",
    reading=Imu,
    ros=at.RosTopic(topic="imu", type="sensor_msgs/msg/Imu", reading=reading, fields=fields, frame="imu_link"),
    stale_s=0.5,
    simulated="arena_trees_imu.simulated:SIMULATED",
    quantities={
        "yaw rate": at.Quantity(value=lambda imu: imu.yaw_rate, unit="rad/s", limits=(-35.0, 35.0)),
        "forward": at.Quantity(value=lambda imu: imu.forward, unit="m/s²", limits=(-160.0, 160.0)),
        "leftward": at.Quantity(value=lambda imu: imu.leftward, unit="m/s²", limits=(-160.0, 160.0)),
    },
)
