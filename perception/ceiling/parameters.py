"""Parameters of the cameras on the ceiling: tags on the floor, tags on robots, and how far either is trusted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.body import TURTLEBOT4
from arena_trees.world.markers import TAG_NUMBERS

__all__ = ["CeilingParameters", "FloorTag", "RobotTag", "tag_corners"]


class FloorTag(Parameters):
    """A tag on the floor; its x looks to the picture's right, its y to the picture's top."""

    number: int = parameter(..., "of the tag in DICT_APRILTAG_36h11", ge=0, lt=TAG_NUMBERS)
    x: float = parameter(..., "of its middle, on the sheet", "m", ge=-100, le=100)
    y: float = parameter(..., "of its middle, on the sheet", "m", ge=-100, le=100)
    yaw_deg: float = parameter(0.0, "of its x, on the sheet", "deg", ge=-360, le=360)
    size: float = parameter(0.16, "side of its black square", "m", ge=0.02, le=2)

    @property
    def pose(self) -> Pose2D:
        """Of its middle, on the sheet."""
        return Pose2D(self.x, self.y, math.radians(self.yaw_deg))


class RobotTag(Parameters):
    """A tag that lies flat on top of a robot, its picture's right side to the robot's front; of a TurtleBot 4."""

    number: int = parameter(..., "of the tag in DICT_APRILTAG_36h11", ge=0, lt=TAG_NUMBERS)
    x: float = parameter(0.0, "of its middle, base_link", "m", ge=-1, le=1)
    y: float = parameter(0.0, "of its middle, base_link", "m", ge=-1, le=1)
    yaw_deg: float = parameter(0.0, "direction of its picture's right side, base_link", "deg", ge=-360, le=360)
    height: float = parameter(TURTLEBOT4.height, "above the floor", "m", gt=0, le=3)
    size: float = parameter(0.16, "side of its black square", "m", ge=0.02, le=1)

    @property
    def pose(self) -> Pose2D:
        """Of its middle, base_link."""
        return Pose2D(self.x, self.y, math.radians(self.yaw_deg))


def _spread() -> tuple[FloorTag, ...]:
    """Return four tags, each printed alone on A4, around the middle of a room."""
    places = ((-1.2, 0.9), (1.2, 0.9), (1.2, -0.9), (-1.2, -0.9))
    return tuple(FloorTag(number=100 + index, x=x, y=y) for index, (x, y) in enumerate(places))


class CeilingParameters(Parameters):
    """What cameras on the ceiling look for, and what may be wrong with it by how much.

    Floor tags have their places on a sheet, which may be one of paper or the whole floor; the sheet has its place in
    the map.
    """

    sheet_x: float = parameter(0.0, "of the sheet's origin in the map", "m", ge=-1000, le=1000)
    sheet_y: float = parameter(0.0, "of the sheet's origin in the map", "m", ge=-1000, le=1000)
    sheet_yaw_deg: float = parameter(0.0, "of the sheet's x in the map", "deg", ge=-360, le=360)
    floor: Annotated[tuple[FloorTag, ...], FROM_LIST] = parameter(_spread(), "the tags on the floor")
    robots: Mapping[str, RobotTag] = parameter({}, "name of each robot and its tag")

    min_tags: int = parameter(3, "fewest floor tags that a camera is calibrated by", ge=1, le=100)
    max_rms_px: float = parameter(1.5, "largest RMS reprojection error of a calibration", "px", gt=0, le=20)
    max_floor_sd: float = parameter(
        0.03, "largest standard deviation of places on the floor by a calibration", "m", gt=0, le=1
    )
    max_fit_px: float = parameter(2.0, "a robot's tag whose corners fit worse (RMS) is left out", "px", gt=0, le=20)

    corner_sd_px: float = parameter(0.2, "standard deviation of a corner found in an image", "px", gt=0, le=10)
    survey_sd: float = parameter(0.002, "standard deviation of a floor tag's x and y", "m", ge=0, le=0.5)
    mount_sd: float = parameter(0.002, "standard deviation of the x and y of a robot's tag", "m", ge=0, le=0.5)
    mount_sd_deg: float = parameter(0.5, "standard deviation of the yaw of a robot's tag", "deg", ge=0, le=45)
    height_sd: float = parameter(0.003, "standard deviation of the height of a robot's tag", "m", ge=0, le=0.5)

    max_age_s: float = parameter(0.1, "what a camera saw longer before the newest image is left out", "s", ge=0, le=5)
    max_speed: float = parameter(TURTLEBOT4.max_linear, "of a robot between two cameras' images", "m/s", ge=0, le=10)
    max_yaw_rate: float = parameter(
        TURTLEBOT4.max_angular, "of a robot between two cameras' images", "rad/s", ge=0, le=50
    )
    disagreement: float = parameter(
        5.0, "cameras that differ by more of their standard deviations contradict each other", gt=1, le=100
    )

    @property
    def sheet(self) -> Pose2D:
        """The sheet's pose in the map."""
        return Pose2D(self.sheet_x, self.sheet_y, math.radians(self.sheet_yaw_deg))

    def floor_corners(self) -> dict[int, NDArray[np.float64]]:
        """Return the corners of each floor tag by its number: in the map (m), shape (4, 3)."""
        return {tag.number: tag_corners(self.sheet.compose(tag.pose), tag.size, 0.0) for tag in self.floor}

    @model_validator(mode="after")
    def _numbers_are_unique(self) -> CeilingParameters:
        twice = _repeated([*(tag.number for tag in self.floor), *(tag.number for tag in self.robots.values())])
        if twice is not None:
            raise ValueError(f"two tags have the number {twice}")
        if not all(name.strip() for name in self.robots):
            raise ValueError("a robot has no name")
        return self


def tag_corners(pose: Pose2D, size: float, height: float) -> NDArray[np.float64]:
    """Return the corners of a level tag, from its picture's upper left clockwise, shape (4, 3).

    Args:
        pose: of its middle; the corners are in the same frame, m
        size: side of its black square, m
        height: above the floor, m
    """
    half = size / 2.0
    places = [pose.compose(Pose2D(x, y)) for x, y in ((-half, half), (half, half), (half, -half), (-half, -half))]
    return np.array([(place.x, place.y, height) for place in places])


def _repeated(numbers: Iterable[int]) -> int | None:
    seen: set[int] = set()
    for number in numbers:
        if number in seen:
            return number
        seen.add(number)
    return None
