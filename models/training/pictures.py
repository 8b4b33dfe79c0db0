"""What is printed on the cards of a scene: our signs, other people's signs and look-alikes."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.models.training.drawings import DRAWINGS, raster

__all__ = ["Image", "on_paper", "paste", "random_picture", "sign_pictures"]

Image = NDArray[np.uint8]

_SIDE = 192
_FINE_PX = 110.0
"""Cards that appear smaller than this are painted at twice the size and averaged down."""

_FRAMES = ((31, 18, 211), (200, 80, 20), (60, 138, 15))
"""Blue green red of our own signs' frames, which look-alikes have too."""

_RIM, _THICK = 5, 9
"""Width of their rim and frame in the pictures of look-alikes, px."""

_INKS = ((28, 23, 23), (178, 106, 240), (10, 125, 255), (30, 30, 30), (40, 40, 200), (190, 90, 20), (60, 150, 40))


def sign_pictures() -> tuple[Image, ...]:
    """Return our signs in the order of their labels, each of shape (192, 192, 3)."""
    return tuple(raster(drawing, _SIDE) for drawing in DRAWINGS)


def paste(canvas: Image, picture: Image, corners: NDArray[np.float64], light: NDArray[np.float64]) -> None:
    """Paint a picture onto a canvas so that its corners come to lie at given places.

    Args:
        canvas: shape (h, w, 3); painted on
        picture: square, shape (n, n, 3)
        corners: where its corners go, clockwise from the upper left: columns and rows, shape (4, 2), px
        light: factor of the light at the left and the right edge, shape (2,)
    """
    height, width = canvas.shape[:2]
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, (width, height))
    if (high <= low).any():
        return
    extent = float((corners.max(axis=0) - corners.min(axis=0)).max())
    factor = 1 if extent > _FINE_PX else 2
    side = int(min(picture.shape[0], max(8, 2 ** math.ceil(math.log2(extent * factor)))))
    source = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
    lit = source.astype(np.float32) * np.linspace(light[0], light[1], side, dtype=np.float32)[None, :, None]
    layers = np.dstack([np.clip(lit, 0.0, 255.0).astype(np.uint8), np.full((side, side), 255, np.uint8)])
    # A pixel's centre lies half a pixel from its corner, in the picture as on the canvas.
    edge = np.array([[-0.5, -0.5], [side - 0.5, -0.5], [side - 0.5, side - 0.5], [-0.5, side - 0.5]], np.float32)
    target = ((corners - low) * factor - 0.5).astype(np.float32)
    size = ((high - low) * factor).tolist()
    warped = cv2.warpPerspective(layers, cv2.getPerspectiveTransform(edge, target), size, flags=cv2.INTER_LINEAR)
    if factor == 2:
        warped = cv2.resize(warped, (high - low).tolist(), interpolation=cv2.INTER_AREA)
    region = canvas[low[1] : high[1], low[0] : high[0]]
    alpha = warped[..., 3:].astype(np.float32) / 255.0
    # The colours outside the card are zero already, as the warp leaves them.
    region[:] = np.clip(region * (1.0 - alpha) + warped[..., :3], 0.0, 255.0).astype(np.uint8)


def on_paper(picture: Image, far: float, rng: np.random.Generator) -> Image:
    """Return a picture as a printer and its paper make it: weak or strong inks, grey black, tinted paper, a sheen.

    Args:
        picture: shape (n, n, 3)
        far: from the picture's own colours, 0 to 1
        rng: its random stream
    """
    value = (picture.astype(np.float32) / 255.0) ** np.exp(rng.uniform(-0.35, 0.25, 3) * far).astype(np.float32)
    grey = value.mean(axis=2, keepdims=True)
    value = grey + (value - grey) * np.float32(1.0 - rng.uniform(-0.1, 0.4) * far)
    black, paper = rng.uniform(0.0, 0.22) * far, 1.0 - rng.uniform(0.0, 0.14, 3) * far
    value = black + (paper - black).astype(np.float32) * value
    if rng.random() < 0.25 * far:
        slope = np.linspace(-1.0, 1.0, picture.shape[0], dtype=np.float32)
        sheen = np.exp(-(((slope - rng.uniform(-1.0, 1.0)) / rng.uniform(0.1, 0.4)) ** 2))
        value = value + rng.uniform(0.1, 0.4) * sheen[None, :, None]
    return np.asarray(np.clip(value * 255.0, 0.0, 255.0), np.uint8)


def random_picture(rng: np.random.Generator) -> Image:
    """Return the picture of a card that is none of our signs, shape (96, 96, 3)."""
    side = 96
    paper = (255, 255, 255) if rng.random() < 0.7 else _any_colour(rng)
    picture = np.full((side, side, 3), paper, np.uint8)
    if rng.random() < 0.6:
        # Half of the frames are exactly our signs'.
        own = rng.random() < 0.5
        rim, thick = (_RIM, _THICK) if own else (int(rng.integers(0, 10)), int(rng.integers(4, 14)))
        colour = _FRAMES[rng.integers(3)] if own or rng.random() < 0.3 else _any_colour(rng)
        cv2.rectangle(picture, (rim, rim), (side - 1 - rim, side - 1 - rim), colour, -1)
        inner = rim + thick
        cv2.rectangle(picture, (inner, inner), (side - 1 - inner, side - 1 - inner), paper, -1)
    ink = _INKS[rng.integers(len(_INKS))] if rng.random() < 0.7 else _any_colour(rng)
    motifs = (_arrow, _polygon_motif, _letters, _discs, _bars, _blob, _checks)
    motif = int(rng.integers(len(motifs) + 1))
    if motif < len(motifs):
        motifs[motif](picture, ink, rng)
    return picture


def _any_colour(rng: np.random.Generator) -> tuple[int, int, int]:
    blue, green, red = rng.integers(0, 256, 3).tolist()
    return blue, green, red


def _arrow(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    shape = np.array([[-30, -9], [4, -9], [4, -26], [32, 0], [4, 26], [4, 9], [-30, 9]], float) * rng.uniform(0.6, 1.0)
    angle = rng.integers(4) * math.pi / 2.0
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    cv2.fillPoly(picture, [np.round(shape @ turn.T + 48.0).astype(np.int32)], ink, lineType=cv2.LINE_AA)


def _polygon_motif(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Draw a regular polygon, such as a warning triangle or a stop sign, perhaps with a word in it."""
    corners = int(rng.choice([3, 4, 5, 6, 8, 8]))
    angles = np.arange(corners) * math.tau / corners + rng.choice([math.pi / 2.0, -math.pi / 2.0, math.pi / 8.0])
    shape = 48.0 + rng.uniform(22, 40) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cv2.fillPoly(picture, [np.round(shape).astype(np.int32)], ink, lineType=cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.putText(picture, "STOP", (20, 56), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2, cv2.LINE_AA)


def _letters(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    for row in range(int(rng.integers(1, 4))):
        text = "".join(chr(int(code)) for code in rng.integers(65, 91, int(rng.integers(1, 5))))
        place = (int(rng.integers(12, 40)), 40 + 22 * row)
        cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, rng.uniform(0.6, 1.6), ink, 2, cv2.LINE_AA)


def _discs(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 4))):
        centre = rng.integers(28, 69, 2).tolist()
        thick = -1 if rng.random() < 0.6 else int(rng.integers(3, 9))
        cv2.circle(picture, centre, int(rng.integers(8, 30)), ink, thick, cv2.LINE_AA)


def _bars(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    step = int(rng.integers(8, 24))
    for at in range(18, 78, step):
        first, second = ((18, at), (78, at)) if step % 2 else ((at, 18), (at, 78))
        cv2.line(picture, first, second, ink, max(2, step // 2), cv2.LINE_AA)


def _blob(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Draw a jagged or rounded outline with two spots: an animal of sorts, but none of ours."""
    corners = int(rng.integers(5, 12))
    angles = (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) * math.tau / corners
    radii = rng.uniform(14, 34, corners)
    shape = 48.0 + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cv2.fillPoly(picture, [np.round(shape).astype(np.int32)], ink, lineType=cv2.LINE_AA)
    if rng.random() < 0.5:
        spot = _any_colour(rng)
        cv2.circle(picture, (40, 46), 4, spot, -1, cv2.LINE_AA)
        cv2.circle(picture, (56, 46), 4, spot, -1, cv2.LINE_AA)


def _checks(picture: Image, ink: tuple[int, int, int], rng: np.random.Generator) -> None:
    cells = int(rng.integers(3, 9))
    pattern = (rng.random((cells, cells)) < 0.5).astype(np.uint8)
    large = cv2.resize(pattern, (66, 66), interpolation=cv2.INTER_NEAREST).astype(bool)
    picture[15:81, 15:81][large] = ink
