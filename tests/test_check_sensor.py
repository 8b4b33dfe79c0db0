"""``check_sensor``: our own sensors keep the contract, and what breaks it is found."""

import math
from dataclasses import replace

import pytest
from helpers.arena import needs_arena

from arena_trees.robot.sensor_registry import sensors
from arena_trees.sensors.battery.sensor import SENSOR, Battery
from arena_trees.testing import check_sensor
from arena_trees.testing import sensors as checks
from arena_trees.world.body import TURTLEBOT4

READING = Battery(1_000_000_000, 1_000_000_000, 1, 0.5)


@needs_arena
@pytest.mark.parametrize("key", sorted(key for key, sensor in sensors().items() if sensor.simulated))
def test_our_own_keep_the_contract(key: str):
    assert check_sensor(sensors()[key])


def test_one_that_is_not_installed_is_not_checked():
    with pytest.raises(AssertionError, match="installed as battery is another one"):
        check_sensor(replace(SENSOR))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"topic": "/battery"}, "no topic in the robot's namespace"),
        ({"frame": "/base_link"}, "begins with a slash"),
        ({"type": "lab_msgs/msg/Battery"}, "no type of ROS 2 Jazzy"),
    ],
)
def test_topic_frame_and_type_are_looked_at(change: dict[str, str], fault: str):
    with pytest.raises(AssertionError, match=fault):
        checks._check_topic(SENSOR, replace(SENSOR.ros, **change))


@pytest.mark.parametrize("value", [math.nan, 0.49])
def test_a_message_that_loses_a_value_is_found(value: float):
    ros = replace(SENSOR.ros, fields=lambda battery: {"percentage": value})
    with pytest.raises(AssertionError, match=r"charge is 0\.5"):
        checks._check_message(replace(SENSOR, ros=ros), READING, TURTLEBOT4)


def test_garbage_that_is_accepted_is_found():
    checks._check_garbage(SENSOR, READING)
    with pytest.raises(AssertionError, match="is not refused"):
        checks._check_garbage(replace(SENSOR, quantities={}), READING)


@pytest.mark.parametrize(
    ("second", "fault"),
    [(replace(READING, sequence=3), "do not count up"), (replace(READING, sequence=2), "stamps do not grow")],
)
def test_numbers_and_stamps_are_looked_at(second: Battery, fault: str):
    with pytest.raises(AssertionError, match=fault):
        checks._check_readings(SENSOR, [READING, second])
