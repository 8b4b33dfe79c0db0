"""Decor: pictures on an arena's floor and on what stands there, for cameras alone; nothing collides with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena_trees.robot.geometry import Pose2D

if TYPE_CHECKING:
    from arena_trees.world.textures import Picture

__all__ = ["Decor", "Panel"]


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """An upright picture.

    Attributes:
        name: unique in the arena
        pose: of its centre, map frame; it faces along yaw
        height: of its centre above the floor, m
        size: width and height, m
        picture: RGB
    """

    name: str
    pose: Pose2D
    height: float
    size: tuple[float, float]
    picture: Picture


@dataclass(frozen=True, slots=True, eq=False)
class Decor:
    """What an arena shows.

    Attributes:
        floor: picture of the square around the map's origin, RGB; its columns run along x, its lowest row is at -y
        side: of the square, m
        panels: upright pictures
    """

    floor: Picture
    side: float
    panels: tuple[Panel, ...] = ()
