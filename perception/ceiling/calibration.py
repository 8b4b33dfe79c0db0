"""Where a camera on the ceiling is in the map, by the tags that lie on the floor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.ceiling.camera import CameraIntrinsics, CeilingCamera
from arena_trees.perception.ceiling.location import pose_covariances
from arena_trees.perception.ceiling.parameters import CeilingParameters, RobotTag
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D

__all__ = ["CalibrationError", "CeilingCalibration", "calibrate_camera"]

_STEP = 1e-5
"""Of numerical derivatives, m and rad."""

_ROUNDS = 30
_STILL = 1e-10
_GRID = 5
_FLATTEST = math.cos(math.radians(75.0))
"""Where a camera sees the floor under a larger angle from the vertical, its error is not counted."""

_MUCH_BETTER = 0.5
"""A tag is named as wrong if the others fit by so much better without it than without any other."""

_EXACT = {"corner_sd_px": 1e-9, "height_sd": 0.0}


class CalibrationError(ArenaTreesError):
    """A camera cannot be calibrated by what it sees."""


@dataclass(frozen=True, slots=True, eq=False)
class CeilingCalibration:
    """A calibrated camera.

    Attributes:
        camera: in the map
        covariance: of its turn (rad) and shift (m), shape (6, 6)
        tags: numbers of the floor tags that it was calibrated by
        rms_px: RMS reprojection error of their corners, px
        floor_sd: standard deviation (m) of a place on the floor by this calibration alone, along its worst direction:
            RMS over 5 x 5 places spread evenly over the image, by propagation of the covariance
        floor_sd_rad: the same of a heading, rad
    """

    camera: CeilingCamera
    covariance: NDArray[np.float64]
    tags: tuple[int, ...]
    rms_px: float
    floor_sd: float
    floor_sd_rad: float

    def __str__(self) -> str:
        x, y, z = self.camera.centre
        return (
            f"{len(self.tags)} tags, RMS {self.rms_px:.2f} px; camera at ({x:+.3f}, {y:+.3f}, {z:.3f}) m; "
            f"on the floor {1000.0 * self.floor_sd:.1f} mm and {math.degrees(self.floor_sd_rad):.2f} deg"
        )


def calibrate_camera(
    name: str,
    intrinsics: CameraIntrinsics,
    seen: Sequence[Mapping[int, NDArray[np.float64]]],
    parameters: CeilingParameters,
) -> CeilingCalibration:
    """Return where a camera is.

    Its pose is that of least squares of the corners' reprojection errors. Of the two poses that corners in a plane
    leave, the one is taken that is above the floor, looks down and fits better. The covariance is propagated from
    corners that are off by `corner_sd_px`, or by the RMS error where that is more, and from tags whose places are off
    by `survey_sd`, each as a whole.

    Args:
        name: of the camera, named in errors
        intrinsics: its size and lens
        seen: of each image the corners of tags by number, px, shape (4, 2), from the picture's upper left clockwise;
            other tags than those of the floor are passed over, and of several images the median is taken
        parameters: the floor tags, and what is refused

    Raises:
        CalibrationError: there are too few tags, they fit badly, or the camera would be below the floor
    """
    known = parameters.floor_corners()
    numbers = tuple(sorted(number for number in known if any(number in image for image in seen)))
    if len(numbers) < parameters.min_tags:
        found = ", ".join(map(str, numbers)) or "none"
        wanted = ", ".join(map(str, sorted(known)))
        raise CalibrationError(
            f"camera {name}: sees {len(numbers)} of the floor's tags ({found}), needs {parameters.min_tags} of {wanted}"
        )
    pixels = np.concatenate([np.median([one[number] for one in seen if number in one], axis=0) for number in numbers])
    points = np.concatenate([known[number] for number in numbers])
    if not np.isfinite(pixels).all():
        raise CalibrationError(f"camera {name}: a corner of a tag is no place in an image")
    camera = _fitted(name, intrinsics, points, pixels)
    rms = _rms(camera, points, pixels)
    if not rms <= parameters.max_rms_px:
        raise CalibrationError(
            f"camera {name}: the floor's tags fit with an RMS error of {rms:.2f} px, more than "
            f"{parameters.max_rms_px:g}: {_suspect(name, intrinsics, numbers, points, pixels)}"
        )
    # An RMS of distances is larger by the square root of 2 than that of columns or rows.
    corner_sd = max(parameters.corner_sd_px, rms / math.sqrt(2.0))
    covariance = _covariance(camera, points, corner_sd, parameters.survey_sd)
    floor_sd, floor_sd_rad = _floor_errors(camera, covariance, parameters)
    if not floor_sd <= parameters.max_floor_sd:
        raise CalibrationError(
            f"camera {name}: its tags leave an error of {floor_sd:.3f} m on the floor, more than "
            f"{parameters.max_floor_sd:g}: lay them farther apart, or more of them"
        )
    return CeilingCalibration(camera, covariance, numbers, rms, floor_sd, floor_sd_rad)


def _fitted(
    name: str, intrinsics: CameraIntrinsics, points: NDArray[np.float64], pixels: NDArray[np.float64]
) -> CeilingCamera:
    """Return the camera of least squares that is above the floor and looks down."""
    rays = intrinsics.undistort(pixels)
    if not np.isfinite(rays).all():
        raise CalibrationError(f"camera {name}: a tag is where the lens model does not reach")
    # By the normalised rays: without a lens, whose model OpenCV inverts only roughly.
    turns, shifts = cv2.solvePnPGeneric(points, rays[:, None], np.eye(3), None, flags=cv2.SOLVEPNP_IPPE)[1:3]
    fitting: list[tuple[float, CeilingCamera]] = []
    for turn, shift in zip(turns, shifts, strict=True):
        first = CeilingCamera(intrinsics, np.asarray(turn, np.float64).ravel(), np.asarray(shift, np.float64).ravel())
        if not first.looks_down:
            continue
        camera = _refined(first, points, pixels)
        rms = _rms(camera, points, pixels)
        if camera.looks_down and math.isfinite(rms):
            fitting.append((rms, camera))
    if not fitting:
        raise CalibrationError(
            f"camera {name}: the floor's tags are seen as from below the floor: check their numbers, places and yaws"
        )
    return min(fitting, key=lambda one: one[0])[1]


def _rms(camera: CeilingCamera, points: NDArray[np.float64], pixels: NDArray[np.float64]) -> float:
    """Return the RMS distance (px) between where a camera would see places and where they were seen."""
    return float(np.sqrt(np.mean(np.sum((camera.project(points) - pixels) ** 2, axis=1))))


def _suspect(
    name: str,
    intrinsics: CameraIntrinsics,
    numbers: tuple[int, ...],
    points: NDArray[np.float64],
    pixels: NDArray[np.float64],
) -> str:
    """Return what to look at: the tag without which the others fit best, if that is much better."""
    rest: list[tuple[float, int]] = []
    for index, number in enumerate(numbers):
        others = np.arange(len(points)) // 4 != index
        try:
            camera = _fitted(name, intrinsics, points[others], pixels[others])
        except (CalibrationError, cv2.error):
            continue
        rest.append((_rms(camera, points[others], pixels[others]), number))
    rest.sort()
    if len(rest) > 1 and rest[0][0] < _MUCH_BETTER * rest[1][0]:
        return f"without tag {rest[0][1]} it is {rest[0][0]:.2f} px, so measure that one's place, yaw and size again"
    return "measure the tags' places, yaws and sizes again, and check the lens's calibration"


def _refined(camera: CeilingCamera, points: NDArray[np.float64], pixels: NDArray[np.float64]) -> CeilingCamera:
    """Return the camera of least squares near one, by Gauss and Newton's method."""
    for _ in range(_ROUNDS):
        off, slopes = (pixels - camera.project(points)).ravel(), _slopes(camera, points)
        if not (np.isfinite(off).all() and np.isfinite(slopes).all()):
            break
        change = np.asarray(np.linalg.lstsq(slopes, off, rcond=None)[0], np.float64)
        camera = camera.moved(change)
        if np.abs(change).max() < _STILL:
            break
    return camera


def _slopes(camera: CeilingCamera, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how places' pixels change with the camera's turn and shift, shape (2 n, 6), by central differences."""
    steps = _STEP * np.eye(6)
    differences = [(camera.moved(one).project(points) - camera.moved(-one).project(points)).ravel() for one in steps]
    return np.stack(differences, axis=-1) / (2.0 * _STEP)


def _covariance(
    camera: CeilingCamera, points: NDArray[np.float64], corner_sd: float, survey_sd: float
) -> NDArray[np.float64]:
    """Return the covariance of the camera's turn and shift, shape (6, 6)."""
    inverse = np.linalg.pinv(_slopes(camera, points))
    total: NDArray[np.float64] = corner_sd**2 * inverse @ inverse.T
    for axis in np.eye(3)[:2]:
        moved = (camera.project(points + _STEP * axis) - camera.project(points - _STEP * axis)) / (2.0 * _STEP)
        for first in range(0, len(points), 4):
            alone = np.zeros_like(moved)
            alone[first : first + 4] = moved[first : first + 4]
            effect = inverse @ alone.ravel()
            total = total + survey_sd**2 * np.outer(effect, effect)
    return total


def _floor_errors(
    camera: CeilingCamera, covariance: NDArray[np.float64], parameters: CeilingParameters
) -> tuple[float, float]:
    """Return the standard deviations (m and rad) of places on the floor by the calibration alone."""
    lens = camera.intrinsics
    columns, rows = np.meshgrid(np.linspace(0, lens.width - 1, _GRID), np.linspace(0, lens.height - 1, _GRID))
    places = camera.place_at(np.stack([columns.ravel(), rows.ravel()], axis=-1), 0.0)
    exact = parameters.model_copy(update=_EXACT)
    tag = RobotTag.model_construct(number=0, x=0.0, y=0.0, yaw_deg=0.0, height=0.0, size=0.16)
    variances = []
    for x, y in places[np.isfinite(places).all(axis=1)]:
        ray = np.array([x, y, 0.0]) - camera.centre
        if -ray[2] >= _FLATTEST * np.linalg.norm(ray):
            own, _ = pose_covariances(camera, covariance, tag, Pose2D(float(x), float(y)), exact)
            variances.append((np.linalg.eigvalsh(own[:2, :2])[-1], own[2, 2]))
    if not variances:
        return math.inf, math.inf
    place, heading = np.sqrt(np.mean(variances, axis=0))
    return float(place), float(heading)
