"""Measured poses of a robot, and how good they are."""

from __future__ import annotations

from typing import NamedTuple

from arena_trees.robot.geometry import Pose2D, Twist2D

__all__ = ["PoseMeasurement"]


class PoseMeasurement(NamedTuple):
    """Where a robot was measured to be.

    Attributes:
        now: instant, ns
        pose: of base_link, map frame
        sigma: standard deviation along one axis of the floor, m
        sigma_yaw: standard deviation of the heading, rad
        twist: velocity, base_link; None where it was not measured
    """

    now: int
    pose: Pose2D
    sigma: float = 0.0
    sigma_yaw: float = 0.0
    twist: Twist2D | None = None
