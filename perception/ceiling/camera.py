"""A camera with a lens, anywhere in the map: from places to pixels, and from pixels to places at a height.

Columns and rows count from the centre of the first pixel, rows downwards, as OpenCV counts. The optical frame has x to
the image's right, y down and z ahead (REP-103).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.world.camera_pose import CameraPose

__all__ = ["CameraIntrinsics", "CeilingCamera"]

_MODELS = {"plumb_bob": (0, 4, 5), "rational_polynomial": (0, 8), "": (0,)}
"""Distortion models of sensor_msgs/CameraInfo that OpenCV's functions know, and how many numbers each has."""

_STEPS = 20
_CLOSE_PX = 1e-4


class CameraIntrinsics(Parameters):
    """Size and lens of a camera, as sensor_msgs/CameraInfo has them."""

    width: int = parameter(1280, "of the image", "px", ge=8, le=4096)
    height: int = parameter(720, "of the image", "px", ge=8, le=4096)
    fx: float = parameter(900.0, "focal length along columns", "px", gt=1, le=100_000)
    fy: float = parameter(900.0, "focal length along rows", "px", gt=1, le=100_000)
    cx: float = parameter(639.5, "column of the principal point", "px", ge=-10_000, le=10_000)
    cy: float = parameter(359.5, "row of the principal point", "px", ge=-10_000, le=10_000)
    distortion: Annotated[tuple[float, ...], FROM_LIST] = parameter(
        (), "none; k1, k2, p1, p2 and perhaps k3 (plumb_bob); or k1, k2, p1, p2, k3 to k6 (rational_polynomial)"
    )

    @model_validator(mode="after")
    def _distortion_is_known(self) -> CameraIntrinsics:
        if len(self.distortion) not in (0, 4, 5, 8):
            raise ValueError("distortion must be 0, 4, 5 or 8 numbers")
        return self

    @classmethod
    def from_camera_info(
        cls, width: int, height: int, k: Sequence[float], d: Sequence[float], model: str, source: str | Path
    ) -> CameraIntrinsics:
        """Return the intrinsics that a sensor_msgs/CameraInfo states.

        Args:
            width: of the image, px
            height: of the image, px
            k: the intrinsic matrix, nine numbers row by row
            d: numbers of the distortion
            model: its ``distortion_model``
            source: the topic, named in errors

        Raises:
            ConfigError: the camera is not calibrated, or its model is none of plumb_bob and rational_polynomial
        """
        if len(k) != 9 or not k[0] > 0.0:
            raise ConfigError("the camera has no intrinsics: calibrate it first", file=source, key="k", value=list(k))
        if model not in _MODELS or len(d) not in _MODELS[model]:
            known = " or ".join(name for name in _MODELS if name)
            reason = f"must be {known}, with as many numbers in d"
            raise ConfigError(reason, file=source, key="distortion_model", value=(model, len(d)))
        values = {"width": int(width), "height": int(height), "distortion": [float(one) for one in d]}
        lens = dict(zip(("fx", "cx", "fy", "cy"), (float(k[index]) for index in (0, 2, 4, 5)), strict=True))
        return validate(cls, values | lens, source)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The intrinsic matrix, shape (3, 3)."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """The distortion in OpenCV's order, shape (n,)."""
        return np.array(self.distortion or (0.0,) * 4)

    def undistort(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where rays of pixels pass the plane one focal length ahead (x right, y down), shape (n, 2).

        NaN where the lens model has no such ray. OpenCV's own iteration stops early at strong distortion, so that
        Newton's method goes on from there.
        """
        pixels = np.asarray(pixels, np.float64).reshape(-1, 2)
        if not self.distortion or not len(pixels):
            return (pixels - (self.cx, self.cy)) / (self.fx, self.fy)
        places = np.asarray(cv2.undistortPoints(pixels[:, None], self.matrix, self.coefficients), np.float64)[:, 0]
        for _ in range(_STEPS):
            seen, slopes = self._distorted(places)
            with np.errstate(all="ignore"):
                off = seen - pixels
                determinant = slopes[:, 0, 0] * slopes[:, 1, 1] - slopes[:, 0, 1] * slopes[:, 1, 0]
                right = (slopes[:, 1, 1] * off[:, 0] - slopes[:, 0, 1] * off[:, 1]) / determinant
                down = (slopes[:, 0, 0] * off[:, 1] - slopes[:, 1, 0] * off[:, 0]) / determinant
            places = places - np.stack([right, down], axis=-1)
            if np.nanmax(np.abs(off), initial=0.0) < _CLOSE_PX / 100.0:
                break
        wrong = ~(np.abs(self._distorted(places)[0] - pixels).max(axis=1) < _CLOSE_PX)
        places[wrong] = np.nan
        return places

    def _distorted(self, places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the pixels of places one focal length ahead, and how they move with those, shape (n, 2, 2)."""
        points = np.column_stack([places, np.ones(len(places))])
        zero = np.zeros(3)
        pixels, jacobian = cv2.projectPoints(points[:, None], zero, zero, self.matrix, self.coefficients)[:2]
        # By OpenCV's order: rotation, translation, focal lengths and so on.
        slopes = np.asarray(jacobian, np.float64)[:, 3:5].reshape(-1, 2, 2)
        return np.asarray(pixels, np.float64).reshape(-1, 2), slopes


@dataclass(frozen=True, eq=False)
class CeilingCamera:
    """A camera in the map.

    Attributes:
        intrinsics: size and lens
        turn: rotation vector (rad) that takes directions of the map into the optical frame, shape (3,)
        shift: the map's origin in the optical frame, m, shape (3,)
    """

    intrinsics: CameraIntrinsics
    turn: NDArray[np.float64]
    shift: NDArray[np.float64]

    @classmethod
    def at(cls, intrinsics: CameraIntrinsics, pose: CameraPose) -> CeilingCamera:
        """Return the camera at a pose."""
        ahead, left, up = pose.axes()
        rotation = np.stack([-left, -up, ahead])
        turn = np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel()
        return cls(intrinsics, turn, -rotation @ (pose.x, pose.y, pose.z))

    @cached_property
    def rotation(self) -> NDArray[np.float64]:
        """The optical frame's axes in the map as rows, shape (3, 3)."""
        return np.asarray(cv2.Rodrigues(self.turn)[0], np.float64)

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """Where it is in the map, m, shape (3,)."""
        found: NDArray[np.float64] = -self.rotation.T @ self.shift
        return found

    @property
    def looks_down(self) -> bool:
        """Whether it is above the floor and its axis meets that."""
        return bool(self.centre[2] > 0.0 and self.rotation[2, 2] < 0.0)

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return columns and rows of places (map, m, shape (n, 3)), shape (n, 2); NaN for those behind the camera.

        Places far outside the image are folded into it by polynomial lens models: ask for none.
        """
        points = np.asarray(points, np.float64).reshape(-1, 3)
        lens = self.intrinsics
        pixels = cv2.projectPoints(points[:, None], self.turn, self.shift, lens.matrix, lens.coefficients)[0]
        found = np.asarray(pixels, np.float64).reshape(-1, 2)
        found[points @ self.rotation[2] + self.shift[2] <= 0.0] = np.nan
        return found

    def place_at(self, pixels: NDArray[np.float64], height: float) -> NDArray[np.float64]:
        """Return where the rays of pixels meet a level plane (map, m, shape (n, 2)); NaN where they do not.

        Args:
            pixels: columns and rows, shape (n, 2)
            height: of the plane above the floor, m
        """
        places = self.intrinsics.undistort(pixels)
        rays = np.column_stack([places, np.ones(len(places))]) @ self.rotation
        with np.errstate(all="ignore"):
            along = (height - self.centre[2]) / rays[:, 2]
        along[~(along > 0.0)] = np.nan
        found: NDArray[np.float64] = self.centre[:2] + along[:, None] * rays[:, :2]
        return found

    def moved(self, change: NDArray[np.float64]) -> CeilingCamera:
        """Return the camera with its turn (rad) and shift (m) changed by six numbers."""
        return CeilingCamera(self.intrinsics, self.turn + change[:3], self.shift + change[3:])
