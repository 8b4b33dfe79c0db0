"""Tags that lie flat, on the floor or on robots, as pictures for a scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena_trees.perception.ceiling.parameters import CeilingParameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.markers import marker_cells, tag_dictionary
from arena_trees.world.textures import Picture

__all__ = ["FlatTag", "flat_tags"]

_CELL_PX = 24
_PAPER, _INK = 235, 25
"""Brightness of what is printed: no paper is quite white and no ink quite black."""

_ON_FLOOR = 0.0003
"""Height (m) at which a tag on the floor is drawn: paper is as thin, and graphics can still tell it from the floor."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatTag:
    """A tag that lies flat.

    Attributes:
        number: of the tag
        picture: what is printed, a white rim of one cell included
        pose: of its middle, in base_link of its robot, or in the map
        height: above the floor, m
        side: of the picture, its rim included, m
        robot: name of the robot that carries it; None on the floor
    """

    number: int
    picture: Picture
    pose: Pose2D
    height: float
    side: float
    robot: str | None = None


def flat_tags(parameters: CeilingParameters) -> list[FlatTag]:
    """Return the tags of a room with cameras on the ceiling."""
    tags = []
    for floor in parameters.floor:
        pose = parameters.sheet.compose(floor.pose)
        tags.append(_tag(floor.number, pose, _ON_FLOOR, floor.size))
    for name, carried in parameters.robots.items():
        tags.append(_tag(carried.number, carried.pose, carried.height, carried.size, name))
    return tags


def _tag(number: int, pose: Pose2D, height: float, size: float, robot: str | None = None) -> FlatTag:
    cells = marker_cells(tag_dictionary(), number)
    rimmed = np.pad(cells, 1, constant_values=True)
    grey = np.kron(np.where(rimmed, _PAPER, _INK), np.ones((_CELL_PX, _CELL_PX))).astype(np.uint8)
    side = size * len(rimmed) / len(cells)
    return FlatTag(number, np.repeat(grey[..., None], 3, axis=2), pose, height, side, robot)
