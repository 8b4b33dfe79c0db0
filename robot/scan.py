"""Laser scans: the message as drivers publish it, and the percept that behaviours and the gate use."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena_trees.robot.errors import ScanError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.sensor import RefusedReadingError
from arena_trees.robot.stamped import Stamped, stamps

__all__ = ["ALL_ROUND", "MAXIMUM_BEAMS", "FieldOfView", "LaserScan", "Scan"]

MAXIMUM_BEAMS = 10_000
"""A message with more beams than this is refused before anything is allocated."""

_NO_MOUNT = Pose2D()

_GAP = math.radians(5.0)
"""A LiDAR that leaves out no more than this, or a beam and a half, looks all round."""


@quick_init
@dataclass(frozen=True, slots=True)
class FieldOfView:
    """The directions in which a LiDAR has beams, whether they return or not.

    Attributes:
        x: of the sensor, base_link, m
        y: of the sensor, base_link, m
        begin: bearing of the first direction, base_link, rad
        width: how far the view goes counter-clockwise from there, rad; a whole turn for one that looks all round
    """

    x: float = 0.0
    y: float = 0.0
    begin: float = -math.pi
    width: float = math.tau

    @property
    def all_round(self) -> bool:
        """Whether no direction is unseen."""
        return self.width >= math.tau

    def contains(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points (m, base_link at the time of the scan, shape (k,)) lie in a direction that is seen."""
        if self.all_round:
            return np.ones(np.shape(x), dtype=np.bool_)
        bearing = np.arctan2(y - self.y, x - self.x)
        return np.asarray((bearing - self.begin) % math.tau <= self.width)

    @classmethod
    def of(cls, laser: LaserScan) -> FieldOfView:
        """Return the view of a message; each beam stands for the directions up to half way to its neighbours."""
        step = abs(laser.angle_increment)
        width = len(laser.ranges) * step
        if math.tau - width <= max(_GAP, 1.5 * step):
            return cls(laser.mount.x, laser.mount.y)
        first = laser.angle_min + min(0.0, (len(laser.ranges) - 1) * laser.angle_increment)
        return cls(laser.mount.x, laser.mount.y, wrap(laser.mount.yaw + first - 0.5 * step), width)


ALL_ROUND = FieldOfView()
"""A view that leaves out nothing."""


@quick_init
@dataclass(frozen=True, slots=True)
class LaserScan(Stamped):
    """A laser scan as ``sensor_msgs/LaserScan`` carries it, plus where the sensor is mounted.

    Attributes:
        ranges: beam lengths (m), shape (n,), any code for "no return"
        angle_min: angle of beam 0 in the sensor's frame, rad
        angle_max: angle of the last beam, rad
        angle_increment: angle from beam to beam, rad; negative for a sensor mounted upside down
        range_min: shortest range the sensor can measure, m
        range_max: longest range the sensor can measure, m
        mount: pose of the sensor in base_link; a TurtleBot4's LiDAR is yawed by +90 degrees
    """

    ranges: NDArray[np.float32]
    angle_min: float
    angle_max: float
    angle_increment: float
    range_min: float
    range_max: float
    mount: Pose2D = _NO_MOUNT

    @classmethod
    def from_ranges(
        cls,
        ranges: ArrayLike,
        stamp: int,
        *,
        angle_min: float,
        angle_increment: float,
        range_min: float,
        range_max: float,
        mount: Pose2D = _NO_MOUNT,
        arrival: int | None = None,
        sequence: int | None = None,
    ) -> LaserScan:
        """Return a scan of beam lengths as an array or a list has them.

        NaN, infinity, 0.0 and whatever lies outside the sensor's limits are beams without a return. Angles, limits and
        mount must be finite.

        Args:
            ranges: beam lengths, m, shape (n,), n from 1 to 10 000
            stamp: when the revolution was measured, ns of the robot's clock
            angle_min: angle of beam 0 in the sensor's frame, rad, counter-clockwise positive
            angle_increment: angle from beam to beam, rad; negative for a sensor mounted upside down
            range_min: shortest range that the sensor can measure, m
            range_max: longest range that the sensor can measure, m
            mount: pose of the sensor in base_link
            arrival: when it came, ns of the robot's clock; the stamp where not given
            sequence: number in its stream; the arrival, which grows as well, where not given

        Raises:
            ScanError: ranges are negative or not of shape (n,), or a number contradicts the others or is not finite
        """
        try:
            values = np.array(ranges, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ScanError(f"scan's ranges are no numbers: {error}") from error
        if values.ndim != 1:
            raise ScanError(f"scan's ranges have shape {values.shape}, not (n,)")
        values.flags.writeable = False
        angle_max = angle_min + (values.size - 1) * angle_increment
        times = stamps(stamp, arrival, sequence)
        laser = cls(*times, values, angle_min, angle_max, angle_increment, range_min, range_max, mount)
        _checked_ranges(laser)
        return laser


@quick_init
@dataclass(frozen=True, slots=True)
class Scan(Stamped):
    """One revolution of the LiDAR as points in base_link.

    No return (inf, NaN, 0.0, below the minimum, at or above the maximum) is "nothing near" in
    that ray, so such rays have no point. Arrays are read-only and of the same length.

    Attributes:
        x: points' x in base_link, m, shape (k,)
        y: points' y in base_link, m, shape (k,)
        bearing: points' bearing from base_link's origin, rad in [-pi, pi], shape (k,)
        distance: points' distance from base_link's origin, m, shape (k,)
        beams: beams in the message, with or without a return
        newest_return: arrival (ns) of the newest scan with at least one return; a scan without any does not
            renew the scan's age
        view: the directions that were looked at; what lies elsewhere is unseen, not free
    """

    x: NDArray[np.float64] = field(repr=False)
    y: NDArray[np.float64] = field(repr=False)
    bearing: NDArray[np.float64] = field(repr=False)
    distance: NDArray[np.float64] = field(repr=False)
    beams: int
    newest_return: int
    view: FieldOfView = field(default=ALL_ROUND, repr=False)

    @classmethod
    def from_laser(cls, laser: LaserScan, previous: Scan | None = None) -> Scan:
        """Convert a message.

        Args:
            laser: the message
            previous: the scan before, from which a scan without a return takes its age

        Raises:
            ScanError: the message contradicts itself (angles, length, limits) or has negative ranges
        """
        ranges = _checked_ranges(laser)
        with np.errstate(invalid="ignore"):
            valid = np.isfinite(ranges) & (ranges > 0.0) & (ranges >= laser.range_min) & (ranges < laser.range_max)
        index = np.flatnonzero(valid)
        r = ranges[index]
        angle = laser.mount.yaw + laser.angle_min + index * laser.angle_increment
        x = laser.mount.x + r * np.cos(angle)
        y = laser.mount.y + r * np.sin(angle)
        arrays = (x, y, np.arctan2(y, x), np.hypot(x, y))
        for array in arrays:
            array.flags.writeable = False
        if index.size:
            newest = laser.arrival
        else:
            newest = previous.newest_return if previous is not None else -1
        view = FieldOfView.of(laser)
        return cls(
            laser.stamp, laser.arrival, laser.sequence, *arrays, beams=ranges.size, newest_return=newest, view=view
        )  # fmt: skip

    @classmethod
    def checked(cls, laser: LaserScan, previous: Scan | None) -> Scan:
        """Convert a message that anybody may have sent, after the scan before it.

        Raises:
            RefusedReadingError: the message contradicts itself
        """
        if previous is not None and previous.newest_return > laser.arrival:
            # The clock went back; a return of that other time is no evidence now.
            previous = None
        try:
            return cls.from_laser(laser, previous)
        except (ValueError, TypeError) as error:
            raise RefusedReadingError("malformed") from error

    def return_age(self, now: int) -> int | None:
        """Return the age (ns) of the newest scan that had a return, or None if none ever had."""
        return None if self.newest_return < 0 else now - self.newest_return

    def __str__(self) -> str:
        nearest = f", nearest {self.distance.min():.2f} m" if self.distance.size else ""
        return f"{self.distance.size} of {self.beams} beams{nearest}"


def _checked_ranges(laser: LaserScan) -> NDArray[np.float64]:
    count = len(laser.ranges)
    if not 1 <= count <= MAXIMUM_BEAMS:
        raise ScanError(f"scan has {count} beams; 1 to {MAXIMUM_BEAMS} are accepted")
    numbers = (laser.angle_min, laser.angle_max, laser.angle_increment, laser.range_min, laser.range_max)
    if not all(map(math.isfinite, numbers)):
        raise ScanError(f"scan has an angle or limit that is not finite: {numbers}")
    if not laser.mount.is_finite:
        raise ScanError(f"scan's mount is not finite: {laser.mount}")
    if laser.angle_increment == 0.0:
        raise ScanError("scan's angle_increment is 0")
    if not 0.0 <= laser.range_min < laser.range_max:
        raise ScanError(f"scan's limits are not 0 <= {laser.range_min} < {laser.range_max}")
    expected = (laser.angle_max - laser.angle_min) / laser.angle_increment + 1.0
    # Drivers disagree on whether angle_max is the last beam or one past it; both are healthy.
    if abs(expected - count) > 1.5:
        raise ScanError(f"scan has {count} beams where its angles say {expected:.0f}")
    ranges = np.asarray(laser.ranges, dtype=np.float64)
    if ranges.ndim != 1:
        raise ScanError(f"scan's ranges have shape {ranges.shape}, not (n,)")
    if bool((ranges < 0.0).any()):
        raise ScanError("scan has negative ranges")
    return ranges
