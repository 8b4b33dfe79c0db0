"""Finds the tags on floor and robots in images of the ceiling's cameras, and tells where each robot is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.ceiling.calibration import CeilingCalibration
from arena_trees.perception.ceiling.corners import refine_corners
from arena_trees.perception.ceiling.fusion import (
    CeilingDisagreement,
    CeilingPose,
    RobotSighting,
    fuse_sightings,
)
from arena_trees.perception.ceiling.location import locate_tag
from arena_trees.perception.ceiling.parameters import CeilingParameters
from arena_trees.perception.image import Image, ImageError
from arena_trees.perception.marker_finder import marker_finder
from arena_trees.robot.errors import ConfigError
from arena_trees.world.markers import TAG_CELLS, tag_dictionary

__all__ = ["CameraSightings", "CeilingPoses", "CeilingTracker", "TagFinder"]


@dataclass(frozen=True, slots=True)
class CameraSightings:
    """What one camera saw in one image.

    Attributes:
        camera: its name
        stamp: of the image, ns
        robots: the robots that it saw
        left_out: number of each robot's tag that was found and is not believed, and why
    """

    camera: str
    stamp: int
    robots: tuple[RobotSighting, ...]
    left_out: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CeilingPoses:
    """Where the robots are.

    Attributes:
        robots: name to pose of each robot that was seen; others are absent
        disagreements: pairs of cameras that saw a robot at different places
    """

    robots: Mapping[str, CeilingPose]
    disagreements: tuple[CeilingDisagreement, ...]


class TagFinder:
    """Finds the tags of DICT_APRILTAG_36h11 in images; keeps nothing from image to image."""

    def __init__(self) -> None:
        self._find = marker_finder(tag_dictionary())

    def find(self, image: Image) -> tuple[dict[int, NDArray[np.float64]], dict[int, str]]:
        """Return the corners of each tag by number, and the numbers of those that are left out, with the reason.

        Corners are columns and rows (px), shape (4, 2), from the picture's upper left clockwise.

        Raises:
            ImageError: the image contradicts itself, or is of a kind or size that is not looked at
        """
        grey = np.asarray(cv2.cvtColor(np.ascontiguousarray(image.rgb()), cv2.COLOR_RGB2GRAY), np.uint8)
        found: dict[int, NDArray[np.float64]] = {}
        left_out: dict[int, str] = {}
        for number, rough in self._find(grey):
            corners = refine_corners(grey, rough, TAG_CELLS)
            if number in found or number in left_out:
                found.pop(number, None)
                left_out[number] = "found twice"
            elif corners is None:
                left_out[number] = "has no clear edges"
            else:
                found[number] = corners
        return found, left_out


class CeilingTracker:
    """Tells where robots are by the images of calibrated cameras; keeps nothing from image to image.

    Args:
        parameters: the robots' tags, and the errors to be expected
        calibrations: name of each camera to its calibration, one to four
    """

    MOST_CAMERAS = 4

    def __init__(self, parameters: CeilingParameters, calibrations: Mapping[str, CeilingCalibration]) -> None:
        if not 1 <= len(calibrations) <= self.MOST_CAMERAS:
            raise ConfigError(f"must be 1 to {self.MOST_CAMERAS}", key="cameras", value=len(calibrations))
        self._parameters = parameters
        self._calibrations = dict(calibrations)
        self._finder = TagFinder()

    def look(self, camera: str, image: Image) -> CameraSightings:
        """Return which robots a camera saw in an image, and where.

        Raises:
            ConfigError: there is no such camera
            ImageError: the image cannot be looked at, or is not of the size that the camera was calibrated for
        """
        if camera not in self._calibrations:
            raise ConfigError("there is no such camera", key="camera", value=camera)
        calibration = self._calibrations[camera]
        lens = calibration.camera.intrinsics
        if (image.width, image.height) != (lens.width, lens.height):
            raise ImageError(f"camera {camera} was calibrated for {lens.width}x{lens.height} px, got {image}")
        return self.locate(camera, image.stamp, *self._finder.find(image))

    def locate(
        self, camera: str, stamp: int, found: Mapping[int, NDArray[np.float64]], unclear: Mapping[int, str]
    ) -> CameraSightings:
        """Return which robots carry the tags that a finder has found in an image.

        Args:
            camera: name of a calibrated camera
            stamp: of the image, ns
            found: number to corners (px, shape (4, 2)) of each tag, as of :meth:`TagFinder.find`
            unclear: numbers of tags that are left out, and why
        """
        calibration = self._calibrations[camera]
        parameters, robots = self._parameters, []
        numbers = {tag.number for tag in parameters.robots.values()}
        left_out = {number: why for number, why in unclear.items() if number in numbers}
        for name, tag in parameters.robots.items():
            if tag.number not in found:
                continue
            location = locate_tag(calibration.camera, calibration.covariance, tag, found[tag.number], parameters)
            if location is None:
                left_out[tag.number] = "does not meet the plane of its height"
            elif not location.rms_px <= parameters.max_fit_px:
                left_out[tag.number] = f"fits with {location.rms_px:.1f} px: another size or height, or not level"
            else:
                robots.append(RobotSighting(name, camera, stamp, location))
        return CameraSightings(camera, stamp, tuple(robots), left_out)

    def fuse(self, seen: Sequence[CameraSightings]) -> CeilingPoses:
        """Return where the robots are by the newest images of the cameras, at most one a camera."""
        poses: dict[str, CeilingPose] = {}
        disagreements: list[CeilingDisagreement] = []
        for name in self._parameters.robots:
            own = [robot for one in seen for robot in one.robots if robot.robot == name]
            pose, against = fuse_sightings(own, self._parameters)
            disagreements += against
            if pose is not None:
                poses[name] = pose
        return CeilingPoses(poses, tuple(disagreements))
