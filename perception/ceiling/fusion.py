"""One pose of each robot from what several cameras saw of it, and who contradicts whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.ceiling.location import Location
from arena_trees.perception.ceiling.parameters import CeilingParameters
from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["CeilingDisagreement", "CeilingPose", "RobotSighting", "fuse_sightings"]

_SECOND = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class RobotSighting:
    """A robot in one image.

    Attributes:
        robot: its name
        camera: name of the camera
        stamp: of the image, ns
        location: where it is by that image
    """

    robot: str
    camera: str
    stamp: int
    location: Location


@dataclass(frozen=True, slots=True, eq=False)
class CeilingPose:
    """Where a robot is by the ceiling.

    Attributes:
        robot: its name
        stamp: of the newest image that it was seen in, ns
        pose: of base_link, map frame
        covariance: of x, y (m) and yaw (rad), shape (3, 3)
        cameras: names of those that agree on it
    """

    robot: str
    stamp: int
    pose: Pose2D
    covariance: NDArray[np.float64]
    cameras: tuple[str, ...]

    @property
    def position_sd(self) -> float:
        """Standard deviation of the place along its worst direction, m."""
        return math.sqrt(float(np.linalg.eigvalsh(self.covariance[:2, :2])[-1]))

    @property
    def yaw_sd(self) -> float:
        """Standard deviation of the heading, rad."""
        return math.sqrt(float(self.covariance[2, 2]))


@dataclass(frozen=True, slots=True)
class CeilingDisagreement:
    """Two cameras that saw a robot at different places.

    Attributes:
        robot: its name
        cameras: names of the two
        distance: between the places, m
        angle: between the headings, rad
        deviations: how many standard deviations the two poses are apart (Mahalanobis distance)
    """

    robot: str
    cameras: tuple[str, str]
    distance: float
    angle: float
    deviations: float

    def __str__(self) -> str:
        first, second = self.cameras
        return (
            f"{self.robot}: {first} and {second} are {self.distance:.3f} m and {math.degrees(self.angle):.1f} deg "
            f"apart, {self.deviations:.0f} standard deviations"
        )


def fuse_sightings(
    sightings: Sequence[RobotSighting], parameters: CeilingParameters
) -> tuple[CeilingPose | None, list[CeilingDisagreement]]:
    """Return the pose of one robot, and the pairs of cameras that contradict each other.

    Sightings that agree are weighted by their inverse covariances. An earlier image's covariance grows by how far the
    robot may have gone since, and an image that is too old is left out. Where cameras contradict each other the largest
    group that agrees is believed; where two groups are as large none is, and there is no pose.

    Args:
        sightings: of one robot, at most one a camera
        parameters: what counts as a contradiction, and how fast robots are
    """
    if not sightings:
        return None, []
    newest = max(one.stamp for one in sightings)
    fresh = [one for one in sightings if (newest - one.stamp) / _SECOND <= parameters.max_age_s]
    grown = [_grown(one, newest, parameters) for one in fresh]
    apart = {(i, j): _apart(fresh[i], fresh[j], grown[i] + grown[j]) for i, j in combinations(range(len(fresh)), 2)}
    against = {pair: one for pair, one in apart.items() if one.deviations > parameters.disagreement}
    group = _largest_group(len(fresh), set(against))
    if group is None:
        return None, list(against.values())
    return _fused(newest, [(fresh[index], grown[index]) for index in group]), list(against.values())


def _grown(sighting: RobotSighting, newest: int, parameters: CeilingParameters) -> NDArray[np.float64]:
    """Return a sighting's own covariance at the newest stamp."""
    age = (newest - sighting.stamp) / _SECOND
    way, turn = age * parameters.max_speed, age * parameters.max_yaw_rate
    grown: NDArray[np.float64] = sighting.location.own + np.diag([way, way, turn]) ** 2
    return grown


def _apart(first: RobotSighting, second: RobotSighting, covariance: NDArray[np.float64]) -> CeilingDisagreement:
    difference = _difference(second.location.pose, first.location.pose)
    deviations = math.sqrt(max(0.0, float(difference @ np.linalg.solve(covariance, difference))))
    distance, angle = math.hypot(difference[0], difference[1]), abs(float(difference[2]))
    return CeilingDisagreement(first.robot, (first.camera, second.camera), distance, angle, deviations)


def _difference(pose: Pose2D, base: Pose2D) -> NDArray[np.float64]:
    return np.array([pose.x - base.x, pose.y - base.y, wrap(pose.yaw - base.yaw)])


def _largest_group(count: int, against: set[tuple[int, int]]) -> tuple[int, ...] | None:
    """Return the largest group of numbers below ``count`` without a pair of ``against``; None if two are as large."""
    for size in range(count, 0, -1):
        groups = [one for one in combinations(range(count), size) if not against.intersection(combinations(one, 2))]
        if groups:
            return groups[0] if len(groups) == 1 else None
    return None


def _fused(newest: int, group: Sequence[tuple[RobotSighting, NDArray[np.float64]]]) -> CeilingPose:
    """Return the mean weighted by inverse covariances; what all share is added to its covariance afterwards."""
    first = group[0][0]
    base = first.location.pose
    weights = [np.linalg.inv(own) for _, own in group]
    covariance = np.linalg.inv(np.sum(weights, axis=0))
    pulls = [weight @ _difference(one.location.pose, base) for weight, (one, _) in zip(weights, group, strict=True)]
    x, y, yaw = (covariance @ np.sum(pulls, axis=0)).tolist()
    shared = np.mean([one.location.shared for one, _ in group], axis=0)
    pose = Pose2D(base.x + x, base.y + y, wrap(base.yaw + yaw))
    return CeilingPose(first.robot, newest, pose, covariance + shared, tuple(one.camera for one, _ in group))
