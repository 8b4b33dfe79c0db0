"""Occupancy maps as ROS's map_server keeps them: a YAML file and an image."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, ConfigDict, ValidationInfo, field_validator

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.configuration.yaml_files import load_model
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.map_image import read_map_image

__all__ = ["MapFile", "OccupancyMap", "load_map"]

_FARTHEST = 1e6
"""Larger coordinates (m) of an origin are refused: floating point would blur the cells."""

_SAVED_UNKNOWN = 1.0 - 205 / 255
"""Occupancy that map_saver writes for a cell of which nothing is known."""


def _zero_or_one(value: object) -> object:
    return bool(value) if type(value) is int and value in (0, 1) else value


Triple = Annotated[tuple[float, float, float], FROM_LIST]
Flag = Annotated[bool, BeforeValidator(_zero_or_one)]


class MapFile(Parameters):
    """What map_server's YAML file holds; keys that it does not know are passed over, as it does."""

    model_config = ConfigDict(extra="ignore")

    image: str = parameter(..., "file of the image, relative to this file", min_length=1, max_length=4096)
    resolution: float = parameter(..., "side of a pixel", "m", ge=1e-4, le=10)
    origin: Triple = parameter(..., "x, y (m) and yaw (rad) of the image's lower left corner, map frame")
    negate: Flag = parameter(False, "bright pixels are occupied, dark ones free")
    occupied_thresh: float = parameter(0.65, "a pixel above it is occupied", ge=0, le=1)
    free_thresh: float = parameter(0.196, "a pixel below it is free", ge=0, le=1)
    mode: Literal["trinary", "scale", "raw"] = parameter("trinary", "how brightness becomes occupancy")

    @field_validator("origin")
    @classmethod
    def _origin_is_near(cls, origin: tuple[float, float, float]) -> tuple[float, float, float]:
        if any(abs(value) > _FARTHEST for value in origin):
            raise ValueError(f"must be within {_FARTHEST:g}")
        return origin

    @field_validator("free_thresh")
    @classmethod
    def _free_is_below(cls, free: float, info: ValidationInfo) -> float:
        if free > info.data.get("occupied_thresh", 1.0):
            raise ValueError("must not be above occupied_thresh")
        return free


@dataclass(frozen=True, slots=True, eq=False)
class OccupancyMap:
    """A grid over the floor. Row 0, column 0 is the cell at the origin; rows grow along the map's y axis.

    Attributes:
        resolution: side of a cell, m
        origin: corner of cell (0, 0) in the map frame; its yaw turns the whole grid
        occupancy: how occupied each cell looks, 0 (free) to 1, before any threshold; shape (rows, columns)
        unknown: cells of which nothing is known; shape (rows, columns)
        free: cells below the threshold for free ones, shape (rows, columns)
        clearance: distance (m) from each cell's centre to the face of the nearest cell that is not free (unknown
            ones and all outside the grid among them), 0 in such a cell; shape (rows, columns). It is exact along
            the axes, and up to 0.21 cells too large past a corner
    """

    resolution: float
    origin: Pose2D
    occupancy: NDArray[np.float32]
    unknown: NDArray[np.bool_]
    free: NDArray[np.bool_]
    clearance: NDArray[np.float32]

    @classmethod
    def build(
        cls,
        free: NDArray[np.bool_],
        resolution: float,
        origin: Pose2D | None = None,
        occupancy: NDArray[np.float32] | None = None,
        unknown: NDArray[np.bool_] | None = None,
    ) -> OccupancyMap:
        """Return the map of some cells; those that are not free are occupied, where nothing else is specified.

        Args:
            free: shape (rows, columns), row 0 at the origin
            resolution: side of a cell, m
            origin: corner of cell (0, 0) in the map frame
            occupancy: as the attribute
            unknown: as the attribute
        """
        padded = np.pad(free.astype(np.uint8), 1)
        cells = cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
        return cls(
            resolution,
            origin or Pose2D(),
            np.where(free, 0.0, 1.0).astype(np.float32) if occupancy is None else occupancy,
            np.zeros(free.shape, np.bool_) if unknown is None else unknown,
            free,
            (np.maximum(cells - 0.5, 0.0) * resolution).astype(np.float32),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.free.shape[0], self.free.shape[1]

    @property
    def free_area(self) -> float:
        """Area of the free cells, m2."""
        return float(np.count_nonzero(self.free)) * self.resolution**2

    def world(self, row: float, column: float) -> tuple[float, float]:
        """Return the centre of a cell, map frame, m."""
        x, y = self.points([row], [column])[0]
        return float(x), float(y)

    def points(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[np.float64]:
        """Return the centres (map frame, m) of n cells, shape (n, 2)."""
        x = (np.asarray(columns, np.float64) + 0.5) * self.resolution
        y = (np.asarray(rows, np.float64) + 0.5) * self.resolution
        cosine, sine = math.cos(self.origin.yaw), math.sin(self.origin.yaw)
        return np.stack((self.origin.x + cosine * x - sine * y, self.origin.y + sine * x + cosine * y), axis=-1)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return row and column of the cell that holds a point (map frame, m); it may lie outside the grid."""
        cosine, sine = math.cos(self.origin.yaw), math.sin(self.origin.yaw)
        dx, dy = x - self.origin.x, y - self.origin.y
        column = math.floor((cosine * dx + sine * dy) / self.resolution)
        row = math.floor((cosine * dy - sine * dx) / self.resolution)
        return row, column

    def clearance_at(self, x: float, y: float) -> float:
        """Return the clearance (m) of the cell that holds a point (map frame, m); 0 outside the grid."""
        row, column = self.cell(x, y)
        if not (0 <= row < self.shape[0] and 0 <= column < self.shape[1]):
            return 0.0
        return float(self.clearance[row, column])


def load_map(path: str | Path) -> OccupancyMap:
    """Return the map in a YAML file of map_server's form and the image that it names.

    Brightness becomes occupancy by the rules of Nav2's map_server (map_io.cpp): the mean of the colour channels,
    in mode trinary with alpha among them; in mode scale a pixel that is not opaque is unknown; in mode raw the
    values 0 to 100 of 255 are per cent, and all others unknown. One thing is distinguished that map_server does not:
    map_saver writes 205 for an unknown cell, with a free_thresh of 0.25 that would read it as free; here it is
    unknown in mode trinary whatever the threshold.

    Raises:
        ConfigError: the file, a value in it or the image cannot be used; names file, key and value
    """
    path = Path(path)
    values = load_model(MapFile, path)
    try:
        image = read_map_image(path.parent / values.image)
    except (ConfigError, ValueError) as error:
        reason = error.reason if isinstance(error, ConfigError) else str(error)
        value = values.image if not isinstance(error, ConfigError) or error.value is None else error.value
        shown = f"image {values.image}: {reason}" if value is not values.image else reason
        raise ConfigError(shown, file=path, key="image", value=value) from error
    occupancy, unknown = _occupancy(np.ascontiguousarray(image[::-1]), values)
    free = (occupancy < values.free_thresh) & ~unknown
    return OccupancyMap.build(free, values.resolution, Pose2D(*values.origin), occupancy, unknown)


def _occupancy(image: NDArray[np.float32], values: MapFile) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Return how occupied each pixel looks, and which are unknown."""
    opaque = image[..., 3] >= 1.0 if image.shape[2] == 4 else np.ones(image.shape[:2], np.bool_)
    channels = image if values.mode == "trinary" else image[..., :3]
    shade = channels.mean(axis=2, dtype=np.float32)
    if values.mode == "raw":
        per_cent = np.rint(shade * 255.0)
        unknown = per_cent > 100.0
        return np.where(unknown, 1.0, per_cent / 100.0).astype(np.float32), unknown
    occupancy = shade if values.negate else (np.float32(1.0) - shade).astype(np.float32)
    if values.mode == "scale":
        return occupancy, ~opaque
    between = (occupancy >= values.free_thresh) & (occupancy <= values.occupied_thresh)
    return occupancy, between | (np.abs(occupancy - _SAVED_UNKNOWN) < 1e-4)
