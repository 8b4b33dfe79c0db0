"""The pen of a film: draws shapes into an image, and what else is drawn in metres of the map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.report_page.tracks import FARTHEST
from arena_trees.recording.video.letters import Colour, Letters
from arena_trees.world import palette
from arena_trees.world.shapes import Disc, Path, Point, Polygon, Shape, Text, in_layers

__all__ = ["Pen", "bgr"]

_FRACTION = 4
"""Bits of a pixel's fraction, as OpenCV takes coordinates."""
_LONGEST = 20_000.0
"""Pixels; a line that leaves the image so often over is not worth its dashes."""
_LETTERS = (10, 60)
"""Smallest and largest letters, px."""
_LINE = 1.25
"""Height of a line in letters."""
_FADES = 6
"""Pieces of a line that begins pale."""
_SMALLEST_DASH = 4.0
"""Pixels."""


def bgr(colour: str) -> Colour:
    """Return a colour ``#rrggbb`` as OpenCV takes it."""
    red, green, blue = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return blue, green, red


class Pen:
    """Draws in the map's metres, x to the right and y up.

    Args:
        size: of the square image, px
        middle: what lies in the middle of the image, m, map frame, shape (2,)
        scale: pixels a metre
    """

    def __init__(self, size: int, middle: NDArray[np.float64], scale: float) -> None:
        self._size = size
        self._middle = middle
        self.scale = scale

    def pixels(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where points are in the image, shape (k, 2), px."""
        near = np.clip(points, -FARTHEST, FARTHEST)
        pixels: NDArray[np.float64] = (near - self._middle) * (self.scale, -self.scale) + self._size / 2.0
        return pixels

    def draw(self, image: NDArray[np.uint8], shapes: Iterable[Shape]) -> None:
        """Draw shapes, those of a higher layer later."""
        for shape in in_layers(shapes):
            if isinstance(shape, Polygon):
                self._polygon(image, shape)
            elif isinstance(shape, Disc):
                self._circle(image, shape)
            elif isinstance(shape, Path):
                self._path(image, shape)
            else:
                self._text(image, shape)

    def line(
        self, image: NDArray[np.uint8], pixels: NDArray[np.float64], colour: Colour, width: int, closed: bool = False
    ) -> None:
        """Draw a line through points, in pixels."""
        if len(pixels) > 1:
            cv2.polylines(image, [_fixed(pixels)], closed, colour, width, cv2.LINE_AA, _FRACTION)

    def fill(self, image: NDArray[np.uint8], pixels: NDArray[np.float64], colour: Colour) -> None:
        """Fill a polygon, in pixels."""
        cv2.fillPoly(image, [_fixed(pixels)], colour, cv2.LINE_AA, _FRACTION)

    def disc(
        self, image: NDArray[np.uint8], centre: NDArray[np.float64], radius: float, colour: Colour, width: int = -1
    ) -> None:
        """Draw a disc, or a circle of some width, in pixels."""
        x, y = (int(part) for part in _fixed(centre[None])[0])
        reach = round(min(radius, _LONGEST) * (1 << _FRACTION))
        cv2.circle(image, (x, y), reach, colour, width, cv2.LINE_AA, _FRACTION)

    def dashed(
        self,
        image: NDArray[np.uint8],
        pixels: NDArray[np.float64],
        colour: Colour,
        begin: float,
        dash: float,
        width: int = 1,
    ) -> None:
        """Draw every other piece of a line through points, in pixels.

        Args:
            image: changed
            pixels: of the line
            colour: of the dashes
            begin: where the first dash begins along the line, px
            dash: length of a dash, px
            width: px
        """
        lengths = np.hypot(*np.diff(pixels, axis=0).T)
        along = np.concatenate([[0.0], np.cumsum(lengths)])
        # Round ends make a dash longer than its line.
        drawn = max(dash - width, 1.0)
        for start in np.arange(begin, min(along[-1], _LONGEST), 2.0 * dash):
            cuts = np.unique(np.concatenate([[start, start + drawn], along[(along > start) & (along < start + drawn)]]))
            piece = np.stack([np.interp(cuts, along, pixels[:, axis]) for axis in (0, 1)], axis=1)
            self.line(image, piece, colour, width)

    def _polygon(self, image: NDArray[np.uint8], shape: Polygon) -> None:
        pixels = self._places(shape.points)

        def draw(layer: NDArray[np.uint8]) -> None:
            if shape.fill is not None:
                self.fill(layer, pixels, bgr(shape.fill))
            if shape.line is not None and shape.dash:
                dash = max(shape.dash * self.scale, _SMALLEST_DASH)
                begin = shape.shift % (2.0 * shape.dash) / shape.dash * dash
                self.dashed(layer, np.vstack([pixels, pixels[:1]]), bgr(shape.line), begin, dash, self._wide(shape))
            elif shape.line is not None:
                self.line(layer, pixels, bgr(shape.line), self._wide(shape), closed=True)

        _blend(image, shape.alpha, draw)

    def _circle(self, image: NDArray[np.uint8], shape: Disc) -> None:
        centre, radius = self._places(((shape.x, shape.y),))[0], max(shape.radius * self.scale, 1.0)

        def draw(layer: NDArray[np.uint8]) -> None:
            if shape.fill is not None:
                self.disc(layer, centre, radius, bgr(shape.fill))
            if shape.line is not None:
                self.disc(layer, centre, radius, bgr(shape.line), self._wide(shape))

        _blend(image, shape.alpha, draw)

    def _path(self, image: NDArray[np.uint8], shape: Path) -> None:
        pixels, width = self._places(shape.points), self._wide(shape)
        if len(pixels) < 2:
            return

        def draw(layer: NDArray[np.uint8]) -> None:
            if shape.dash:
                dash = max(shape.dash * self.scale, _SMALLEST_DASH)
                self.dashed(layer, pixels, bgr(shape.colour), 0.0, dash, width)
                return
            pieces = _FADES if shape.fading else 1
            ends = np.linspace(0, len(pixels) - 1, pieces + 1).astype(int)
            for number, (begin, end) in enumerate(pairwise(ends.tolist()), 1):
                colour = palette.pale(shape.colour, 0.8 * (1.0 - number / pieces))
                self.line(layer, pixels[begin : end + 1], bgr(colour), width)

        _blend(image, shape.alpha, draw)

    def _text(self, image: NDArray[np.uint8], shape: Text) -> None:
        low, high = _LETTERS
        size = round(min(max(shape.size * self.scale, low), high))
        letters = _letters(size, shape.bold)
        colour = bgr(palette.pale(shape.colour, 1.0 - shape.alpha))
        halo = None if shape.halo is None else bgr(shape.halo)
        x, y = self._places(((shape.x, shape.y),))[0]
        lines = shape.text.split("\n")
        for number, line in enumerate(lines):
            row = y + (number - (len(lines) - 1) / 2.0) * _LINE * size + 0.36 * size
            letters.write(image, letters.fitted(line, self._size), (x, row), colour, middle=True, halo=halo)

    def _places(self, points: Iterable[Point]) -> NDArray[np.float64]:
        return self.pixels(np.array(list(points), dtype=np.float64).reshape(-1, 2))

    def _wide(self, shape: Polygon | Disc | Path) -> int:
        return min(max(round(shape.width * self.scale), 1), 100)


@lru_cache(maxsize=32)
def _letters(size: int, bold: bool) -> Letters:
    return Letters(size, bold)


def _blend(image: NDArray[np.uint8], alpha: float, draw: Callable[[NDArray[np.uint8]], None]) -> None:
    """Draw with an opacity."""
    if alpha >= 1.0:
        draw(image)
        return
    layer = image.copy()
    draw(layer)
    cv2.addWeighted(layer, alpha, image, 1.0 - alpha, 0.0, image)


def _fixed(pixels: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return pixels as OpenCV takes them with fractions; what is far outside the image stays outside."""
    return np.rint(np.clip(pixels, -_LONGEST, _LONGEST) * (1 << _FRACTION)).astype(np.int32)
