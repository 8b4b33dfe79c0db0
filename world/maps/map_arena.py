"""Arenas from maps: walls where a map has them, no fences, and a start for each robot."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.maps.map_files import start_pose
from arena_trees.world.maps.map_walls import map_walls
from arena_trees.world.maps.occupancy_map import load_map

__all__ = ["map_arena"]

_NAME = 40
"""Letters of an arena's name."""


def map_arena(path: Path, robots: Iterable[str]) -> ArenaFile:
    """Return the arena of a map.

    A robot starts at the pose that :func:`~arena_trees.world.maps.map_files.start_pose` returns.

    Args:
        path: of the map's file
        robots: names of those who start in it

    Raises:
        ConfigError: the map cannot be used, or no robot can start in it
    """
    area = load_map(path)
    start = start_pose(path, area)
    values: dict[str, Any] = {
        "name": _name(path.stem),
        "walls": map_walls(area),
        "fenced": False,
        "starts": {name: {"position": (start.x, start.y), "yaw": start.yaw} for name in robots},
    }
    return validate(ArenaFile, values, path)


def _name(stem: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "_", f"map_{stem.lower()}")[:_NAME]
