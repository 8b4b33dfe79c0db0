"""The IMU keeps the contract of sensors, and measures what it should."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arena_trees_imu.sensor import SENSOR, Imu
from arena_trees_imu.simulated import SIMULATED, ImuParameters

import arena_trees as at
from arena_trees.testing import check_sensor


def measured(*twists: at.Twist2D) -> Imu:
    """Return the last reading of an IMU without errors, of a robot that had these velocities, 0.02 s apart."""
    exact = ImuParameters(rate_noise=0.0, rate_bias=0.0, acceleration_noise=0.0)
    surroundings = at.Surroundings("robot", at.Body(), at.Pose2D(), np.random.default_rng(1), None)
    sensor = SIMULATED.make(exact, surroundings)
    for number, twist in enumerate(twists, 1):
        now = at.from_seconds(0.02 * number)
        sensor.update(now, at.RobotTruth(at.Pose2D(), twist))
    reading = sensor.delivery.newest(now)
    assert isinstance(reading, Imu)
    return reading


def test_it_keeps_the_contract_of_sensors():
    assert check_sensor(SENSOR)


def test_a_robot_that_gathers_speed_is_accelerated_forward():
    reading = measured(*(at.Twist2D(0.01 * number, 0.0) for number in range(4)))
    assert (reading.forward, reading.leftward, reading.yaw_rate) == pytest.approx((0.5, 0.0, 0.0))


def test_a_robot_in_a_curve_to_the_left_is_accelerated_to_the_left():
    reading = measured(*(at.Twist2D(0.3, 1.0) for _ in range(4)))
    assert (reading.forward, reading.leftward, reading.yaw_rate) == pytest.approx((0.0, 0.3, 1.0))


@pytest.mark.parametrize("value", [math.nan, math.inf, 36.0])
def test_a_rate_that_no_robot_turns_at_is_refused(value):
    with pytest.raises(at.RefusedReadingError):
        SENSOR.checked(Imu(1, 1, 1, value, 0.0, 0.0))
