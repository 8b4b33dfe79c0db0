"""Where maps lie, and where a robot starts on them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np

from arena_trees.robot.configuration.hints import no_such, no_such_file
from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.configuration.resources import config_files
from arena_trees.robot.configuration.yaml_files import load_model
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["START_CLEARANCE", "StartFile", "find_map", "map_names", "start_pose"]

START_CLEARANCE = 0.25
"""The centre of a robot that starts is at least that far from walls, m."""
_START_SUFFIX = ".arena.yaml"


class StartFile(Parameters):
    """The file NAME.arena.yaml next to a map NAME.yaml: what map_server's own file has no key for."""

    start: Annotated[tuple[float, float, float], FROM_LIST] = parameter(
        ..., "x, y (m) and yaw (rad) of the robot, map frame"
    )


def map_names() -> list[str]:
    """Return the names of the maps that ship with the code."""
    return list(_shipped())


def find_map(name_or_file: str) -> Path:
    """Return the YAML file of a map.

    Args:
        name_or_file: name of a shipped map, or path of a file

    Raises:
        ConfigError: there is neither
    """
    shipped = _shipped()
    if name_or_file in shipped:
        return shipped[name_or_file]
    path = Path(name_or_file)
    if os.path.isfile(path):
        return path
    if path.suffix in (".yaml", ".yml"):
        raise ConfigError(no_such_file(path), file=path)
    raise ConfigError(no_such("map", name_or_file, shipped), key="map", value=name_or_file)


def _shipped() -> dict[str, Path]:
    """Return the maps that ship with the code, name to YAML file."""
    return {name: path for name, path in config_files("maps").items() if not path.name.endswith(_START_SUFFIX)}


def start_pose(path: Path, map: OccupancyMap) -> Pose2D:
    """Return where the robot starts on a map, map frame: its home.

    Args:
        path: of the map's YAML file; the start in NAME.arena.yaml next to it counts, and where there is none, the
            centre of the cell with the most clearance (the first of several, row by row) of the part of the map from
            which most can be reached, looking along the x axis
        map: that is in the file

    Raises:
        ConfigError: the file next to the map cannot be used, or its start is too near to a wall
    """
    start_file = path.with_name(path.stem + _START_SUFFIX)
    if os.path.lexists(start_file):
        start = Pose2D(*load_model(StartFile, start_file).start)
        found = map.clearance_at(start.x, start.y)
        if found < START_CLEARANCE:
            reason = f"the start is less than {START_CLEARANCE:g} m from a wall or outside the map"
            raise ConfigError(reason, file=start_file, key="start", value=(start.x, start.y))
        return start
    fits = map.free & (map.clearance >= START_CLEARANCE - 1e-6)
    if not fits.any():
        raise ConfigError(f"no place of the map is {START_CLEARANCE:g} m from all walls", file=path)
    # Cells that share sides and fit are joined in every free space of that clearance.
    _, parts, figures, _ = cv2.connectedComponentsWithStats(fits.astype(np.uint8), connectivity=4)
    widest = 1 + int(np.argmax(figures[1:, cv2.CC_STAT_AREA]))
    row, column = np.unravel_index(int(np.argmax(np.where(parts == widest, map.clearance, 0.0))), map.shape)
    x, y = map.world(float(row), float(column))
    return Pose2D(x, y)
