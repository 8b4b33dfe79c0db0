"""Renders what robots' cameras see of a scene, off screen and in software."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.geometry import Pose2D
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.rendering.graphics import OffscreenContext
from arena_trees.simulation.rendering.scene import Scene
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.textures import Picture

__all__ = ["SceneRenderer"]

_BELOW = (0.0, 0.0, -100.0)
"""Where a robot is put while its own camera looks: nothing of it reaches into its picture."""


class SceneRenderer:
    """Renders a scene; all cameras share its graphics context, and one thread uses it. Its owner closes it.

    Args:
        scene: the scene
        cameras: camera name to its optics

    Raises:
        GraphicsError: there is no graphics library for it
    """

    def __init__(self, scene: Scene, cameras: Mapping[str, Pinhole]) -> None:
        self._scene = scene
        self._cameras = dict(cameras)
        model = scene.model
        self._data: Any = mujoco.MjData(model)
        self._gl = OffscreenContext(model.vis.global_.offwidth, model.vis.global_.offheight)
        try:
            self._resources = self._gl.make_resources(model)
        except BaseException:
            self._gl.close()
            raise
        self._view: Any = mujoco.MjvScene(model, maxgeom=model.ngeom + 100)
        self._view.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = False
        self._view.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._option = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED

    def render(
        self, observer: str, poses: Mapping[str, Pose2D], camera: str | None = None, eye: CameraPose | None = None
    ) -> Picture:
        """Return what a robot's camera sees, RGB, shape (height, width, 3).

        Args:
            observer: the robot
            poses: robot name to its pose of base_link, map frame, the observer's among them
            camera: name of the camera; that of the robot's name where not given
            eye: where the camera is, if it is not fixed to the robot's base; its optics then have no mount
        """
        camera = observer if camera is None else camera
        self._pose(observer, poses, camera, eye)
        return self._read(self._cameras[camera])

    def segment(self, observer: str, poses: Mapping[str, Pose2D]) -> NDArray[np.int32]:
        """Return the number of the scene's geom in each pixel, -1 for none, shape (height, width)."""
        self._pose(observer, poses, observer)
        view = self._view
        before = view.flags.copy()
        view.flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = True
        view.flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        try:
            colours = self._read(self._cameras[observer]).astype(np.int32)
        finally:
            np.copyto(view.flags, before)
        # The colour is the number of the drawn thing plus one.
        drawn = colours[..., 0] + 256 * colours[..., 1] + 65536 * colours[..., 2]
        numbers = np.full(view.ngeom + 1, -1, dtype=np.int32)
        for geom in view.geoms[: view.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                numbers[geom.segid + 1] = geom.objid
        found: NDArray[np.int32] = numbers[drawn]
        return found

    def close(self) -> None:
        """Let go of the graphics; nothing can be rendered any more."""
        self._gl.close()

    def _pose(self, observer: str, poses: Mapping[str, Pose2D], camera: str, eye: CameraPose | None = None) -> None:
        data, scene = self._data, self._scene
        for name, mocap in scene.robots.items():
            if name == observer:
                data.mocap_pos[mocap] = _BELOW
            else:
                _place(data, mocap, poses[name])
        if eye is None:
            _place(data, scene.eyes[camera], poses[observer])
        else:
            _place_eye(data, scene.eyes[camera], eye)
        mujoco.mj_kinematics(scene.model, data)
        mujoco.mj_camlight(scene.model, data)
        self._camera.fixedcamid = scene.cameras[camera]
        mujoco.mjv_updateScene(
            scene.model, data, self._option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL.value, self._view
        )

    def _read(self, pinhole: Pinhole) -> Picture:
        self._gl.make_current()
        area = mujoco.MjrRect(0, 0, pinhole.width, pinhole.height)
        mujoco.mjr_render(area, self._view, self._resources)
        pixels = np.empty((pinhole.height, pinhole.width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, area, self._resources)
        # The first row that GL gives is the lowest.
        return pixels[::-1]


def _place(data: Any, mocap: int, pose: Pose2D) -> None:
    data.mocap_pos[mocap] = (pose.x, pose.y, 0.0)
    data.mocap_quat[mocap] = (math.cos(pose.yaw / 2.0), 0.0, 0.0, math.sin(pose.yaw / 2.0))


def _place_eye(data: Any, mocap: int, eye: CameraPose) -> None:
    yaw, pitch = eye.yaw / 2.0, eye.pitch / 2.0
    data.mocap_pos[mocap] = (eye.x, eye.y, eye.z)
    # About the vertical, then upwards, which is against the sense of y.
    data.mocap_quat[mocap] = (
        math.cos(yaw) * math.cos(pitch),
        math.sin(yaw) * math.sin(pitch),
        -math.cos(yaw) * math.sin(pitch),
        math.sin(yaw) * math.cos(pitch),
    )
