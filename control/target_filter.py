"""Where a moving target is: an extended Kalman filter of its place and velocity, from bearings and ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import wrap

__all__ = ["Sighting", "TargetEstimate", "TargetFilter"]

Matrix = NDArray[np.float64]

_NEAREST = 0.05
"""m; from nearer than this a bearing says nothing."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A bearing and a range to something, as one image shows them.

    Attributes:
        stamp: exposure of the image, ns
        x: of the camera at that instant, in a fixed frame, m
        y: the same
        azimuth: direction of the target from the camera in that frame, rad
        range: over the floor from the camera to the target's centre, m
        azimuth_sigma: standard deviation of the azimuth, rad
        range_sigma: standard deviation of the range, m
        height: of the target's centre above the floor, m
        height_sigma: its standard deviation, m
    """

    stamp: int
    x: float
    y: float
    azimuth: float
    range: float
    azimuth_sigma: float
    range_sigma: float
    height: float = 0.0
    height_sigma: float = math.inf


@dataclass(frozen=True, slots=True)
class TargetEstimate:
    """Where a target is at an instant, in a fixed frame.

    Attributes:
        stamp: the instant, ns
        x: m
        y: m
        vx: m/s
        vy: m/s
        covariance: of x, y, vx and vy, row by row: ten numbers of the upper triangle
    """

    stamp: int
    x: float
    y: float
    vx: float
    vy: float
    covariance: tuple[float, ...]

    @property
    def sigma(self) -> float:
        """Standard deviation of the place along an axis, the mean of both, m."""
        return math.sqrt(max(0.0, (self.covariance[0] + self.covariance[4]) / 2.0))

    def sigmas_from(self, x: float, y: float) -> tuple[float, float]:
        """Return the standard deviations along (m) and across (rad) the line from a point to the target."""
        dx, dy = self.x - x, self.y - y
        away = max(math.hypot(dx, dy), _NEAREST)
        ux, uy = dx / away, dy / away
        xx, xy, yy = self.covariance[0], self.covariance[1], self.covariance[4]
        along = ux * ux * xx + 2.0 * ux * uy * xy + uy * uy * yy
        across = uy * uy * xx - 2.0 * ux * uy * xy + ux * ux * yy
        return math.sqrt(max(0.0, along)), math.sqrt(max(0.0, across)) / away


class TargetFilter:
    """A constant-velocity model with white acceleration (Bar-Shalom, Li, Kirubarajan 2001, section 6.2.2).

    A target that drives straight on and then turns fits no one acceleration: where sightings surprise the filter (their
    normalised innovation squared, averaged over some), it takes the acceleration to be as much larger.

    Sightings must come in the order of their exposures, as a camera's do. What lies between an exposure and now is
    covered by :meth:`at`, which predicts and changes nothing.

    Args:
        first: sighting with which it begins
        acceleration: spectral density of the target's acceleration, its square root, m/s2 per sqrt(Hz)
        speed_sigma: standard deviation of the target's velocity along each axis at first, m/s

    Raises:
        ValueError: a number is not finite, or a deviation is not above 0
    """

    def __init__(self, first: Sighting, acceleration: float, speed_sigma: float) -> None:
        _check(first)
        if not (0.0 < acceleration < math.inf and 0.0 < speed_sigma < math.inf):
            raise ValueError("acceleration and speed_sigma must be finite and above 0")
        self._acceleration = acceleration
        cosine, sine = math.cos(first.azimuth), math.sin(first.azimuth)
        along, across = first.range_sigma, max(first.range, _NEAREST) * first.azimuth_sigma
        turn = np.array([[cosine, -sine], [sine, cosine]])
        self._state: Matrix = np.array([first.x + first.range * cosine, first.y + first.range * sine, 0.0, 0.0])
        self._covariance: Matrix = np.zeros((4, 4))
        self._covariance[:2, :2] = turn @ np.diag([along**2, across**2]) @ turn.T
        self._covariance[2, 2] = self._covariance[3, 3] = speed_sigma**2
        self._stamp = first.stamp
        self._surprise = 2.0
        self.height = first.height
        self._height_variance = first.height_sigma**2

    @property
    def stamp(self) -> int:
        """Exposure of the newest sighting, ns."""
        return self._stamp

    def at(self, stamp: int) -> TargetEstimate:
        """Return where the target is expected at an instant (ns), not before the newest sighting's."""
        state, covariance = self._predicted(stamp)
        x, y, vx, vy = state.tolist()
        upper = tuple(covariance[np.triu_indices(4)].tolist())
        return TargetEstimate(max(stamp, self._stamp), x, y, vx, vy, upper)

    def likelihood(self, sighting: Sighting) -> tuple[float, float]:
        """Return how far a sighting is from what is expected, and how likely it is.

        Returns:
            the squared Mahalanobis distance (chi-square with two degrees of freedom), and the natural logarithm of the
            density, per radian and metre
        """
        state, covariance = self._predicted(sighting.stamp)
        innovation, _, spread = _innovation(state, covariance, sighting)
        inverse = np.linalg.inv(spread)
        distance = float(innovation @ inverse @ innovation)
        return distance, -0.5 * distance - math.log(math.tau) - 0.5 * math.log(float(np.linalg.det(spread)))

    def update(self, sighting: Sighting) -> None:
        """Take a sighting in.

        Raises:
            ValueError: a number is not finite, a deviation is not above 0, or the sighting is older than the newest
        """
        _check(sighting)
        if sighting.stamp < self._stamp:
            raise ValueError("sightings must come in order")
        dt = to_seconds(sighting.stamp - self._stamp)
        state, covariance = self._predicted(sighting.stamp)
        innovation, jacobian, spread = _innovation(state, covariance, sighting)
        inverse = np.linalg.inv(spread)
        gain = covariance @ jacobian.T @ inverse
        squared = min(_MOST_SURPRISE, float(innovation @ inverse @ innovation))
        self._surprise += _NEWEST * (squared - self._surprise)
        keep = np.eye(4) - gain @ jacobian
        noise = np.diag([sighting.azimuth_sigma**2, sighting.range_sigma**2])
        self._state = state + gain @ innovation
        # Joseph's form: stays symmetric and positive.
        self._covariance = keep @ covariance @ keep.T + gain @ noise @ gain.T
        self._stamp = sighting.stamp
        self._update_height(sighting, dt)

    def _update_height(self, sighting: Sighting, dt: float) -> None:
        """Follow the height as the images show it: it is wrong as the range is, and so the elevation is right."""
        if not math.isfinite(sighting.height_sigma):
            return
        predicted = self._height_variance + _HEIGHT_WALK**2 * dt
        share = 1.0 if not math.isfinite(predicted) else predicted / (predicted + sighting.height_sigma**2)
        self.height += share * (sighting.height - self.height)
        self._height_variance = sighting.height_sigma**2 if share == 1.0 else (1.0 - share) * predicted

    def _predicted(self, stamp: int) -> tuple[Matrix, Matrix]:
        dt = max(0.0, to_seconds(stamp - self._stamp))
        move = np.eye(4)
        move[0, 2] = move[1, 3] = dt
        density = self._acceleration**2 * max(1.0, self._surprise / 2.0 - _USUAL) ** 2
        noise = np.zeros((4, 4))
        noise[0, 0] = noise[1, 1] = density * dt**3 / 3.0
        noise[0, 2] = noise[2, 0] = noise[1, 3] = noise[3, 1] = density * dt**2 / 2.0
        noise[2, 2] = noise[3, 3] = density * dt
        return move @ self._state, move @ self._covariance @ move.T + noise


_NEWEST = 0.3
"""Weight of the newest sighting's surprise."""
_MOST_SURPRISE = 16.0
"""No sighting surprises more: it may be a false one."""
_USUAL = 0.5
"""Surprise beyond its mean, as its share, that is no sign of a turn."""
_HEIGHT_WALK = 0.05
"""How the measured height wanders as the range's error changes, m per sqrt(s)."""


def _innovation(state: Matrix, covariance: Matrix, sighting: Sighting) -> tuple[Matrix, Matrix, Matrix]:
    """Return what a sighting says beyond what is expected, its Jacobian, and the innovation's covariance."""
    dx, dy = float(state[0]) - sighting.x, float(state[1]) - sighting.y
    away = max(math.hypot(dx, dy), _NEAREST)
    innovation = np.array([wrap(sighting.azimuth - math.atan2(dy, dx)), sighting.range - away])
    jacobian = np.array(
        [[-dy / away**2, dx / away**2, 0.0, 0.0], [dx / away, dy / away, 0.0, 0.0]],
    )
    noise = np.diag([sighting.azimuth_sigma**2, sighting.range_sigma**2])
    return innovation, jacobian, jacobian @ covariance @ jacobian.T + noise


def _check(sighting: Sighting) -> None:
    numbers = (sighting.x, sighting.y, sighting.azimuth, sighting.range, sighting.height)
    deviations = (sighting.azimuth_sigma, sighting.range_sigma)
    if not all(map(math.isfinite, (*numbers, *deviations))):
        raise ValueError(f"a sighting is not finite: {sighting}")
    if min(*deviations, sighting.height_sigma) <= 0.0:
        raise ValueError(f"deviations of a sighting must be above 0: {sighting}")
