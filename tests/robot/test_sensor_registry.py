"""Sensors are found by entry points, and what is none is refused by its name."""

from dataclasses import replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest
from helpers.arena import needs_arena

from arena_trees.robot import sensor_registry
from arena_trees.robot.errors import ConfigError
from arena_trees.sensors.battery.sensor import SENSOR

PLACE = "arena_trees.sensors.battery.sensor:SENSOR"


def found(monkeypatch, *points):
    """Return what is found of entry points, of name and value each."""
    entries = [EntryPoint(name, value, sensor_registry.GROUP) for name, value in points]
    monkeypatch.setattr(sensor_registry, "entry_points", lambda group: entries)
    return sensor_registry.sensors.__wrapped__()


def test_a_sensor_is_found_by_its_key_and_once_by_two_entry_points(monkeypatch):
    assert found(monkeypatch, ("battery", PLACE), ("battery", PLACE)) == {"battery": SENSOR}


@pytest.mark.parametrize(
    ("points", "fault"),
    [
        ([], "none is found"),
        ([("battery", "nowhere.at_all:SENSOR")], "cannot be loaded from nowhere.at_all:SENSOR: ModuleNotFoundError"),
        ([("battery", "arena_trees.sensors.battery.sensor:Battery")], "is no arena_trees Sensor"),
        ([("charge", PLACE)], "calls itself 'battery'"),
        ([("battery", PLACE), ("battery", f"{__name__}:OTHER")], "two packages bring a sensor of this name"),
    ],
)
def test_what_is_no_sensor_is_refused(monkeypatch, points, fault):
    with pytest.raises(ConfigError, match=fault):
        found(monkeypatch, *points)


OTHER = replace(SENSOR, description="another one")


@needs_arena
@pytest.mark.parametrize(
    ("place", "fault"),
    [
        ("arena_trees.sensors.battery.simulated:NOTHING", "cannot be loaded from .*: AttributeError"),
        ("arena_trees.sensors.battery.simulated:BatterySensor", "is no arena_trees SimulatedSensor"),
    ],
)
def test_a_simulated_part_that_is_none_is_refused(monkeypatch, place, fault):
    from arena_trees.simulation.sensors import simulated_sensor

    monkeypatch.setattr(simulated_sensor, "sensors", lambda: {"battery": SimpleNamespace(simulated=place)})
    with pytest.raises(ConfigError, match=fault):
        simulated_sensor.simulated_sensors.__wrapped__()
