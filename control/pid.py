"""PID control with a filtered derivative, anti-windup and finite checks."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Pid", "PidGains", "clamp"]


def clamp(value: float, limit: float) -> float:
    """Return the value limited to [-limit, limit].

    Raises:
        ValueError: the value is NaN, which comparisons would let through as full speed
    """
    if math.isnan(value):
        raise ValueError("cannot clamp NaN")
    return max(-limit, min(limit, value))


@dataclass(frozen=True, slots=True)
class PidGains:
    """Gains of a PID.

    Attributes:
        kp: proportional gain, output per error
        ki: integral gain, output per error and second
        kd: derivative gain, output per error per second
        derivative_alpha: weight of the newest raw derivative in the low-pass filter, above 0, at most 1 (unfiltered)
        integral_limit: largest absolute integral of the error
        output_limit: largest absolute output
        derivative_limit: largest absolute raw derivative, error per second
    """

    kp: float
    ki: float
    kd: float
    derivative_alpha: float
    integral_limit: float
    output_limit: float
    derivative_limit: float = math.inf


class Pid:
    """PID as the source system has it: clamp(Kp e + Ki int(e dt) + Kd de/dt filtered, -limit, limit).

    The integral stands still while the output is saturated and the error would wind it up further.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the integral and the derivative."""
        self.integral = 0.0
        self.derivative = 0.0
        self._last: float | None = None

    def update(self, error: float, dt: float, gains: PidGains) -> float:
        """Return the output for an error.

        Args:
            error: set point minus, or plus, measurement; the caller's sign convention
            dt: time since the last update, s; zero or less keeps integral and derivative
            gains: may change from call to call

        Raises:
            ValueError: the error or dt is not finite
        """
        if not (math.isfinite(error) and math.isfinite(dt)):
            raise ValueError(f"PID got error {error} and dt {dt}")
        integral = self.integral
        if dt > 0.0:
            if self._last is not None:
                raw = clamp((error - self._last) / dt, gains.derivative_limit)
                self.derivative += gains.derivative_alpha * (raw - self.derivative)
            self._last = error
            integral = clamp(self.integral + error * dt, gains.integral_limit)
        wanted = gains.kp * error + gains.ki * integral + gains.kd * self.derivative
        output = clamp(wanted, gains.output_limit)
        if output == wanted or wanted * error < 0.0:
            self.integral = integral
        return output
