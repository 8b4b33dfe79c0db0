"""Where a level tag of a known height and size is, by one camera, and how sure that is.

The robot's x, y and yaw are those by which the tag's four corners project nearest to where they were found (least
squares, by Gauss and Newton's method, from the corners' rays cut with the plane at the tag's height). The covariance is
that of first-order propagation: with J the corners' change with x, y and yaw, and N their change with anything else
that is uncertain, A = (J'J)^-1 J' gives A S A' for the covariance S of pixels, and A N C N' A' for the covariance C of
the rest [Hartley and Zisserman 2004, chapter 5].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.ceiling.camera import CeilingCamera
from arena_trees.perception.ceiling.parameters import CeilingParameters, RobotTag, tag_corners
from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["Location", "locate_tag", "pose_covariances"]

_STEPS = 8
_STILL = 1e-8
_UP = np.array([0.0, 0.0, 1.0])
_SMALL = 1e-5
"""Step of numerical derivatives, m and rad."""


@dataclass(frozen=True, slots=True, eq=False)
class Location:
    """Where a robot is by one camera.

    Attributes:
        pose: of base_link, map frame
        own: covariance of x, y and yaw by what another camera does not share: pixels, calibration, height; (3, 3)
        shared: covariance by where the tag sits on the robot, which all cameras share; (3, 3)
        rms_px: RMS distance between the corners found and those of the pose, px
    """

    pose: Pose2D
    own: NDArray[np.float64]
    shared: NDArray[np.float64]
    rms_px: float


def locate_tag(
    camera: CeilingCamera,
    camera_covariance: NDArray[np.float64],
    tag: RobotTag,
    corners: NDArray[np.float64],
    parameters: CeilingParameters,
) -> Location | None:
    """Return where the robot that carries a tag is; None where its rays do not meet the plane of the tag.

    Args:
        camera: that saw it
        camera_covariance: of the camera's turn (rad) and shift (m), shape (6, 6)
        tag: on the robot
        corners: from the picture's upper left clockwise, px, shape (4, 2)
        parameters: the errors to be expected
    """
    start = _first_guess(camera, tag, corners)
    if start is None:
        return None
    state = np.array([start.x, start.y, start.yaw])
    for _ in range(_STEPS):
        off = (corners - camera.project(_corners(tag, state))).ravel()
        slopes = _slopes(lambda change, at=state: camera.project(_corners(tag, at + change)), 3)  # type: ignore[misc]
        if not (np.isfinite(off).all() and np.isfinite(slopes).all()):
            return None
        step = np.linalg.lstsq(slopes, off, rcond=None)[0]
        state = state + step
        if np.abs(step).max() < _STILL:
            break
    off = corners - camera.project(_corners(tag, state))
    pose = Pose2D(float(state[0]), float(state[1]), wrap(float(state[2])))
    own, shared = pose_covariances(camera, camera_covariance, tag, pose, parameters)
    return Location(pose, own, shared, float(np.sqrt(np.mean(np.sum(off**2, axis=1)))))


def pose_covariances(
    camera: CeilingCamera,
    camera_covariance: NDArray[np.float64],
    tag: RobotTag,
    pose: Pose2D,
    parameters: CeilingParameters,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return :attr:`Location.own` and :attr:`Location.shared` of a robot at a pose; arguments as for `locate_tag`."""
    state = np.array([pose.x, pose.y, pose.yaw])
    points = _corners(tag, state)
    inverse = np.linalg.pinv(_slopes(lambda change: camera.project(_corners(tag, state + change)), 3))
    by_camera = inverse @ _slopes(lambda change: camera.moved(change).project(points), 6)
    by_height = inverse @ _slopes(lambda change: camera.project(points + change[0] * _UP), 1)
    by_mount = inverse @ _slopes(lambda change: camera.project(_corners(_moved(tag, change), state)), 3)
    own = parameters.corner_sd_px**2 * inverse @ inverse.T
    own = own + by_camera @ camera_covariance @ by_camera.T + parameters.height_sd**2 * by_height @ by_height.T
    spread = np.diag([parameters.mount_sd, parameters.mount_sd, math.radians(parameters.mount_sd_deg)]) ** 2
    return own, by_mount @ spread @ by_mount.T


def _corners(tag: RobotTag, state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a tag's corners in the map for the x, y and yaw of base_link, shape (4, 3)."""
    base = Pose2D(float(state[0]), float(state[1]), float(state[2]))
    return tag_corners(base.compose(tag.pose), tag.size, tag.height)


def _moved(tag: RobotTag, change: NDArray[np.float64]) -> RobotTag:
    """Return a tag that sits elsewhere on its robot by x, y (m) and yaw (rad)."""
    place = {"x": tag.x + change[0], "y": tag.y + change[1], "yaw_deg": tag.yaw_deg + math.degrees(change[2])}
    return tag.model_copy(update=place)


def _slopes(function: Callable[[NDArray[np.float64]], NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """Return the derivatives of a function of ``count`` numbers at zero, a column each, by central differences."""
    steps = _SMALL * np.eye(count)
    return np.stack([(function(step) - function(-step)).ravel() / (2.0 * _SMALL) for step in steps], axis=-1)


def _first_guess(camera: CeilingCamera, tag: RobotTag, corners: NDArray[np.float64]) -> Pose2D | None:
    """Return the robot's pose by the corners' rays: of two squares in a plane, the motion of least squares."""
    found = camera.place_at(corners, tag.height)
    if not np.isfinite(found).all():
        return None
    own = tag_corners(tag.pose, tag.size, tag.height)[:, :2]
    there, here = found - found.mean(axis=0), own - own.mean(axis=0)
    across = float(np.sum(here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]))
    turned = Pose2D(0.0, 0.0, math.atan2(across, float(np.sum(here * there))))
    middle = turned.compose(Pose2D(*own.mean(axis=0).tolist()))
    x, y = found.mean(axis=0).tolist()
    return Pose2D(x - middle.x, y - middle.y, turned.yaw)
