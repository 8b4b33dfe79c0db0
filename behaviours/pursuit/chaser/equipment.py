"""What the chaser carries: its camera, its laser and its hull, each from its own source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena_trees.control.place_history import Place
from arena_trees.games.pursuit.rules import PursuitRules
from arena_trees.robot.circles import Circles
from arena_trees.world.body import Barrel, Body
from arena_trees.world.camera_optics import CameraOptics
from arena_trees.world.camera_pose import CameraMount, CameraPose
from arena_trees.world.pinhole import Pinhole

__all__ = ["Equipment"]


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the chaser knows of its own camera, laser and hull.

    Attributes:
        camera: its optics
        mount: where the camera sits
        barrel: where the laser begins
        radius: of the hull, m
        laser: the rules' reach, angle and cooldown
    """

    camera: Pinhole
    mount: CameraMount
    barrel: Barrel
    radius: float
    laser: PursuitRules

    @classmethod
    def of(cls, body: Body, camera: CameraOptics, laser: PursuitRules) -> Equipment:
        """Return what a robot with a body and a camera carries; a body without a barrel has the default one."""
        mount = CameraMount.on(body, camera.mount_x, camera.mount_z)
        return cls(camera.pinhole(), mount, body.barrel or Barrel(), body.radius, laser)

    def optics(self, circles: Circles) -> Pinhole:
        """Return the camera's optics in images of the size in which circles were found."""
        return replace(self.camera, width=circles.image_width, height=circles.image_height)

    def camera_at(self, place: Place) -> CameraPose:
        """Return where the camera is when the chaser is at a place."""
        return self.mount.pose(place.pose, place.turret)
