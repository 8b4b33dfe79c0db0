"""Where a camera is and whither it looks in three dimensions: level on a robot, or turned by its turret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.body import Body

__all__ = ["CameraMount", "CameraPose"]


@dataclass(frozen=True, slots=True)
class CameraPose:
    """A camera in the map frame; it does not roll.

    Attributes:
        x: of its centre, m
        y: of its centre, m
        z: height of its centre above the floor, m
        yaw: of its axis, rad, counter-clockwise positive
        pitch: of its axis above the horizon, rad
    """

    x: float
    y: float
    z: float
    yaw: float
    pitch: float = 0.0

    def axes(self) -> NDArray[np.float64]:
        """Return unit vectors of the map frame that point ahead, left and up in the camera, shape (3, 3), a row each.

        A point of the map is brought into the camera's frame by ``axes() @ (point - centre)``.
        """
        cosine, sine = math.cos(self.yaw), math.sin(self.yaw)
        level, rise = math.cos(self.pitch), math.sin(self.pitch)
        return np.array(
            ((level * cosine, level * sine, rise), (-sine, cosine, 0.0), (-rise * cosine, -rise * sine, level))
        )

    def place(self, point: Sequence[float]) -> tuple[float, float, float]:
        """Return where a point (x, y, z in the map frame, m) is: how far ahead, to the left and above, m."""
        ahead, left, up = (self.axes() @ (np.asarray(point) - (self.x, self.y, self.z))).tolist()
        return ahead, left, up


@dataclass(frozen=True, slots=True)
class CameraMount:
    """Where a camera sits on a robot.

    On a turret it turns with the barrel, which it is fixed to: about the robot's vertical axis, and up and down about
    the barrel's height on that axis.

    Attributes:
        x: before the axis, m
        z: height above the floor, m, where a turret points level
        pivot: height of the axis that a turret pitches about, m; None where there is no turret
    """

    x: float
    z: float
    pivot: float | None = None

    @classmethod
    def on(cls, body: Body, x: float, z: float) -> CameraMount:
        """Return the mount on a body.

        Args:
            body: what the robot is made of
            x: of the camera in base_link, m, where there is no turret
            z: height above the floor, m, where there is no turret, or a turret without a barrel
        """
        if body.turret is None:
            return cls(x, z)
        above = body.turret.camera_above_barrel
        pivot = z - above if body.barrel is None else body.barrel.height
        return cls(0.0, pivot + above, pivot)

    def pose(self, base: Pose2D, turret: tuple[float, float] | None = None) -> CameraPose:
        """Return where the camera is.

        Args:
            base: pose of base_link, map frame
            turret: yaw and pitch of the turret in base_link, rad; None where there is none
        """
        if self.pivot is None or turret is None:
            ahead, height, yaw, pitch = self.x, self.z, base.yaw, 0.0
        else:
            yaw, pitch = base.yaw + turret[0], turret[1]
            above = self.z - self.pivot
            ahead = self.x * math.cos(pitch) - above * math.sin(pitch)
            height = self.pivot + self.x * math.sin(pitch) + above * math.cos(pitch)
        return CameraPose(base.x + ahead * math.cos(yaw), base.y + ahead * math.sin(yaw), height, yaw, pitch)
