"""A pose and how well it is known: carried on by odometry, corrected by what is measured (extended Kalman filter)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["MotionNoise", "PoseEkf"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MotionNoise:
    """Random walks of odometry: standard deviations that grow with the square root of the way.

    Attributes:
        along: of the distance in one metre driven, m
        across: of the place across in one metre driven, m
        yaw_driven: of the yaw in one metre driven, rad
        yaw_turned: of the yaw in one radian turned, rad
    """

    along: float = 0.02
    across: float = 0.005
    yaw_driven: float = 0.012
    yaw_turned: float = 0.02


class PoseEkf:
    """Keeps x, y and yaw of a robot in a fixed frame and their covariance.

    A measurement may be of an earlier pose, ``at``: that pose as the filter has it now, moved back by odometry. What
    the error of the yaw does to its place is taken into account; what odometry lost in between is not.

    Args:
        pose: at first
        sigmas: standard deviations of x (m), y (m) and yaw (rad), all above 0
        noise: of the odometry

    Raises:
        ValueError: a number is not finite, or a standard deviation is not above 0
    """

    def __init__(self, pose: Pose2D, sigmas: Sequence[float], noise: MotionNoise | None = None) -> None:
        if len(sigmas) != 3 or not all(0.0 < sigma < math.inf for sigma in sigmas):
            raise ValueError(f"three standard deviations above 0 are needed, not {sigmas}")
        _check(pose.x, pose.y, pose.yaw)
        self._pose = pose
        self._covariance: Matrix = np.diag(np.square(np.asarray(sigmas, np.float64)))
        self._noise = noise or MotionNoise()

    @property
    def pose(self) -> Pose2D:
        """The most likely pose."""
        return self._pose

    @property
    def covariance(self) -> Matrix:
        """Of x (m), y (m) and yaw (rad), shape (3, 3), symmetric and positive."""
        return self._covariance.copy()

    @property
    def sigmas(self) -> tuple[float, float, float]:
        """Standard deviations along the robot's heading (m), across it (m) and of the yaw (rad)."""
        turn = _turn(self._pose.yaw)
        rotated = turn.T @ self._covariance @ turn
        along, across, yaw = np.sqrt(np.diag(rotated)).tolist()
        return along, across, yaw

    def move(self, motion: Pose2D) -> None:
        """Carry the pose on.

        Args:
            motion: from the pose before to the pose now, in the robot's frame before, as odometry has it

        Raises:
            ValueError: it is not finite
        """
        _check(motion.x, motion.y, motion.yaw)
        after = self._pose.compose(motion)
        noise, driven = self._noise, math.hypot(motion.x, motion.y)
        walk = np.diag(
            [
                noise.along**2 * driven,
                noise.across**2 * driven,
                noise.yaw_driven**2 * driven + noise.yaw_turned**2 * abs(motion.yaw),
            ]
        )
        # An error of the yaw moves the new place about the old one.
        lever, turn = self._lever(after), _turn(self._pose.yaw + motion.yaw / 2.0)
        self._set(lever @ self._covariance @ lever.T + turn @ walk @ turn.T)
        self._pose = after

    def widen(self, place: float, yaw: float) -> None:
        """Be less certain, by standard deviations of the place (m) and the yaw (rad).

        Raises:
            ValueError: one is not finite
        """
        _check(place, yaw)
        self._set(self._covariance + np.diag([place**2, place**2, yaw**2]))

    def measure(
        self,
        residual: float,
        jacobian: Sequence[float],
        sigma: float,
        at: Pose2D | None = None,
        gate: float = math.inf,
    ) -> bool:
        """Take in one measured number, and return whether it was believed.

        Args:
            residual: measured less expected
            jacobian: how the expected number changes with x, y and yaw of the pose it was measured from
            sigma: standard deviation of the measurement, above 0
            at: the pose it was measured from; None for the pose now
            gate: standard deviations beyond which it is not believed

        Raises:
            ValueError: a number is not finite, the standard deviation not above 0, or the jacobian 0
        """
        _check(residual, sigma, *jacobian)
        if sigma <= 0.0 or not any(jacobian):
            raise ValueError("a measurement needs a standard deviation above 0, and to change with the pose")
        row = np.asarray(jacobian, np.float64)
        return self.match(row * residual / (row @ row), np.outer(row, row) / sigma**2, at, gate)

    def match(
        self,
        correction: Sequence[float] | Matrix,
        information: Matrix,
        at: Pose2D | None = None,
        gate: float = math.inf,
    ) -> bool:
        """Take in a measured pose of which parts may be unknown, and return whether it was believed.

        Args:
            correction: measured less expected x (m), y (m) and yaw (rad); of no matter where there is no information
            information: inverse of the measurement's covariance, shape (3, 3), symmetric; singular where something is
                not known
            at: the expected pose; None for the pose now
            gate: standard deviations beyond which it is not believed

        Raises:
            ValueError: a number is not finite
        """
        known, off = np.asarray(information, np.float64), np.asarray(correction, np.float64)
        _check(*known.ravel().tolist(), *off.tolist())
        covariance, lever = self._covariance, self._lever(self._pose if at is None else at)
        inside = lever @ covariance @ lever.T
        # (1 + A P)^-1 A is (A^-1 + P)^-1 where A can be inverted, and good where it cannot.
        weight = np.linalg.solve(np.eye(3) + known @ inside, known)
        if float(off @ weight @ off) > gate**2:
            return False
        gain = covariance @ lever.T @ weight
        x, y, yaw = (gain @ off).tolist()
        self._pose = Pose2D(self._pose.x + x, self._pose.y + y, wrap(self._pose.yaw + yaw))
        self._set(covariance - gain @ lever @ covariance)
        return True

    def _lever(self, at: Pose2D) -> Matrix:
        """Return how another pose, fixed to the robot's, changes with the robot's, shape (3, 3)."""
        lever: Matrix = np.eye(3)
        lever[0, 2] = self._pose.y - at.y
        lever[1, 2] = at.x - self._pose.x
        return lever

    def _set(self, covariance: Matrix) -> None:
        self._covariance = (covariance + covariance.T) / 2.0


def _turn(yaw: float) -> Matrix:
    """Return what takes (along, across, yaw) of a robot to (x, y, yaw), shape (3, 3)."""
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def _check(*numbers: float) -> None:
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is not finite")
