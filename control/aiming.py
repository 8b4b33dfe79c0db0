"""Aiming ahead: where a barrel must point so that it points at a moving target when the actuators have followed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.control.target_filter import TargetEstimate
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap

__all__ = ["Aim", "aim_at", "hit_probability", "moved"]

_NEAREST = 0.1
"""m; nearer than this there is no direction."""


@dataclass(frozen=True, slots=True)
class Aim:
    """The direction of a target from a barrel's origin at an instant.

    Attributes:
        azimuth: rad, in the estimate's frame
        elevation: rad, positive upwards
        distance: from the barrel's origin to the target's centre, m
        azimuth_rate: of the line of sight, rad/s
        elevation_rate: of the line of sight, rad/s
        azimuth_sigma: standard deviation of the azimuth, rad
        distance_sigma: standard deviation of the distance, m
    """

    azimuth: float
    elevation: float
    distance: float
    azimuth_rate: float
    elevation_rate: float
    azimuth_sigma: float
    distance_sigma: float


def moved(pose: Pose2D, twist: Twist2D, dt: float) -> Pose2D:
    """Return where a base is after a time (s) on an arc of constant velocity (exact)."""
    turn = twist.angular * dt
    half = turn / 2.0
    chord = twist.linear * dt * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
    return Pose2D(
        pose.x + chord * math.cos(pose.yaw + half), pose.y + chord * math.sin(pose.yaw + half), wrap(pose.yaw + turn)
    )


def aim_at(target: TargetEstimate, rise: float, pose: Pose2D, twist: Twist2D, barrel_x: float = 0.0) -> Aim:
    """Return the direction of a target.

    Args:
        target: at the instant
        rise: of the target's centre above the barrel's origin, m
        pose: of the base at that instant, in the target's frame
        twist: of the base
        barrel_x: of the barrel's origin before the base's axis, m
    """
    cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
    x, y = pose.x + barrel_x * cosine, pose.y + barrel_x * sine
    swing = barrel_x * twist.angular
    dx, dy = target.x - x, target.y - y
    vx, vy = target.vx - (twist.linear * cosine - swing * sine), target.vy - (twist.linear * sine + swing * cosine)
    floor = max(math.hypot(dx, dy), _NEAREST)
    distance = math.hypot(floor, rise)
    closing = (dx * vx + dy * vy) / floor
    along_sigma, across_sigma = target.sigmas_from(x, y)
    return Aim(
        azimuth=math.atan2(dy, dx),
        elevation=math.atan2(rise, floor),
        distance=distance,
        azimuth_rate=(dx * vy - dy * vx) / floor**2,
        elevation_rate=-rise * closing / distance**2,
        azimuth_sigma=across_sigma,
        distance_sigma=along_sigma,
    )


def hit_probability(
    azimuth_error: float,
    elevation_error: float,
    distance: float,
    azimuth_sigma: float,
    distance_sigma: float,
    tolerance: float,
    reach: float,
) -> float:
    """Return how likely a shot hits: its angle and its distance are within limits.

    Args:
        azimuth_error: of the barrel, rad, as it is expected, on the sphere of directions
        elevation_error: of the barrel, rad
        distance: to the target's centre, m
        azimuth_sigma: standard deviation of the azimuth's error, rad, above 0
        distance_sigma: standard deviation of the distance, m, above 0
        tolerance: greatest angle between barrel and target of a hit, rad
        reach: greatest distance of a hit, m
    """
    left = tolerance**2 - elevation_error**2
    if left <= 0.0:
        return 0.0
    half = math.sqrt(left)
    angle = _normal((half - azimuth_error) / azimuth_sigma) - _normal((-half - azimuth_error) / azimuth_sigma)
    return angle * _normal((reach - distance) / distance_sigma)


def _normal(z: float) -> float:
    """Return the standard normal distribution's value."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))
