"""The source system's PD and PID law for a wall on the right, as it is written and with its faults put right."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from arena_trees.control.pid import Pid, PidGains, clamp
from arena_trees.control.wall_rays import WallRays
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Twist2D

__all__ = ["WallPid", "WallPidSettings"]

_BAND = 0.5
"""Half the width of the band in which the corrected law's mean counts, as a share of ``speed * kd / kp``."""
_SWING = 0.35
"""Share of its speed that the derivative of the corrected law counts at most; walls that end make jumps of metres."""
_ALPHA = 0.6
"""Weight of the newest derivative in the corrected law's filter."""


@dataclass(frozen=True, slots=True)
class WallPidSettings:
    """Numbers of the law.

    Attributes:
        ideal: distance to the wall, m
        speed: m/s
        turn_rate: greatest yaw rate, rad/s
        kp: yaw rate for each metre of error, rad/s per m
        ki: the same for each metre and second
        kd: the same for each metre a second
        stand: distance of something ahead at which the robot stands, and nearer backs off, m
        corrected: with its faults put right
    """

    ideal: float
    speed: float
    turn_rate: float
    kp: float
    ki: float
    kd: float
    stand: float = 1.0
    corrected: bool = False


class WallPid:
    """Steers by the mean of all rays of the right half plane, unless something is ahead.

    As written, the error is ``abs(ideal - mean)``: the law turns right, to the wall, however near it is, and only its
    derivative or what is ahead turns it left. What is ahead is seen by two rays, and a corner may stand between them.
    The derivative is by the machine's clock, so that a busy machine drives otherwise; here it is by the time between
    two scans, as it was meant. Corrected, the error has its sign, so that too small a mean turns left; the derivative
    is filtered and limited, since the mean jumps where a wall ends; all returns between those two rays count as ahead;
    and the mean counts within a band about the ideal distance alone, of that distance and of half of ``speed * kd /
    kp`` at most, since it jumps most far from the wall, and would send the robot into circles. To the wall it turns no
    faster than the way round its end is, at the ideal distance, for a narrower circle may not come back to the wall.
    """

    def __init__(self) -> None:
        self._pid = Pid()
        self._stamp: int | None = None
        self._rate = 0.0

    def reset(self) -> None:
        """Forget integral, derivative and the newest scan."""
        self._pid.reset()
        self._stamp = None
        self._rate = 0.0

    def update(self, rays: WallRays, settings: WallPidSettings) -> Twist2D:
        """Return the twist by the newest rays; a scan is used once."""
        if math.isinf(rays.mean):
            # Turning left brings the wall in front, and then to the right.
            return Twist2D(0.0, settings.turn_rate)
        if rays.stamp != self._stamp:
            dt = 0.0 if self._stamp is None else to_seconds(rays.stamp - self._stamp)
            self._stamp = rays.stamp
            self._rate = self._control(rays.mean, dt, settings)
        nearest = rays.sector if settings.corrected else min(rays.front, rays.between)
        if nearest < settings.ideal:
            return Twist2D(settings.speed * clamp(1.0 - settings.stand / nearest, 1.0), settings.turn_rate)
        return Twist2D(settings.speed, self._rate)

    def _control(self, mean: float, dt: float, settings: WallPidSettings) -> float:
        gains = PidGains(settings.kp, settings.ki, settings.kd, 1.0, 2.0 * settings.ideal, settings.turn_rate)
        if settings.corrected:
            gains = replace(gains, derivative_alpha=_ALPHA, derivative_limit=_SWING * settings.speed)
            error = settings.ideal - mean
            if settings.kp > 0.0 and settings.kd > 0.0:
                error = clamp(error, min(settings.ideal, _BAND * settings.speed * settings.kd / settings.kp))
            # No faster than round the end of a wall: a narrower circle need not come back to it.
            return max(self._pid.update(error, dt, gains), -settings.speed / settings.ideal)
        unlimited = replace(gains, output_limit=math.inf)
        return -clamp(self._pid.update(abs(settings.ideal - mean), dt, unlimited), settings.turn_rate)
