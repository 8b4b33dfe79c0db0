"""Spheres: where the balls are that robots carry."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.quick_init import quick_init
from arena_trees.world.body import Sphere

__all__ = ["PlacedSphere"]


@quick_init
@dataclass(frozen=True, slots=True)
class PlacedSphere:
    """The ball of a robot, where it is now.

    Attributes:
        robot: name of the robot that carries it
        x: of its centre, map frame, m
        y: of its centre, map frame, m
        z: of its centre above the floor, m
        radius: m
        colour: ``#rrggbb``
    """

    robot: str
    x: float
    y: float
    z: float
    radius: float
    colour: str

    @classmethod
    def carried(cls, robot: str, sphere: Sphere, pose: Pose2D) -> PlacedSphere:
        """Return the ball of a robot that is at a pose (map frame)."""
        return cls(robot, pose.x, pose.y, sphere.height, sphere.diameter / 2.0, sphere.colour)
