"""The background of a synthetic scene: plain rooms with floor, walls and boxes, textures and real frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.models.training.pictures import Image
from arena_trees.models.training.viewing import ViewCamera

__all__ = ["add_clutter", "add_cuboid", "draw_room", "draw_texture", "real_background", "surface_colour"]

_WALL = 0.5
"""Height of the arena's walls, m."""

_FARTHEST = 60.0
"""Floor farther away (m) has one colour."""


def surface_colour(rng: np.random.Generator, colourful: float) -> NDArray[np.float64]:
    """Return the colour of a surface, blue green red; mostly greys where ``colourful`` is near 0."""
    grey = rng.uniform(20.0, 245.0)
    return np.asarray(np.clip(grey + rng.normal(0.0, 60.0, 3) * colourful * rng.random(), 0.0, 255.0))


def draw_room(camera: ViewCamera, rng: np.random.Generator, colourful: float) -> Image:
    """Return a picture of an empty arena with some boxes, in plain colours as simulators paint them."""
    size = camera.image_px
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float64) + 0.5
    seen = np.stack([np.ones_like(rows), (size / 2 - columns) / camera.focal_px, (size / 2 - rows) / camera.focal_px])
    rays = np.tensordot(camera.rotation().T, seen, axes=1)
    sky = np.linspace(0.0, 1.0, size)[:, None, None]
    canvas = surface_colour(rng, colourful) * (1.0 - sky) + surface_colour(rng, colourful) * sky
    canvas = np.repeat(canvas, size, axis=1)
    down = rays[2] < -1e-3
    reach = np.where(down, camera.height / np.where(down, -rays[2], 1.0), _FARTHEST)
    floor = down & (reach < _FARTHEST)
    canvas[floor] = _floor_colours(rays[0][floor] * reach[floor], rays[1][floor] * reach[floor], rng, colourful)
    picture = np.clip(canvas, 0.0, 255.0).astype(np.uint8)
    if rng.random() < 0.8:
        _add_walls(picture, camera, rng, colourful)
    for _ in range(int(rng.integers(0, 4))):
        add_cuboid(picture, camera, rng, surface_colour(rng, colourful))
    return picture


def _floor_colours(
    x: NDArray[np.float64], y: NDArray[np.float64], rng: np.random.Generator, colourful: float
) -> NDArray[np.float64]:
    """Return the colours of points of the floor, shape (n, 3): plain, checks or planks."""
    first, second = surface_colour(rng, colourful), surface_colour(rng, colourful)
    kind = rng.random()
    if kind < 0.4:
        return np.broadcast_to(first, (*x.shape, 3))
    turn, cell = rng.uniform(0.0, math.tau), rng.uniform(0.1, 1.0)
    along = (x * math.cos(turn) + y * math.sin(turn)) / cell
    across = (y * math.cos(turn) - x * math.sin(turn)) / (cell if kind < 0.8 else cell / 6.0)
    odd = (np.floor(along) + np.floor(across)) % 2.0
    # Far checks blur into their mean, as filtered textures do.
    weight = 0.5 + (odd - 0.5) * np.clip(2.0 - np.hypot(x, y) / (8.0 * cell), 0.0, 1.0)
    return np.asarray(first + (second - first) * weight[:, None])


def _add_walls(picture: Image, camera: ViewCamera, rng: np.random.Generator, colourful: float) -> None:
    """Paint the walls of a rectangular room that the camera stands in."""
    front, back, left, right = rng.uniform(0.8, 5.0), -3.0, rng.uniform(0.6, 4.0), -rng.uniform(0.6, 4.0)
    turn = rng.uniform(-0.8, 0.8)
    corners = np.array([[front, left], [front, right], [back, right], [back, left]])
    corners = corners @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    colour = surface_colour(rng, colourful)
    height = _WALL if rng.random() < 0.6 else rng.uniform(0.3, 3.0)
    for index in range(4):
        shade = rng.uniform(0.6, 1.0)
        # In short pieces, so that those behind the camera can be left out.
        steps = np.linspace(corners[index], corners[(index + 1) % 4], 25)
        for start, end in pairwise(steps):
            piece = np.array([[*start, 0.0], [*end, 0.0], [*end, height], [*start, height]])
            _fill(picture, camera, piece, colour * shade)


def _fill(picture: Image, camera: ViewCamera, corners: NDArray[np.float64], colour: NDArray[np.float64]) -> None:
    """Paint a flat convex shape, corners of shape (n, 3); nothing where a part of it is behind the camera."""
    seen = camera.project(corners)
    if seen is not None and np.abs(seen).max() < 4000.0:
        points = np.round(seen * 16.0 - 8.0).astype(np.int32)
        cv2.fillConvexPoly(picture, points, np.clip(colour, 0, 255).tolist(), cv2.LINE_AA, 4)


def add_cuboid(picture: Image, camera: ViewCamera, rng: np.random.Generator, colour: NDArray[np.float64]) -> None:
    """Paint a box that stands on the floor."""
    distance, bearing = rng.uniform(0.5, 4.0), rng.uniform(-0.5, 0.5)
    centre = np.array([distance * math.cos(bearing), distance * math.sin(bearing)])
    length, width, height = rng.uniform(0.1, 0.5, 3)
    turn = rng.uniform(0.0, math.tau)
    ahead = np.array([math.cos(turn), math.sin(turn)]) * length / 2.0
    side = np.array([-math.sin(turn), math.cos(turn)]) * width / 2.0
    base = np.stack([centre + ahead + side, centre + ahead - side, centre - ahead - side, centre - ahead + side])
    for index in range(4):
        start, end = base[index], base[(index + 1) % 4]
        middle = (start + end) / 2.0
        if float((middle - centre) @ middle) < 0.0:
            face = np.array([[*start, 0.0], [*end, 0.0], [*end, height], [*start, height]])
            _fill(picture, camera, face, colour * rng.uniform(0.5, 1.0))
    if height < camera.height:
        _fill(picture, camera, np.column_stack([base, np.full(4, height)]), colour)


def draw_texture(size: int, rng: np.random.Generator, colourful: float) -> Image:
    """Return a surface with structure at several scales, such as carpet, foliage or a poster wall."""
    canvas = np.zeros((size, size, 3), np.float32) + surface_colour(rng, colourful).astype(np.float32)
    for cells in (3, 8, 24, 80):
        rough = rng.normal(0.0, rng.uniform(2.0, 45.0), (cells, cells, 3)).astype(np.float32)
        if rng.random() > colourful:
            rough[:] = rough.mean(axis=2, keepdims=True)
        way = cv2.INTER_CUBIC if rng.random() < 0.7 else cv2.INTER_NEAREST
        canvas += cv2.resize(rough, (size, size), interpolation=way)
    return np.clip(canvas, 0.0, 255.0).astype(np.uint8)


def real_background(frames: Sequence[Image], size: int, rng: np.random.Generator) -> Image:
    """Return a part of a real frame, at times mirrored or brighter; shape (size, size, 3)."""
    frame = frames[int(rng.integers(len(frames)))]
    height, width = frame.shape[:2]
    part = int(min(height, width) * rng.uniform(0.6, 1.0))
    top, left = int(rng.integers(0, height - part + 1)), int(rng.integers(0, width - part + 1))
    picture = cv2.resize(frame[top : top + part, left : left + part], (size, size), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.5:
        picture = picture[:, ::-1]
    return np.clip(picture * rng.uniform(0.6, 1.2, 3), 0.0, 255.0).astype(np.uint8)


def add_clutter(picture: Image, rng: np.random.Generator, colourful: float) -> None:
    """Paint some shapes of any colour: things that lie about."""
    size = picture.shape[0]
    for _ in range(int(rng.integers(0, 9))):
        colour = rng.integers(0, 256, 3).tolist() if rng.random() < 0.5 else surface_colour(rng, colourful).tolist()
        centre = rng.uniform(0.0, size, 2)
        extent = float(np.exp(rng.uniform(math.log(4.0), math.log(70.0))))
        if rng.random() < 0.3:
            axes = np.round(rng.uniform(0.3, 1.0, 2) * extent / 2.0).astype(int).tolist()
            cv2.ellipse(
                picture, centre.astype(int).tolist(), axes, rng.uniform(0, 180), 0, 360, colour, -1, cv2.LINE_AA
            )
        else:
            corners = centre + rng.uniform(-0.5, 0.5, (int(rng.integers(3, 6)), 2)) * extent
            cv2.fillPoly(picture, [np.round(corners).astype(np.int32)], colour, lineType=cv2.LINE_AA)
