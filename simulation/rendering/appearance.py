"""The look of an arena: floor, walls, room, light and paint, drawn from the world's random streams."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.textures import Picture, backdrop_texture, colour, floor_texture, wall_texture

__all__ = ["Appearance", "DirectionalLight", "draw_appearance", "sign_picture"]

_SIGN_SIDE = 256
"""Side of a sign's texture, px: more than any camera here sees of it."""

_WALL_TEXTURES = 4


@dataclass(frozen=True, slots=True)
class DirectionalLight:
    """A light from one direction: the direction it shines in, and its strength, 0 to 1."""

    direction: tuple[float, float, float]
    strength: float


@dataclass(frozen=True, slots=True)
class Appearance:
    """How an arena looks.

    Attributes:
        floor: tile of the floor
        floor_tile: side of the tile, m
        walls: tiles of walls and boxes, of which each takes one
        wall_tile: side of these tiles, m
        backdrops: the four walls of the room around
        backdrop_gap: between the arena and the room's walls, m
        ambient: light from everywhere, 0 to 1
        lights: lights from one direction
        sky: colour of what is above the room's walls
        robot: colour of the robots' plastic
        card: colour of the card that signs are made of
    """

    floor: Picture
    floor_tile: float
    walls: tuple[Picture, ...]
    wall_tile: float
    backdrops: tuple[Picture, ...]
    backdrop_gap: float
    ambient: float
    lights: tuple[DirectionalLight, ...]
    sky: list[float]
    robot: list[float]
    card: list[float]


def draw_appearance(streams: RandomStreams) -> Appearance:
    """Draw a look.

    Args:
        streams: the trial's streams; only ``world.look`` is used, so that a look changes nothing else
    """
    rng = streams.child("world").generator("look")
    lights = tuple(_draw_light(rng) for _ in range(int(rng.integers(1, 3))))
    return Appearance(
        floor=floor_texture(rng),
        floor_tile=float(rng.uniform(0.3, 1.5)),
        walls=tuple(wall_texture(rng) for _ in range(_WALL_TEXTURES)),
        wall_tile=float(rng.uniform(0.4, 2.0)),
        backdrops=tuple(backdrop_texture(rng) for _ in range(4)),
        backdrop_gap=float(rng.uniform(0.3, 4.0)),
        ambient=float(rng.uniform(0.25, 0.6)),
        lights=lights,
        sky=colour(rng, 0.3, 1.0, 0.2),
        robot=colour(rng, 0.05, 0.3, 0.2),
        card=colour(rng, 0.6, 0.95, 0.3),
    )


def _draw_light(rng: np.random.Generator) -> DirectionalLight:
    """Draw a light that shines down more than sideways."""
    tilt, around = rng.uniform(0.1, 1.1), rng.uniform(-math.pi, math.pi)
    direction = (
        float(math.sin(tilt) * math.cos(around)),
        float(math.sin(tilt) * math.sin(around)),
        float(-math.cos(tilt)),
    )
    return DirectionalLight(direction, float(rng.uniform(0.15, 0.6)))


def sign_picture(label: str, folder: Path | None = None) -> Picture:
    """Return what is printed on a sign, RGB, on white where the drawing is transparent.

    Args:
        label: class, such as ``carrot``; its drawing is ``<label>.png``
        folder: of the drawings; those that ship with the code where not given

    Raises:
        ConfigError: there is no such drawing, or it cannot be read
    """
    return _load_picture(label, resource_path("models", "signs") if folder is None else folder)


@lru_cache(maxsize=64)
def _load_picture(label: str, folder: Path) -> Picture:
    path = folder / f"{label}.png"
    raw = cv2.imread(str(path), cv2.IMREAD_UNCHANGED) if path.is_file() else None
    if raw is None or raw.dtype != np.uint8:
        raise ConfigError("there is no drawing of this sign to render", file=path, key="label", value=label)
    if raw.ndim == 2:
        raw = cv2.cvtColor(raw, cv2.COLOR_GRAY2BGRA)
    if raw.shape[2] == 4:
        alpha = raw[..., 3:].astype(np.float32) / 255.0
        raw = (raw[..., :3] * alpha + 255.0 * (1.0 - alpha)).astype(np.uint8)
    small = cv2.resize(raw, (_SIGN_SIDE, _SIGN_SIDE), interpolation=cv2.INTER_AREA)
    picture: Picture = np.ascontiguousarray(small[..., ::-1])
    picture.setflags(write=False)
    return picture
