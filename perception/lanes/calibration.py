"""How a robot's camera sees lines: the colours of each line and where the camera is, robot by robot, from a file.

Colours are those of a picture whose floor was made white (:mod:`~arena_trees.perception.lanes.birds_eye`), in OpenCV's
hue but in degrees of 0 to 360, and saturation and value of 0 to 1. A pixel counts in part between two limits.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import model_validator

from arena_trees.perception.lanes.floor_camera import CameraPlace
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.configuration.yaml_files import load_model
from arena_trees.robot.errors import ConfigError

__all__ = ["BlackInk", "ColouredInk", "LaneCalibration", "LaneCalibrations", "load_calibration"]


class ColouredInk(Parameters):
    """A red or green line."""

    hue_deg: float = parameter(..., "hue of the line", "deg", ge=0, lt=360)
    tolerance_deg: float = parameter(30.0, "how far from that hue a pixel still counts", "deg", gt=0, le=90)
    saturation_from: float = parameter(0.15, "less saturated pixels do not count", ge=0, lt=1)
    saturation_full: float = parameter(0.45, "from here on pixels count in full", gt=0, le=1)

    @model_validator(mode="after")
    def _is_ordered(self) -> ColouredInk:
        if self.saturation_from >= self.saturation_full:
            raise ValueError("saturation_from must be below saturation_full")
        return self


class BlackInk(Parameters):
    """A black line."""

    value_full: float = parameter(0.5, "darker pixels count in full", ge=0, lt=1)
    value_to: float = parameter(0.8, "brighter pixels do not count", gt=0, le=1)
    saturation_to: float = parameter(0.6, "of bright enough pixels, more saturated ones do not count", gt=0, le=1)

    @model_validator(mode="after")
    def _is_ordered(self) -> BlackInk:
        if self.value_full >= self.value_to:
            raise ValueError("value_full must be below value_to")
        return self


class LaneCalibration(Parameters):
    """One robot's camera and colours."""

    red: ColouredInk = parameter(ColouredInk(hue_deg=0.0), "the road's middle")
    green: ColouredInk = parameter(ColouredInk(hue_deg=140.0, tolerance_deg=40.0), "stop lines")
    black: BlackInk = parameter(BlackInk(), "the road's edges")
    camera: CameraPlace = parameter(CameraPlace(), "where the camera is")


class LaneCalibrations(Parameters):
    """The file: one calibration for all, and others for robots that differ."""

    default: LaneCalibration = parameter(LaneCalibration(), "of every robot that is not named")
    robots: dict[str, LaneCalibration] = parameter({}, "robot name to its own calibration")


def load_calibration(robot: str, path: str | Path | None = None) -> LaneCalibration:
    """Return a robot's calibration.

    Args:
        robot: its name
        path: YAML file; the shipped ``lane_calibration.yaml`` where not given

    Raises:
        ConfigError: the file or a value in it cannot be used
    """
    found = load_model(LaneCalibrations, config_path("lane_calibration.yaml") if path is None else path)
    if not robot:
        raise ConfigError("must name a robot", key="robot", value=robot)
    return found.robots.get(robot, found.default)
