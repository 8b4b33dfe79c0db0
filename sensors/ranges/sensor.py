"""Ranges: single-beam distance sensors, such as time-of-flight or ultrasonic ones, as one sensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.sensor import RefusedReadingError, RosTopic, Sensor, Times
from arena_trees.robot.stamped import Stamped

__all__ = ["SENSOR", "RangeReading", "RangeRound", "Ranges", "range_frame", "range_topic"]

_INFRARED = 1
"""``sensor_msgs/Range.INFRARED``."""


@dataclass(frozen=True, slots=True)
class RangeReading:
    """One beam of one sensor.

    Attributes:
        name: of the sensor, such as ``front_left``
        mount: where the beam begins and whither it looks, base_link
        distance: from the mount to what it hits, m; ``inf`` where nothing is within its reach
        limit: greatest distance that it measures, m
    """

    name: str
    mount: Pose2D
    distance: float
    limit: float

    @property
    def hit(self) -> tuple[float, float] | None:
        """The point that the beam hits, (x, y) in base_link, m; None where it hits nothing."""
        if not math.isfinite(self.distance):
            return None
        return (
            self.mount.x + self.distance * math.cos(self.mount.yaw),
            self.mount.y + self.distance * math.sin(self.mount.yaw),
        )


@dataclass(frozen=True, slots=True)
class Ranges(Stamped):
    """The newest reading of every single-beam sensor of a robot, in the order of its mounts.

    Unlike a :class:`~arena_trees.robot.scan.Scan`, readings without an echo are as good as any: no echo means that
    nothing is within reach of that beam. The age is that of the oldest reading.
    """

    readings: tuple[RangeReading, ...]

    def __getitem__(self, name: str) -> RangeReading:
        """Return the reading of a sensor.

        Raises:
            KeyError: there is no such sensor
        """
        for reading in self.readings:
            if reading.name == name:
                return reading
        raise KeyError(name)

    def __str__(self) -> str:
        return ", ".join(f"{one.name} {one.distance:.2f} m" for one in self.readings) or "none"


class RangeRound:
    """Makes new ranges of the newest readings, once each sensor has sent one since the last ones were made.

    So a sensor that is silent holds all of them back: they grow old, as they do where all are silent.

    Args:
        sensors: names of the robot's sensors, in the order of its mounts
    """

    def __init__(self, sensors: Iterable[str]) -> None:
        self._sensors = tuple(sensors)
        self._newest: dict[str, Ranges] = {}
        self._sequence = 0

    def add(self, one: Ranges) -> Ranges | None:
        """Take in ranges of one sensor; return those of all of them once the round is complete.

        Their stamp is that of the oldest reading, and they have arrived when the last one did.
        """
        self._newest[one.readings[0].name] = one
        if len(self._newest) < len(self._sensors):
            return None
        newest, self._newest = [self._newest[name] for name in self._sensors], {}
        self._sequence += 1
        return Ranges(
            min(each.stamp for each in newest),
            max(each.arrival for each in newest),
            self._sequence,
            tuple(each.readings[0] for each in newest),
        )


def range_topic(sensor: str) -> str:
    """Return where the readings of a single-beam sensor are, below the robot's namespace."""
    return f"ranges/{sensor}"


def range_frame(sensor: str) -> str:
    """Return the frame of a single-beam sensor, along whose x axis it measures."""
    return f"range_{sensor}"


def ranges_of_one(message: Any, times: Times, sensor: str, mount: Pose2D) -> Ranges:
    """Return the reading in a ``sensor_msgs/Range`` of a sensor that is mounted there in base_link.

    Beyond its reach there is no echo. Minus infinity is something too near to be measured [REP-117].
    """
    distance, limit = message.range, message.max_range
    distance = 0.0 if distance == -math.inf else math.inf if distance > limit else distance
    return Ranges(*times, (RangeReading(sensor, mount, distance, limit),))


def _fields(ranges: Ranges, sensor: str) -> dict[str, Any]:
    """Return a reading as a ``sensor_msgs/Range`` of an infrared sensor with a thin beam; no echo is infinity."""
    one = ranges[sensor]
    return {"radiation_type": _INFRARED, "max_range": one.limit, "range": one.distance}


class _Beams:
    """A topic of each range sensor of a body; where a sensor sits is known from the body, and not from its frame."""

    types: Mapping[str, str] = MappingProxyType({"sensor_msgs/msg/Range": ""})

    def topics(self, body: Any) -> Sequence[RosTopic]:
        """Return the topics of a body."""
        return tuple(self._topic(mount.name, mount.pose) for mount in body.ranges)

    def joiner(self, body: Any) -> Callable[[Ranges], Ranges | None]:
        """Return what makes ranges of single readings."""
        return RangeRound(mount.name for mount in body.ranges).add

    @staticmethod
    def _topic(name: str, place: Pose2D) -> RosTopic:
        return RosTopic(
            topic=range_topic(name),
            type="sensor_msgs/msg/Range",
            reading=partial(ranges_of_one, sensor=name, mount=place),
            fields=partial(_fields, sensor=name),
            frame=range_frame(name),
            mount=lambda ranges: ranges[name].mount,
        )


def check(ranges: Ranges, before: Ranges | None = None) -> Ranges:
    """Return the ranges.

    Raises:
        RefusedReadingError: a distance is NaN or negative, or a mount or a limit is not finite
    """
    for reading in ranges.readings:
        if math.isnan(reading.distance) or not (reading.mount.is_finite and math.isfinite(reading.limit)):
            raise RefusedReadingError("not finite")
        if reading.distance < 0.0 or reading.limit <= 0.0:
            raise RefusedReadingError("out of range")
    return ranges


SENSOR = Sensor(
    key="ranges",
    description="the range sensors that its body has",
    reading=Ranges,
    check=check,
    carried=lambda body: bool(body.ranges),
    stale_s=0.5,
    ros=_Beams(),
    simulated="arena_trees.sensors.ranges.simulated:SIMULATED",
    always_counted=True,
)
