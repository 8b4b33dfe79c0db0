"""The percepts: what a robot knows at one instant, as frozen values that know their age.

Frames follow REP-105: ``odom`` is continuous and drifts, ``map`` may jump, ``base_link`` is the robot.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.keys import FIELDS, NOW, percept_keys
from arena_trees.robot.messaging.inbox import EMPTY, Inbox
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.scan import LaserScan, Scan
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.stamped import Stamped, check_finite, stamps

__all__ = [
    "BUMPER_ZONES",
    "Bumpers",
    "Cue",
    "FenceStatus",
    "GeofenceReport",
    "Odometry",
    "Percepts",
    "PoseEstimate",
    "Readings",
    "Stamped",
    "Target",
    "Tracking",
    "sequence_names",
]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@quick_init
@dataclass(frozen=True, slots=True)
class Odometry(Stamped):
    """Dead reckoning of the base: pose in the odom frame, twist in base_link."""

    pose: Pose2D
    twist: Twist2D

    @classmethod
    def from_values(
        cls,
        stamp: int,
        *,
        x: float,
        y: float,
        yaw: float,
        linear: float,
        angular: float,
        arrival: int | None = None,
        sequence: int | None = None,
    ) -> Odometry:
        """Return odometry of plain numbers.

        Args:
            stamp: when it was measured, ns of the robot's clock
            x: of base_link in the odom frame, m
            y: of base_link in the odom frame, m
            yaw: of base_link in the odom frame, rad, counter-clockwise positive
            linear: forward speed, base_link, m/s
            angular: yaw rate, base_link, rad/s, counter-clockwise positive
            arrival: when it came, ns of the robot's clock; the stamp where not given
            sequence: number in its stream; the arrival, which grows as well, where not given

        Raises:
            ConfigError: a number is NaN or infinite
        """
        check_finite("Odometry", x=x, y=y, yaw=yaw, linear=linear, angular=angular)
        return cls(*stamps(stamp, arrival, sequence), Pose2D(x, y, yaw), Twist2D(linear, angular))

    def __str__(self) -> str:
        return f"{self.pose} {self.twist}"


@quick_init
@dataclass(frozen=True, slots=True)
class PoseEstimate(Stamped):
    """Localisation: the pose of base_link in the map frame, from tf."""

    pose: Pose2D

    @classmethod
    def from_values(
        cls, stamp: int, *, x: float, y: float, yaw: float, arrival: int | None = None, sequence: int | None = None
    ) -> PoseEstimate:
        """Return a pose of plain numbers.

        Args:
            stamp: when the robot was there, ns of the robot's clock
            x: of base_link in the map frame, m
            y: of base_link in the map frame, m
            yaw: of base_link in the map frame, rad, counter-clockwise positive
            arrival: when it came, ns of the robot's clock; the stamp where not given
            sequence: number in its stream; the arrival, which grows as well, where not given

        Raises:
            ConfigError: a number is NaN or infinite
        """
        check_finite("PoseEstimate", x=x, y=y, yaw=yaw)
        return cls(*stamps(stamp, arrival, sequence), Pose2D(x, y, yaw))

    def __str__(self) -> str:
        return str(self.pose)


class FenceStatus(enum.Enum):
    """Where a robot is with respect to its fence polygon."""

    SAFE = "SAFE"
    WARNING = "WARNING"
    BREACH = "BREACH"
    UNKNOWN = "UNKNOWN"
    """No usable pose; to be treated as outside."""


@quick_init
@dataclass(frozen=True, slots=True)
class GeofenceReport(Stamped):
    """The geofence supervisor's verdict on one robot, in the map frame.

    Attributes:
        zone: name of the robot's polygon
        status: SAFE, WARNING, BREACH or UNKNOWN
        distance: to the boundary, m, positive inside and negative outside
        warning_distance: width of the warning band when this was judged, m
        way_inside: (x, y) of a point safely inside, the one that is reached soonest
        centroid: (x, y) of the polygon's centroid
    """

    zone: str
    status: FenceStatus
    distance: float
    warning_distance: float
    way_inside: tuple[float, float]
    centroid: tuple[float, float]

    def __str__(self) -> str:
        return f"{self.zone}: {self.status.value} {self.distance:+.2f} m"


BUMPER_ZONES = ("bump_right", "bump_front_right", "bump_front_center", "bump_front_left", "bump_left")
"""Zones of the Create 3's bumper from the right side to the left, 36 degrees each."""


@quick_init
@dataclass(frozen=True, slots=True)
class Bumpers(Stamped):
    """The pressed bumper zones of the Create 3, such as ``bump_front_left``; empty when none is pressed.

    Attributes:
        since: stamp of the first message of a contact that lasts, ns; 0 while nothing is pressed, and in a message
            that no :class:`~arena_trees.perception.percept_filter.PerceptFilter` has taken
    """

    pressed: frozenset[str]
    since: int = 0

    def __str__(self) -> str:
        return ", ".join(sorted(self.pressed)) or "none"


@dataclass(frozen=True, slots=True)
class Cue:
    """A light or sound event for people, such as ``CATCH`` or ``BREACH``."""

    event: str


@quick_init
@dataclass(frozen=True, slots=True)
class Target:
    """What is known of the sign that the robot follows, carried on to this tick.

    Attributes:
        box: newest box of the sign
        stamp: exposure of the image it was in, ns
        seen: arrival of that image, ns
        hits: images in a row with the sign, up to the newest image; 0 when the newest has none
        image_width: of that image, px
        filtered_px: column at the exposure, filtered
        velocity_px: of the column, px/s
        predicted_px: column expected now
        bearing: expected now, rad, left positive, from base_link
        range: between the two robots' axes expected now, m; None where it is not known
        range_sigma: its standard deviation, m
        position: (x, y) in the odom frame where the target was last seen; None without a range or odometry
        confirmed: whether enough images in a row have shown it to believe in it
        in_sight: whether it is confirmed and not lost since
    """

    box: Detection
    stamp: int
    seen: int
    hits: int
    image_width: int
    filtered_px: float
    velocity_px: float
    predicted_px: float
    bearing: float
    range: float | None
    range_sigma: float
    position: tuple[float, float] | None
    confirmed: bool = True
    in_sight: bool = True

    def __str__(self) -> str:
        away = "" if self.range is None else f" {self.range:.2f} m"
        return f"{self.box.label}{away}"


@quick_init
@dataclass(frozen=True, slots=True)
class Tracking:
    """What the chase knew in one tick, for metrics and recordings; pixels of its image.

    Attributes:
        state: sub-state of the chase, such as ``chase`` or ``search``
        raw_px: newest measured column of the target's box
        filtered_px: filter's column at the time of the newest measurement
        velocity_px: filter's velocity, px/s
        predicted_px: column predicted for now, the one that is steered by
        image_width: of the image the columns belong to
        deadband: half-image units within which no turn is commanded
        range: estimated distance to the target's centre, m, or None
    """

    state: str
    raw_px: float
    filtered_px: float
    velocity_px: float
    predicted_px: float
    image_width: int
    deadband: float
    range: float | None = None

    @property
    def error(self) -> float:
        """Predicted error in half-image units, positive to the right."""
        half = self.image_width / 2.0
        return (self.predicted_px - half) / half

    @property
    def in_deadband(self) -> bool:
        """Whether the target is so nearly ahead that no turn is commanded."""
        return abs(self.error) < self.deadband


@quick_init
@dataclass(frozen=True, slots=True)
class Readings:
    """The newest message of each sensor, as a port hands it over; None where none has come.

    ``more`` has those of the sensors that have no attribute here, by their keys, as far as they have come; each can be
    read as an attribute, such as ``readings.turret``, which is None before.
    """

    now: int
    scan: LaserScan | None = None
    odometry: Odometry | None = None
    pose: PoseEstimate | None = None
    bumpers: Bumpers | None = None
    more: Mapping[str, Stamped] = field(default_factory=lambda: _NOTHING)

    def __getattr__(self, key: str) -> Any:
        return _other(self, key)

    def get(self, key: str) -> Any:
        """Return the newest message of the sensor of a key, or None."""
        return getattr(self, key) if key in FIELDS else self.more.get(key)

    def changed(self, key: str, message: Stamped | None) -> Readings:
        """Return the readings with another message of the sensor of a key, or without one."""
        if key in FIELDS:
            changes: dict[str, Any] = {key: message}
            return replace(self, **changes)
        others = {name: reading for name, reading in self.more.items() if name != key}
        return replace(self, more=others if message is None else {**others, key: message})


@quick_init
@dataclass(frozen=True, slots=True)
class Percepts:
    """One consistent, checked snapshot of everything a robot knows; None where nothing has come yet.

    ``more`` has the percepts of the sensors that have no attribute here, by their keys, as far as they have come; each
    can be read as an attribute, such as ``percepts.turret``, which is None before.
    """

    now: int
    scan: Scan | None = None
    odometry: Odometry | None = None
    pose: PoseEstimate | None = None
    geofence: GeofenceReport | None = None
    bumpers: Bumpers | None = None
    inbox: Inbox = EMPTY
    more: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __getattr__(self, key: str) -> Any:
        return _other(self, key)

    def get(self, key: str) -> Any:
        """Return the percept of a key, or None."""
        return getattr(self, key) if key in FIELDS else self.more.get(key)

    def sequences(self) -> tuple[int, ...]:
        """Return the sequence numbers of the percepts that :func:`sequence_names` names; 0 where none has come."""
        own = (self.scan, self.odometry, self.pose, self.geofence, self.bumpers, self.inbox)
        percepts = (*own, *map(self.more.get, sensors()))
        return tuple([0 if percept is None else percept.sequence for percept in percepts])


def _other(snapshot: Readings | Percepts, key: str) -> Any:
    """Return what a snapshot has of a sensor that is no attribute of it.

    Raises:
        AttributeError: there is no such sensor
    """
    # Copies and pickles ask for names of their own before there are any attributes.
    if key not in sensors():
        raise AttributeError(f"{type(snapshot).__name__} has no {key!r}: there is no such sensor")
    return snapshot.more.get(key)


@lru_cache(maxsize=1)
def sequence_names() -> tuple[str, ...]:
    """Return the names of the percepts whose numbers :meth:`Percepts.sequences` returns, in this order.

    They are all but ``now``.
    """
    return tuple(key for key in percept_keys() if key != NOW)
