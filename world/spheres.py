"""Spheres: where those are that robots carry, and the ellipses that a camera sees of them, free of noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.body import Sphere
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.pinhole import Pinhole

__all__ = ["PlacedSphere", "SphereOutline"]


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


@dataclass(frozen=True, slots=True)
class SphereOutline:
    """The ellipse that a ball's outline is in an image; pixels, parts of it may lie outside the image.

    Attributes:
        x: column of its centre, rightwards from the image's left edge
        y: row of its centre, downwards from the image's top edge
        along: semi-axis towards the image's centre; the longer one
        across: the other semi-axis
        distance: from the camera to the ball's centre, m
    """

    x: float
    y: float
    along: float
    across: float
    distance: float

    @property
    def radius(self) -> float:
        """Radius of the circle that fits the ellipse best, px."""
        return (self.along + self.across) / 2.0

    @classmethod
    def of(cls, sphere: PlacedSphere, camera: CameraPose, pinhole: Pinhole) -> SphereOutline | None:
        """Return what a camera sees of a ball that nothing hides.

        The cone that touches the ball has a half angle of asin(radius / distance); the image plane cuts it in an
        ellipse, whose centre lies farther out than the picture of the ball's centre.

        Args:
            sphere: the ball
            camera: where the camera is
            pinhole: its optics; where they say that it is mounted does not count

        Returns:
            None where a part of the ball is not before the camera
        """
        ahead, left, up = camera.place((sphere.x, sphere.y, sphere.z))
        distance = math.sqrt(ahead * ahead + left * left + up * up)
        if distance <= sphere.radius:
            return None
        aside = math.hypot(left, up)
        off, half = math.atan2(aside, ahead), math.asin(sphere.radius / distance)
        if off + half >= math.pi / 2.0:
            return None
        inner, outer = math.tan(off - half), math.tan(off + half)
        focal = pinhole.focal_length
        middle = focal * (inner + outer) / 2.0
        sideways, upwards = (left / aside, up / aside) if aside > 0.0 else (0.0, 0.0)
        return cls(
            x=pinhole.width / 2.0 - middle * sideways,
            y=pinhole.height / 2.0 - middle * upwards,
            along=focal * (outer - inner) / 2.0,
            across=focal * math.sin(half) / math.sqrt(math.cos(off + half) * math.cos(off - half)),
            distance=distance,
        )
