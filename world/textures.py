"""Textures drawn from random numbers: floors, walls and what stands behind them. RGB, uint8, shape (h, w, 3)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["Picture", "backdrop_texture", "colour", "floor_texture", "wall_texture"]

Picture = NDArray[np.uint8]

_SIDE = 256
"""Side of a floor's or wall's texture, px."""


def colour(
    rng: np.random.Generator, darkest: float = 0.15, lightest: float = 0.95, chroma: float = 0.35
) -> list[float]:
    """Return a random colour, three numbers of 0 to 1; small ``chroma`` gives greys."""
    grey = rng.uniform(darkest, lightest)
    tint = rng.uniform(-chroma, chroma, 3) * rng.random()
    return [float(value) for value in np.clip(grey * (1.0 + tint), 0.02, 1.0)]


def floor_texture(rng: np.random.Generator) -> Picture:
    """Return one tile of a floor: concrete, tiles, planks, checks or carpet."""
    kinds = (_plain, _tiles, _planks, _checks, _carpet)
    return _finish(rng, kinds[int(rng.integers(len(kinds)))](rng, colour(rng, 0.12, 0.85)))


def wall_texture(rng: np.random.Generator) -> Picture:
    """Return one tile of a wall or box: paint, card, bricks, boards or stripes."""
    kinds = (_plain, _plain, _planks, _tiles, _carpet)
    return _finish(rng, kinds[int(rng.integers(len(kinds)))](rng, colour(rng, 0.15, 0.97)))


def backdrop_texture(rng: np.random.Generator, width: int = 1024, height: int = 256) -> Picture:
    """Return one wall of the room around the arena, with doors, furniture, pictures and notices."""
    image = np.empty((height, width, 3))
    image[:] = colour(rng, 0.25, 0.95, 0.25)
    image *= np.linspace(1.0, rng.uniform(0.7, 1.1), height)[:, None, None]
    for _ in range(int(rng.integers(3, 14))):
        _add_furniture(rng, image)
    for _ in range(int(rng.integers(0, 12))):
        _add_notice(rng, image)
    return _finish(rng, image)


def _finish(rng: np.random.Generator, image: NDArray[np.float64]) -> Picture:
    """Return the picture with stains and grain."""
    height, width = image.shape[:2]
    stains = rng.normal(1.0, rng.uniform(0.0, 0.08), (8, 8)).astype(np.float32)
    shade = cv2.resize(stains, (width, height), interpolation=cv2.INTER_CUBIC)
    grain = rng.normal(0.0, rng.uniform(0.0, 0.03), (height, width, 1))
    return (np.clip(image * shade[..., None] + grain, 0.0, 1.0) * 255.0).astype(np.uint8)


def _plain(rng: np.random.Generator, base: list[float]) -> NDArray[np.float64]:
    image = np.empty((_SIDE, _SIDE, 3))
    image[:] = base
    return image


def _tiles(rng: np.random.Generator, base: list[float]) -> NDArray[np.float64]:
    """Draw tiles or bricks with joints."""
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    image = np.empty((_SIDE, _SIDE, 3))
    row, column = np.arange(_SIDE) * rows // _SIDE, np.arange(_SIDE) * columns // _SIDE
    image[:] = np.asarray(base) * rng.normal(1.0, 0.06, (rows, columns, 1))[np.ix_(row, column)]
    joint = np.asarray(colour(rng, 0.1, 0.9, 0.2))
    thick = int(rng.integers(1, 5))
    for index in range(rows):
        start = index * _SIDE // rows
        image[start : start + thick] = joint
    for index in range(columns):
        start = index * _SIDE // columns
        image[:, start : start + thick] = joint
    return image


def _planks(rng: np.random.Generator, base: list[float]) -> NDArray[np.float64]:
    """Draw boards with a grain along them."""
    boards = int(rng.integers(2, 9))
    lines = (
        rng.normal(1.0, 0.05, (_SIDE, 1, 1))
        * rng.normal(1.0, 0.1, boards)[np.arange(_SIDE) * boards // _SIDE][:, None, None]
    )
    image = np.asarray(base) * np.repeat(lines, _SIDE, axis=1)
    for index in range(boards):
        image[index * _SIDE // boards] *= 0.5
    return image


def _checks(rng: np.random.Generator, base: list[float]) -> NDArray[np.float64]:
    count = 2 * int(rng.integers(1, 4))
    board = np.add.outer(np.arange(_SIDE) * count // _SIDE, np.arange(_SIDE) * count // _SIDE) % 2
    return np.where(board[..., None] == 0, np.asarray(base), np.asarray(colour(rng, 0.1, 0.95)))


def _carpet(rng: np.random.Generator, base: list[float]) -> NDArray[np.float64]:
    """Draw specks or stripes."""
    noise = rng.normal(1.0, rng.uniform(0.05, 0.25), (_SIDE, _SIDE, 1))
    if rng.random() < 0.5:
        noise = np.repeat(rng.normal(1.0, 0.15, (1, 32, 1)), 8, axis=1) * np.ones((_SIDE, 1, 1))
    return np.asarray(base) * noise


def _add_furniture(rng: np.random.Generator, image: NDArray[np.float64]) -> None:
    """Draw a door, shelf or cupboard: an upright rectangle that stands on the floor, perhaps with lines."""
    height, width = image.shape[:2]
    w, h = int(rng.integers(width // 30, width // 6)), int(rng.integers(height // 6, height * 4 // 5))
    x = int(rng.integers(0, width - w))
    image[height - h :, x : x + w] = colour(rng, 0.08, 0.95)
    for line in range(int(rng.integers(0, 6))):
        y = height - h + line * h // 6
        image[y : y + 2, x : x + w] *= 0.6


def _add_notice(rng: np.random.Generator, image: NDArray[np.float64]) -> None:
    """Draw a picture, a window or a notice with letters or shapes: something a detector must not take for a sign."""
    height, width = image.shape[:2]
    w, h = int(rng.integers(8, width // 10)), int(rng.integers(8, height // 3))
    x, y = int(rng.integers(0, width - w)), int(rng.integers(0, height - h))
    part = np.full((h, w, 3), _bytes(colour(rng, 0.5, 1.0, 0.3)), dtype=np.uint8)
    ink = _bytes(colour(rng, 0.03, 0.6, 0.8))
    kind = int(rng.integers(3))
    if kind == 0:
        text = "".join(chr(int(code)) for code in rng.integers(65, 91, 3))
        cv2.putText(part, text, (2, h - 4), cv2.FONT_HERSHEY_SIMPLEX, h / 50.0, ink, 2)
    elif kind == 1:
        cv2.circle(part, (w // 2, h // 2), max(2, min(w, h) // 3), ink, -1)
    else:
        points = np.stack([rng.integers(0, w, 5), rng.integers(0, h, 5)], axis=1).astype(np.int32)
        cv2.fillPoly(part, [points], ink)
    image[y : y + h, x : x + w] = part / 255.0


def _bytes(shade: list[float]) -> list[int]:
    return [int(255.0 * value) for value in shade]
