"""The signs themselves: flat drawings of a wolf, a rabbit and a carrot, as polygons in the unit square.

One description of each drawing gives what the network learns and, by ``scripts/make_signs.py``, the SVG for people,
the PNG for the arena's textures and the PDF for the printer, so that a lab prints exactly what the network knows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["DRAWINGS", "LABELS", "MARGIN", "Drawing", "Shape", "raster"]

LABELS = ("wolf_sign", "rabbit_sign", "carrot")
"""Classes of the detector, in the order of its outputs."""

MARGIN = 10.0 / 210.0
"""White rim that printers leave free, as a share of the width: 10 mm of an A4 sheet's 210 mm."""

_FRAME = 0.09
_WHITE = "#ffffff"
_CURVE = 40
"""Corners of the polygon that stands for an ellipse."""

_OVERSAMPLING = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled polygon: its colour, ``#rrggbb``, and its corners (x rightwards, y downwards) in widths of the sign."""

    colour: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A sign: the class that a detector reports, and shapes from the back, which fills the square, to the front."""

    label: str
    shapes: tuple[Shape, ...]


def raster(drawing: Drawing, size: int) -> NDArray[np.uint8]:
    """Return a drawing as an image, its edges smoothed.

    Args:
        drawing: the sign
        size: of the image's sides, px

    Returns:
        shape (size, size, 3), blue green red
    """
    large = np.zeros((size * _OVERSAMPLING, size * _OVERSAMPLING, 3), np.uint8)
    for shape in drawing.shapes:
        # Sixteenths of a pixel; the half pixel puts the origin at the corner of the first pixel.
        corners = np.round((np.array(shape.points) * size * _OVERSAMPLING - 0.5) * 16.0).astype(np.int32)
        cv2.fillPoly(large, [corners], _bgr(shape.colour), lineType=cv2.LINE_8, shift=4)
    return np.asarray(cv2.resize(large, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def _bgr(colour: str) -> tuple[int, int, int]:
    return int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16)


def _polygon(colour: str, *points: tuple[float, float]) -> Shape:
    return Shape(colour, points)


def _ellipse(colour: str, centre: tuple[float, float], radii: tuple[float, float], tilt_deg: float = 0.0) -> Shape:
    """Return an ellipse; a positive tilt turns it clockwise."""
    cosine, sine = math.cos(math.radians(tilt_deg)), math.sin(math.radians(tilt_deg))
    points = []
    for index in range(_CURVE):
        angle = index * math.tau / _CURVE
        x, y = radii[0] * math.cos(angle), radii[1] * math.sin(angle)
        points.append((centre[0] + x * cosine - y * sine, centre[1] + x * sine + y * cosine))
    return Shape(colour, tuple(points))


def _mirrored(shape: Shape) -> tuple[Shape, Shape]:
    """Return a shape and its mirror image about the vertical middle."""
    return shape, Shape(shape.colour, tuple((1.0 - x, y) for x, y in shape.points))


def _square(colour: str, inset: float) -> Shape:
    low, high = inset, 1.0 - inset
    return _polygon(colour, (low, low), (high, low), (high, high), (low, high))


def _framed(label: str, colour: str, shapes: Sequence[Shape]) -> Drawing:
    """Return a white card with a coloured frame within its white rim, and shapes on it."""
    card = (_square(_WHITE, 0.0), _square(colour, MARGIN), _square(_WHITE, MARGIN + _FRAME))
    return Drawing(label, (*card, *shapes))


def _wolf() -> Drawing:
    dark, pale, eye = "#17171c", "#b9bcc4", "#ffd21f"
    head = _polygon(
        dark,
        *((0.20, 0.17), (0.40, 0.31), (0.60, 0.31), (0.80, 0.17), (0.80, 0.46), (0.84, 0.60)),
        *((0.68, 0.68), (0.60, 0.83), (0.40, 0.83), (0.32, 0.68), (0.16, 0.60), (0.20, 0.46)),
    )
    return _framed(
        "wolf_sign",
        "#d3121f",
        (
            head,
            *_mirrored(_polygon(pale, (0.25, 0.26), (0.35, 0.34), (0.27, 0.42))),
            *_mirrored(_polygon(eye, (0.27, 0.44), (0.45, 0.53), (0.33, 0.55))),
            _polygon(pale, (0.44, 0.56), (0.56, 0.56), (0.58, 0.79), (0.42, 0.79)),
            _polygon(dark, (0.42, 0.66), (0.58, 0.66), (0.50, 0.76)),
        ),
    )


def _rabbit() -> Drawing:
    fur, inner, dark = "#f06ab2", "#ffd9ec", "#3a1030"
    return _framed(
        "rabbit_sign",
        "#1450c8",
        (
            *_mirrored(_ellipse(fur, (0.395, 0.34), (0.085, 0.185), -7.0)),
            *_mirrored(_ellipse(inner, (0.393, 0.33), (0.04, 0.13), -7.0)),
            _ellipse(fur, (0.5, 0.655), (0.225, 0.185)),
            *_mirrored(_ellipse(dark, (0.405, 0.62), (0.035, 0.05))),
            _polygon(dark, (0.45, 0.69), (0.55, 0.69), (0.50, 0.74)),
            _polygon(_WHITE, (0.455, 0.745), (0.545, 0.745), (0.545, 0.825), (0.455, 0.825)),
        ),
    )


def _carrot() -> Drawing:
    root, ridge, leaf = "#ff7d0a", "#b84c00", "#1f9a34"
    return _framed(
        "carrot",
        "#0f8a3c",
        (
            *_mirrored(_ellipse(leaf, (0.385, 0.255), (0.05, 0.115), -38.0)),
            _ellipse(leaf, (0.5, 0.24), (0.055, 0.085)),
            _polygon(
                root,
                *((0.28, 0.42), (0.33, 0.345), (0.42, 0.32), (0.58, 0.32), (0.67, 0.345), (0.72, 0.42)),
                *((0.68, 0.52), (0.53, 0.83), (0.50, 0.845), (0.47, 0.83), (0.32, 0.52)),
            ),
            _polygon(ridge, (0.31, 0.47), (0.50, 0.47), (0.50, 0.505), (0.325, 0.505)),
            _polygon(ridge, (0.52, 0.58), (0.655, 0.58), (0.637, 0.615), (0.52, 0.615)),
            _polygon(ridge, (0.41, 0.69), (0.50, 0.69), (0.50, 0.72), (0.424, 0.72)),
        ),
    )


DRAWINGS = (_wolf(), _rabbit(), _carrot())
"""The three signs, in the order of :data:`LABELS`."""
