"""Finds sensors: those of this package and those that other packages bring, by entry points alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

from arena_trees.robot.entry_points import loaded
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.sensor import Sensor

__all__ = ["GROUP", "carried_topics", "sensors"]

GROUP = "arena_trees.sensors"
"""Entry points of sensors: ``key = "package.module:SENSOR"``."""


@lru_cache(maxsize=1)
def sensors() -> Mapping[str, Sensor]:
    """Return every sensor by its key, in the order of the keys.

    Raises:
        ConfigError: there is none, or one cannot be imported, is none, or has a key that is not its own
    """
    found: dict[str, Sensor] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        sensor = loaded(entry, "sensor")
        if not isinstance(sensor, Sensor):
            raise ConfigError("is no arena_trees Sensor", key="sensor", value=entry.value)
        if sensor.key != entry.name or not sensor.key.isidentifier():
            raise ConfigError(f"calls itself {sensor.key!r}", key="sensor", value=entry.name)
        if sensor.key in found and found[sensor.key] is not sensor:
            raise ConfigError("two packages bring a sensor of this name", key="sensor", value=entry.name)
        found[sensor.key] = sensor
    if not found:
        raise ConfigError("none is found: install arena_trees anew, for its entry points are missing", key="sensors")
    return MappingProxyType(found)


def carried_topics(body: Any) -> tuple[str, ...]:
    """Return the topics of the sensors that a robot of a body (:class:`~arena_trees.world.body.Body`) carries."""
    carried = (sensor for sensor in sensors().values() if sensor.carried(body) and not sensor.by_role)
    return tuple(topic.topic for sensor in carried for topic in sensor.ros.topics(body))
