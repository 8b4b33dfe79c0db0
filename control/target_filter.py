"""Where a moving target is: interacting models of its motion, fed with bearings and ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import wrap
from arena_trees.robot.quick_init import quick_init

__all__ = ["Sighting", "TargetEstimate", "TargetFilter"]

Matrix = NDArray[np.float64]

_NEAREST = 0.05
"""m; from nearer than this a bearing is no evidence."""
_STEADY_S, _CHANGING_S = 1.2, 0.6
"""How long, on average, a target keeps its velocity, and changes it, s."""
_DRIFT = 0.08
"""Spectral density of the acceleration of a target that keeps its velocity: its square root, as a share of the greatest
acceleration, in m/s2 per sqrt(Hz)."""
_CORRELATION_S = 0.5
"""Time constant of the acceleration of a target that changes its velocity, s."""
_LEAST = 1e-300
"""Of densities and weights, so that their logarithms and shares are finite."""
_UPPER = np.triu_indices(4)
_HEIGHT_WALK = 0.05
"""How the measured height wanders as the range's error changes, m per sqrt(s)."""


@quick_init
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


@quick_init
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
        ax: m/s2
        ay: m/s2
    """

    stamp: int
    x: float
    y: float
    vx: float
    vy: float
    covariance: tuple[float, ...]
    ax: float = 0.0
    ay: float = 0.0

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
    """Two models of a target's motion that interact (IMM; Bar-Shalom, Li, Kirubarajan 2001, section 11.6.6).

    A target either keeps its velocity (white acceleration, section 6.2.2), or changes it with an acceleration that
    lasts for a while (Singer 1970; section 8.2.3). Each sighting gives each a likelihood; the estimate is the mean of
    both, and its covariance holds what they differ by, so that a target that may be turning is known less well. Either
    model is an extended Kalman filter of place, velocity and acceleration.

    Sightings must come in the order of their exposures, as a camera's do. What lies between an exposure and now is
    covered by :meth:`at`, which predicts and changes nothing.

    Args:
        first: sighting with which it begins
        acceleration: greatest acceleration of the target, m/s2
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
        state = np.array([first.x + first.range * cosine, first.y + first.range * sine, 0.0, 0.0, 0.0, 0.0])
        covariance = np.diag([0.0, 0.0, *[speed_sigma**2] * 2, *[acceleration**2 / 2.0] * 2])
        covariance[:2, :2] = turn @ np.diag([along**2, across**2]) @ turn.T
        # Of either model: [keeps its velocity, changes it].
        self._weights: Matrix = np.array([_STEADY_S, _CHANGING_S]) / (_STEADY_S + _CHANGING_S)
        self._states: Matrix = np.stack([state, state])
        self._covariances: Matrix = np.stack([covariance, covariance])
        self._stamp = first.stamp
        self._foreseen: tuple[int, tuple[Matrix, Matrix, Matrix]] | None = None
        self.height = first.height
        self._height_variance = first.height_sigma**2

    @property
    def stamp(self) -> int:
        """Exposure of the newest sighting, ns."""
        return self._stamp

    def at(self, stamp: int) -> TargetEstimate:
        """Return where the target is expected at an instant (ns), not before the newest sighting's."""
        weights, states, covariances = self._predicted(stamp)
        state = weights @ states
        covariance = _mixed(weights, states, covariances, state)[:4, :4]
        x, y, vx, vy, ax, ay = state.tolist()
        upper = tuple(covariance[_UPPER].tolist())
        return TargetEstimate(max(stamp, self._stamp), x, y, vx, vy, upper, ax, ay)

    def likelihood(self, sighting: Sighting) -> tuple[float, float]:
        """Return how far a sighting is from what is expected, and how likely it is.

        Returns:
            the squared Mahalanobis distance (chi-square with two degrees of freedom) from the model that it fits
            better, and the natural logarithm of the density, per radian and metre
        """
        weights, states, covariances = self._predicted(sighting.stamp)
        nearest, density = math.inf, 0.0
        for weight, state, covariance in zip(weights.tolist(), states, covariances, strict=True):
            innovation, _, spread = _innovation(state, covariance, sighting)
            distance, dense = _fit(innovation, spread)
            nearest, density = min(nearest, distance), density + weight * dense
        return nearest, math.log(max(density, _LEAST))

    def update(self, sighting: Sighting) -> None:
        """Take a sighting in.

        Raises:
            ValueError: a number is not finite, a deviation is not above 0, or the sighting is older than the newest
        """
        _check(sighting)
        if sighting.stamp < self._stamp:
            raise ValueError("sightings must come in order")
        dt = to_seconds(sighting.stamp - self._stamp)
        weights, states, covariances = self._predicted(sighting.stamp)
        # They are written to now, and hold no more.
        self._foreseen = None
        noise = np.diag([sighting.azimuth_sigma**2, sighting.range_sigma**2])
        densities = np.zeros(2)
        for k in range(2):
            innovation, jacobian, spread = _innovation(states[k], covariances[k], sighting)
            densities[k] = _fit(innovation, spread)[1]
            gain = covariances[k] @ jacobian.T @ np.linalg.inv(spread)
            keep = np.eye(6) - gain @ jacobian
            states[k] += gain @ innovation
            # Joseph's form: stays symmetric and positive.
            covariances[k] = keep @ covariances[k] @ keep.T + gain @ noise @ gain.T
        likely = weights * np.maximum(densities, _LEAST)
        self._weights, self._states, self._covariances = likely / likely.sum(), states, covariances
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

    def _predicted(self, stamp: int) -> tuple[Matrix, Matrix, Matrix]:
        """Return weights, states and covariances of the models at an instant (ns); not to be written to."""
        # Who weighs a sighting, takes it in and asks where the target is, asks for one instant several times.
        if self._foreseen is None or self._foreseen[0] != stamp:
            self._foreseen = stamp, self._predict(stamp)
        return self._foreseen[1]

    def _predict(self, stamp: int) -> tuple[Matrix, Matrix, Matrix]:
        dt = max(0.0, to_seconds(stamp - self._stamp))
        # Rows: from; columns: to.
        leave = np.array([-math.expm1(-dt / _STEADY_S), -math.expm1(-dt / _CHANGING_S)])
        switch = np.array([[1.0 - leave[0], leave[0]], [leave[1], 1.0 - leave[1]]])
        joint = switch * self._weights[:, None]
        weights = joint.sum(axis=0)
        shares = joint / np.maximum(weights, _LEAST)
        states = shares.T @ self._states
        covariances = np.stack([_mixed(shares[:, k], self._states, self._covariances, states[k]) for k in range(2)])
        moves, noises = _motions(dt, self._acceleration)
        states = (moves @ states[:, :, None])[:, :, 0]
        return weights, states, moves @ covariances @ moves.transpose(0, 2, 1) + noises


@lru_cache(maxsize=256)
def _motions(dt: float, acceleration: float) -> tuple[Matrix, Matrix]:
    """Return how either model moves its state in a time (s), and the noise of that: arrays not to be written to.

    Of the times that are asked for there are few: ticks since a sighting.
    """
    decay = math.exp(-dt / _CORRELATION_S)
    moves, noises = np.stack([np.eye(6), np.eye(6)]), np.zeros((2, 6, 6))
    density, variance = (_DRIFT * acceleration) ** 2, acceleration**2 / 2.0
    rate = 2.0 * variance / _CORRELATION_S
    for place, speed, force in ((0, 2, 4), (1, 3, 5)):
        moves[:, place, speed] = dt
        moves[0, force, force] = 0.0
        noises[0, force, force] = variance
        noises[0, place, place] = density * dt**3 / 3.0
        noises[0, place, speed] = noises[0, speed, place] = density * dt**2 / 2.0
        noises[0, speed, speed] = density * dt
        moves[1, force, force] = decay
        moves[1, speed, force] = _CORRELATION_S * (1.0 - decay)
        moves[1, place, force] = _CORRELATION_S * (dt - _CORRELATION_S * (1.0 - decay))
        for (one, two), power, divisor in (
            ((place, place), 5, 20.0), ((place, speed), 4, 8.0), ((place, force), 3, 6.0),
            ((speed, speed), 3, 3.0), ((speed, force), 2, 2.0), ((force, force), 1, 1.0),
        ):  # fmt: skip
            noises[1, one, two] = noises[1, two, one] = rate * dt**power / divisor
    moves.flags.writeable = noises.flags.writeable = False
    return moves, noises


def _mixed(weights: Matrix, states: Matrix, covariances: Matrix, mean: Matrix) -> Matrix:
    """Return the covariance of a mixture about its mean."""
    off = states - mean
    spread: Matrix = np.einsum("k,kij->ij", weights, covariances + off[:, :, None] * off[:, None, :])
    return spread


def _fit(innovation: Matrix, spread: Matrix) -> tuple[float, float]:
    """Return an innovation's squared Mahalanobis distance and its density, per radian and metre."""
    (a, b), (_, d) = spread.tolist()
    u, v = innovation.tolist()
    determinant = a * d - b * b
    distance = (d * u * u - 2.0 * b * u * v + a * v * v) / determinant
    return distance, math.exp(-0.5 * distance) / (math.tau * math.sqrt(determinant))


def _innovation(state: Matrix, covariance: Matrix, sighting: Sighting) -> tuple[Matrix, Matrix, Matrix]:
    """Return how a sighting differs from what is expected, its Jacobian, and the innovation's covariance."""
    dx, dy = float(state[0]) - sighting.x, float(state[1]) - sighting.y
    away = max(math.hypot(dx, dy), _NEAREST)
    innovation = np.array([wrap(sighting.azimuth - math.atan2(dy, dx)), sighting.range - away])
    jacobian = np.zeros((2, 6))
    jacobian[:, :2] = [[-dy / away**2, dx / away**2], [dx / away, dy / away]]
    noise = np.diag([sighting.azimuth_sigma**2, sighting.range_sigma**2])
    return innovation, jacobian, jacobian @ covariance @ jacobian.T + noise


def _check(sighting: Sighting) -> None:
    numbers = (sighting.x, sighting.y, sighting.azimuth, sighting.range, sighting.height)
    deviations = (sighting.azimuth_sigma, sighting.range_sigma)
    if not all(map(math.isfinite, (*numbers, *deviations))):
        raise ValueError(f"a sighting is not finite: {sighting}")
    if min(*deviations, sighting.height_sigma) <= 0.0:
        raise ValueError(f"deviations of a sighting must be above 0: {sighting}")
