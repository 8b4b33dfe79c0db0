"""Where the frame of a tracking system lies in ``map``: from three points or more, measured in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.spatial.transform import Rotation

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.yaml_files import load_yaml, validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

__all__ = ["TrackingCalibration", "TrackingParameters", "load_tracking_calibration", "place_and_turn"]

_LEAST_SPREAD = 0.3
"""Metres by which the points must leave a straight line: a smaller triangle turns the arena by its own errors."""
_LARGEST_ERROR = 0.05

Triple = Annotated[list[float], Field(min_length=3, max_length=3)]


class _Point(Parameters):
    """One point of the floor, or above it, measured in both frames."""

    tracked: Triple = parameter(..., "the point in the tracking system's frame", "m")
    map: Triple = parameter(..., "the same point in the map frame; z is the height above the floor", "m")


class _Mount(Parameters):
    """Where what is tracked of a robot sits on it."""

    x: float = parameter(0.0, "of the tracked frame's origin, base_link", "m", ge=-1, le=1)
    y: float = parameter(0.0, "the same, to the left", "m", ge=-1, le=1)
    yaw_deg: float = parameter(0.0, "of the tracked frame's x axis, base_link", "deg", ge=-360, le=360)


class TrackingParameters(Parameters):
    """A tracking system, as a calibration file describes it."""

    points: list[_Point] = Field(
        default_factory=list, description="three or more that are not in a line; none where the frame is map itself"
    )
    mounts: dict[str, _Mount] = Field(default_factory=dict, description="robot to where its tracked frame sits")
    sigma: float = parameter(0.005, "standard deviation of a position along one axis", "m", ge=0, le=1)
    sigma_deg: float = parameter(0.5, "standard deviation of a heading", "deg", ge=0, le=90)


class TrackingCalibration:
    """Turns poses of a tracking system into poses of base_link in the map frame.

    The rotation is the one of W. Kabsch, A solution for the best rotation to relate two sets of vectors, 1976, as scipy
    has it; so the system's axes may lie as they like, y up, for one.

    Attributes:
        error: RMS distance of the calibration's points from where they should be, m
        sigma: standard deviation of a position along one axis, m: the system's and the calibration's
        sigma_yaw: standard deviation of a heading, rad

    Args:
        parameters: of the system
        source: named in errors

    Raises:
        ConfigError: the points are too few, in a line, or do not fit
    """

    def __init__(self, parameters: TrackingParameters, source: str | Path = "") -> None:
        self._mounts = {
            name: Pose2D(mount.x, mount.y, math.radians(mount.yaw_deg)) for name, mount in parameters.mounts.items()
        }
        self._turn, self._shift, self.error = Rotation.identity(), np.zeros(3), 0.0
        if parameters.points:
            tracked, mapped = (np.array([getattr(p, key) for p in parameters.points]) for key in ("tracked", "map"))
            self._fit(tracked, mapped, source)
        self.sigma = math.hypot(parameters.sigma, self.error)
        self.sigma_yaw = math.radians(parameters.sigma_deg)

    def _fit(self, tracked: NDArray[np.float64], mapped: NDArray[np.float64], source: str | Path) -> None:
        for key, points in (("tracked", tracked), ("map", mapped)):
            if len(points) < 3 or _spread(points) < _LEAST_SPREAD:
                reason = f"needs three points that leave a straight line by {_LEAST_SPREAD:g} m"
                raise ConfigError(reason, file=source, key=f"points.*.{key}", value=points.tolist())
        self._turn, _ = Rotation.align_vectors(mapped - mapped.mean(axis=0), tracked - tracked.mean(axis=0))
        self._shift = mapped.mean(axis=0) - self._turn.apply(tracked.mean(axis=0))
        misses = np.linalg.norm(self._turn.apply(tracked) + self._shift - mapped, axis=1)
        self.error = float(np.sqrt(np.mean(misses**2)))
        if self.error > _LARGEST_ERROR:
            worst = int(np.argmax(misses))
            reason = f"misses the map by {misses[worst]:.2f} m: the two sets of points are not the same triangle"
            raise ConfigError(reason, file=source, key=f"points.{worst}", value=mapped[worst].tolist())

    def pose(self, robot: str, position: Sequence[float], quaternion: Sequence[float]) -> Pose2D:
        """Return the pose of a robot's base_link in the map frame.

        Args:
            robot: its name
            position: of the tracked frame, x, y and z in the system's frame, m
            quaternion: of the tracked frame in the system's, x, y, z and w

        Raises:
            ValueError: a number is not finite, or the quaternion is zero
        """
        if not all(map(math.isfinite, (*position, *quaternion))):
            raise ValueError("not finite")
        if not any(quaternion):
            raise ValueError("no rotation")
        x, y, _ = self._turn.apply(position) + self._shift
        ahead = self._turn.apply(Rotation.from_quat(quaternion).apply((1.0, 0.0, 0.0)))
        tracked = Pose2D(float(x), float(y), math.atan2(ahead[1], ahead[0]))
        mount = self._mounts.get(robot)
        return tracked if mount is None else tracked.compose(mount.relative(Pose2D()))


def load_tracking_calibration(path: Path) -> TrackingCalibration:
    """Return the calibration that a YAML file holds.

    Raises:
        ConfigError: the file is none
    """
    values: Any = load_yaml(path)
    return TrackingCalibration(validate(TrackingParameters, values, path, ""), path)


def _spread(points: NDArray[np.float64]) -> float:
    """Return by how much points leave the straight line that fits them best, m."""
    _, scales, _ = np.linalg.svd(points - points.mean(axis=0))
    return float(scales[1])


def place_and_turn(message: Any) -> tuple[Any, Any]:
    """Return position and quaternion of a stamped pose, an odometry or a stamped transform, of ROS or of a bag."""
    if hasattr(message, "transform"):
        return message.transform.translation, message.transform.rotation
    pose = getattr(message.pose, "pose", message.pose)
    return pose.position, pose.orientation
