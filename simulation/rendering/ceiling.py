"""Cameras on the ceiling: rendered from above, then bent as their lenses bend."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.ceiling.camera import CameraIntrinsics, CeilingCamera
from arena_trees.perception.ceiling.parameters import CeilingParameters
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.simulation.rendering.appearance import Appearance
from arena_trees.simulation.rendering.flat_tags import flat_tags
from arena_trees.simulation.rendering.scene import build_scene
from arena_trees.simulation.rendering.scene_renderer import SceneRenderer
from arena_trees.world.body import Body
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.layout import Layout
from arena_trees.world.pinhole import Pinhole
from arena_trees.world.textures import Picture

__all__ = ["CeilingRenderer", "CeilingView"]

_COARSE = 8
"""Where pixels are before the lens is calculated for one in so many each way; it is straight between them to less than
a hundredth of a pixel."""

_LARGEST = 8192
"""Longest side (px) that is rendered."""

_WIDEST = 80.0
"""Half of the widest field of view, deg, that is rendered."""


class CeilingView(Parameters):
    """Where a camera hangs, whither it looks, and its lens."""

    x: float = parameter(0.0, "in the map", "m", ge=-1000, le=1000)
    y: float = parameter(0.0, "in the map", "m", ge=-1000, le=1000)
    height: float = parameter(2.8, "above the floor", "m", gt=0.5, le=20)
    yaw_deg: float = parameter(90.0, "direction in the map of the image's top", "deg", ge=-360, le=360)
    tilt_deg: float = parameter(0.0, "of its axis from straight down, towards the image's top", "deg", ge=0, le=70)
    lens: CameraIntrinsics = parameter(CameraIntrinsics(), "size and lens, as sensor_msgs/CameraInfo has them")

    def camera(self) -> CeilingCamera:
        """Return the camera in the map, as an exact calibration would."""
        return CeilingCamera.at(self.lens, self.pose())

    def pose(self) -> CameraPose:
        """Return where it is and whither it looks."""
        pitch = math.radians(self.tilt_deg - 90.0)
        return CameraPose(self.x, self.y, self.height, math.radians(self.yaw_deg), pitch)


class CeilingRenderer:
    """Renders an arena from its ceiling: robots carry their tags, and the floor's tags lie on the floor.

    All cameras share one graphics context, and one thread uses it. The owner closes it.

    Args:
        layout: the world
        robots: name to body of each robot
        parameters: the tags
        views: name to place and lens of each camera
        look: textures, colours and light
        supersampling: the picture is rendered finer by this and then averaged: edges are not jagged

    Raises:
        ConfigError: a lens's field of view is too wide to be rendered
        GraphicsError: there is no graphics library for it
    """

    def __init__(
        self,
        layout: Layout,
        robots: Mapping[str, Body],
        parameters: CeilingParameters,
        views: Mapping[str, CeilingView],
        look: Appearance,
        supersampling: int = 2,
    ) -> None:
        self._views = dict(views)
        self._lenses = {name: _Lens.of(view.lens, f"{name}.lens", supersampling) for name, view in views.items()}
        optics = {name: lens.pinhole for name, lens in self._lenses.items()}
        scene = build_scene(layout, robots, (), optics, look, tags=flat_tags(parameters))
        self._renderer = SceneRenderer(scene, optics)

    def render(self, camera: str, poses: Mapping[str, Pose2D]) -> Picture:
        """Return what a camera sees, RGB, shape (height, width, 3).

        Args:
            camera: its name
            poses: name of every robot to its pose of base_link, map frame
        """
        view, lens = self._views[camera], self._lenses[camera]
        fine = self._renderer.render("", poses, camera, view.pose())
        bent = cv2.remap(np.ascontiguousarray(fine), lens.columns, lens.rows, cv2.INTER_LINEAR)
        size = (view.lens.width, view.lens.height)
        return np.asarray(cv2.resize(bent, size, interpolation=cv2.INTER_AREA), np.uint8)

    def close(self) -> None:
        """Let go of the graphics; nothing can be rendered any more."""
        self._renderer.close()


@dataclass(frozen=True, slots=True, eq=False)
class _Lens:
    """What is rendered for a lens, and where in that its pixels are.

    Attributes:
        pinhole: a camera without distortion that sees all that the lens sees
        columns: in the pinhole's picture, for each pixel of the lens's, supersampled
        rows: the same of rows
    """

    pinhole: Pinhole
    columns: NDArray[np.float32]
    rows: NDArray[np.float32]

    @classmethod
    def of(cls, lens: CameraIntrinsics, key: str, fine: int) -> _Lens:
        coarse_columns, columns = _nodes(lens.width, fine)
        coarse_rows, rows = _nodes(lens.height, fine)
        grid = np.stack(np.meshgrid(coarse_columns, coarse_rows), axis=-1)
        places = lens.undistort(grid.reshape(-1, 2)).reshape(grid.shape)
        half = np.abs(places).max(axis=(0, 1))
        focal = fine * max(lens.fx, lens.fy)
        sides = 2.0 * np.ceil(focal * half + 1.0)
        if not (math.degrees(math.atan(float(half.max()))) < _WIDEST and float(sides.max()) <= _LARGEST):
            raise ConfigError("its field of view is too wide to be rendered", key=key, value=lens.distortion)
        across, down = (int(side) for side in sides)
        pinhole = Pinhole(across, down, 2.0 * math.atan(across / 2.0 / focal), 0.0, 0.0)
        seen = (sides - 1.0) / 2.0 + focal * places
        return cls(pinhole, *(_between(seen[..., axis], columns, rows) for axis in (0, 1)))


def _nodes(count: int, fine: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where pixels' positions are calculated, and which of those each finer pixel's centre is at."""
    coarse = _COARSE * np.arange(-1, math.ceil(count / _COARSE) + 1, dtype=np.float64)
    pixels = (np.arange(fine * count, dtype=np.float64) + 0.5) / fine - 0.5
    return coarse, (pixels - coarse[0]) / _COARSE


def _between(
    values: NDArray[np.float64], columns: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return values on a grid between its nodes: linear along columns, then along rows."""
    left, top = np.floor(columns).astype(int), np.floor(rows).astype(int)
    right, down = (columns - left).astype(np.float32), (rows - top).astype(np.float32)[:, None]
    values = values.astype(np.float32)
    across = values[:, left] * (1.0 - right) + values[:, left + 1] * right
    found: NDArray[np.float32] = across[top] * (1.0 - down) + across[top + 1] * down
    return found
