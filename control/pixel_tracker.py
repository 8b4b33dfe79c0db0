"""Kalman filter on a target's pixel column that knows the robot's own rotation."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["PixelTracker", "TrackerNoise"]


@dataclass(frozen=True, slots=True)
class TrackerNoise:
    """Noise of the constant-velocity model.

    Attributes:
        process_px: growth of the column's variance, px^2 per s
        process_velocity: growth of the velocity's variance, (px/s)^2 per s
        measurement: variance of a column measured with confidence 1, px^2
        initial_velocity: variance of the unknown velocity at the first measurement, (px/s)^2
        gate_sigma: a measurement further from its prediction than this many standard deviations is an outlier
        gate_misses: after this many outliers in a row the next measurement starts the filter anew
    """

    process_px: float
    process_velocity: float
    measurement: float
    initial_velocity: float
    gate_sigma: float
    gate_misses: int


class PixelTracker:
    """Kalman filter of the column and column velocity of the target's box, as the source system has it.

    The predict step is px <- px + vx dt + dyaw rho, with rho the camera's pixels per radian and
    dyaw the robot's own turn, counter-clockwise positive (REP-103): a robot that turns left sees
    a standing target move right. The document writes - omega_cmd dt rho, which is the same for
    an omega_cmd that is positive clockwise, as its PID's output is before the leading minus.

    Attributes:
        px: column, px
        velocity: of the column, own rotation taken out, px/s
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the target."""
        self.px = math.nan
        self.velocity = 0.0
        self._p00 = self._p01 = self._p11 = 0.0
        self._misses = 0

    @property
    def started(self) -> bool:
        """Whether a measurement has been taken."""
        return not math.isnan(self.px)

    @property
    def variance(self) -> float:
        """Variance of the column, px^2."""
        return self._p00

    def predict(self, dt: float, turned_px: float, noise: TrackerNoise) -> None:
        """Move the estimate on in time.

        Args:
            dt: time, s, zero or more
            turned_px: columns that the robot's own turn moved the image by, rightwards positive
            noise: of the model

        Raises:
            ValueError: an argument is not finite, or dt is negative
        """
        if not (math.isfinite(dt) and math.isfinite(turned_px)) or dt < 0.0:
            raise ValueError(f"tracker cannot predict with dt {dt} and a turn of {turned_px} px")
        self.px += self.velocity * dt + turned_px
        self._p00 += dt * (2.0 * self._p01 + dt * self._p11) + noise.process_px * dt
        self._p01 += dt * self._p11
        self._p11 += noise.process_velocity * dt

    def update(self, px: float, confidence: float, noise: TrackerNoise) -> bool:
        """Take a measurement of the column; return False for an outlier, which changes nothing.

        The measurement variance is divided by the confidence squared.

        Raises:
            ValueError: the column is not finite, or the confidence is not in (0, 1]
        """
        if not math.isfinite(px) or not 0.0 < confidence <= 1.0:
            raise ValueError(f"tracker got column {px} with confidence {confidence}")
        variance = noise.measurement / confidence**2
        if not self.started or self._misses >= noise.gate_misses:
            self._start(px, variance, noise)
            return True
        innovation = px - self.px
        total = self._p00 + variance
        if innovation**2 > noise.gate_sigma**2 * total:
            self._misses += 1
            return False
        self._misses = 0
        gain_px, gain_velocity = self._p00 / total, self._p01 / total
        self.px += gain_px * innovation
        self.velocity += gain_velocity * innovation
        self._p11 -= gain_velocity * self._p01
        self._p01 *= 1.0 - gain_px
        self._p00 *= 1.0 - gain_px
        return True

    def look_ahead(self, dt: float, turned_px: float = 0.0) -> float:
        """Return the column expected dt seconds later, px; the estimate stays as it is."""
        return self.px + self.velocity * dt + turned_px

    def _start(self, px: float, variance: float, noise: TrackerNoise) -> None:
        self.px, self.velocity = px, 0.0
        self._p00, self._p01, self._p11 = variance, 0.0, noise.initial_velocity
        self._misses = 0
