"""Rays through the arena, for LiDAR and for what a camera cannot see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.physics.model import CAMERA_GROUPS, HULL, LIDAR_GROUPS, ArenaModel

__all__ = ["RayCaster"]

_FAR = 1e9
"""Cut-off of the rays, beyond everything: MuJoCo culls whole geoms by it, not hits."""


class RayCaster:
    """Casts rays that leave out the body of the robot they start from.

    Args:
        arena: the compiled arena
        data: its mujoco.MjData, with current geom poses whenever rays are cast
    """

    def __init__(self, arena: ArenaModel, data: Any) -> None:
        self._arena = arena
        self._data = data
        self._lidar = {
            "all": _mask(LIDAR_GROUPS),
            "walls": _mask([group for group in LIDAR_GROUPS if group != HULL]),
            "robots": _mask([HULL]),
        }
        self._camera = _mask(CAMERA_GROUPS)

    def lidar(
        self, robot: str, origin: Sequence[float], directions: NDArray[np.float64], sees: str = "all"
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return what the LiDAR sees: distances (m), and the numbers of the surfaces; -1 where a ray hits nothing.

        Args:
            robot: whose LiDAR
            origin: x, y, z of the sensor in the map frame, m
            directions: unit vectors, shape (n, 3)
            sees: what rays hit: ``all``, ``walls`` (and boxes) or ``robots``; they go through all else
        """
        return self._cast(robot, origin, directions, self._lidar[sees])

    def visible_share(self, robot: str, origin: Sequence[float], rays: NDArray[np.float64], target: str) -> float:
        """Return the share of points that a camera sees, 0 to 1.

        What belongs to the target itself does not hide it: the sign's box is pulled over its hull.

        Args:
            robot: whose camera
            origin: x, y, z of the camera in the map frame, m
            rays: from the camera to each point, map frame, m, shape (n, 3)
            target: robot or carrot that the points lie on
        """
        # Distances come in units of the ray's own length: 1 is the point itself.
        distances, geoms = self._cast(robot, origin, rays, self._camera)
        owners = self._arena.owners
        seen: int = sum(
            distance < 0.0 or distance > 0.999 or owners[geom] == target
            for distance, geom in zip(distances.tolist(), geoms.tolist(), strict=True)
        )
        return seen / len(rays)

    def _cast(
        self, robot: str, origin: Sequence[float], rays: NDArray[np.float64], mask: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        count = len(rays)
        distances = np.empty(count)
        geoms = np.empty(count, dtype=np.int32)
        mujoco.mj_multiRay(
            self._arena.model,
            self._data,
            origin,
            rays.ravel(),
            mask,
            True,
            self._arena.bodies[robot],
            geoms,
            distances,
            None,
            count,
            _FAR,
        )
        return distances, geoms


def _mask(groups: Sequence[int]) -> NDArray[np.uint8]:
    mask = np.zeros(6, dtype=np.uint8)
    mask[list(groups)] = 1
    return mask
