"""SAFE, WARNING, BREACH, UNKNOWN: what a robot's distance to its fence amounts to."""

from __future__ import annotations

import math

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.percepts import FenceStatus
from arena_trees.safety.stopping import stopping_distance

__all__ = ["FenceParameters", "classify", "warning_band"]


class FenceParameters(Parameters):
    """When a robot is warned of its fence."""

    warning_distance: float = parameter(0.5, "width of the warning band inside the fence", "m", ge=0.0, le=100.0)
    hysteresis: float = parameter(0.05, "how much better a distance must be to leave a status", "m", ge=0.0, le=1.0)
    stop_margin: float = parameter(0.10, "distance to the fence that must be left after a stop", "m", ge=0.0, le=5.0)
    reaction_time: float = parameter(0.1, "time until braking begins", "s", ge=0.0, le=5.0)
    deceleration: float = parameter(0.9, "deceleration when braking", "m/s2", gt=0.0, le=20.0)
    pose_timeout: float = parameter(0.5, "age above which a pose is not used", "s", gt=0.0, le=10.0)
    rate: float = parameter(10.0, "verdicts a second", "Hz", gt=0.0, le=1000.0)


def warning_band(parameters: FenceParameters, speed: float) -> float:
    """Return the width (m) of the warning band: as configured, or what stopping from the speed (m/s) takes."""
    stop = stopping_distance(speed, parameters.reaction_time, parameters.deceleration)
    return max(parameters.warning_distance, stop + parameters.stop_margin)


def classify(previous: FenceStatus, distance: float | None, band: float, hysteresis: float) -> FenceStatus:
    """Return the status of a robot from its distance to the boundary.

    BREACH outside and on the boundary, WARNING inside within the band, SAFE otherwise (document
    000, section 2.4). On the way back each status is left only when the distance is better by
    the hysteresis. UNKNOWN without a distance; nothing is remembered through it.

    Args:
        previous: status before
        distance: to the boundary, m, positive inside; None or not finite when there is no usable pose
        band: width of the warning band, m
        hysteresis: m
    """
    if distance is None or not math.isfinite(distance):
        return FenceStatus.UNKNOWN
    if distance <= (hysteresis if previous is FenceStatus.BREACH else 0.0):
        return FenceStatus.BREACH
    worse = previous is FenceStatus.BREACH or previous is FenceStatus.WARNING
    if distance <= (band + hysteresis if worse else band):
        return FenceStatus.WARNING
    return FenceStatus.SAFE
