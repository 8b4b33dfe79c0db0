"""Letters of a film: text in a real font, where OpenCV knows only strokes."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font
from numpy.typing import NDArray

__all__ = ["Colour", "Letters"]

Colour = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""

_UNKNOWN = "?"
_PAD = 2
_RIM = np.ones((2 * _PAD + 1, 2 * _PAD + 1), dtype=np.uint8)


class Letters:
    """A font in one size.

    Args:
        size: of the letters, px
        bold: whether they are bold
    """

    def __init__(self, size: int, bold: bool = False) -> None:
        font = findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal"))
        self._font = FT2Font(font)
        self._font.set_size(size, 72)
        self._known = frozenset(map(chr, self._font.get_charmap()))
        self._mask = lru_cache(maxsize=512)(self._draw)

    def width(self, text: str) -> int:
        """Return how wide a text is, px."""
        return int(self._mask(text)[0].shape[1])

    def fitted(self, text: str, width: int) -> str:
        """Return a text, cut so that it is no wider than so many pixels."""
        if self.width(text[:200]) <= width:
            return text[:200]
        low, high = 0, min(len(text), 200)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.width(f"{text[:middle]}…") <= width else (low, middle - 1)
        return f"{text[:low]}…"

    def write(
        self,
        image: NDArray[np.uint8],
        text: str,
        place: tuple[float, float],
        colour: Colour,
        *,
        middle: bool = False,
        halo: Colour | None = None,
    ) -> None:
        """Write a text into an image; what does not fit into it is cut off.

        Args:
            image: shape (height, width, 3), changed
            text: of one line
            place: column of the text's begin, or of its middle, and row of its base line, px
            colour: of the letters
            middle: whether the column is the middle's
            halo: colour of a rim about the letters, so that they can be read on anything
        """
        mask, below = self._mask(text)
        height, width = mask.shape
        left = round(place[0] - (width / 2.0 if middle else _PAD))
        top = round(place[1]) + below - height
        x0, y0 = max(left, 0), max(top, 0)
        x1, y1 = min(left + width, image.shape[1]), min(top + height, image.shape[0])
        if x0 >= x1 or y0 >= y1:
            return
        inside = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
        part = image[y0:y1, x0:x1]
        if halo is not None:
            _lay(part, cv2.dilate(mask, _RIM).astype(np.uint8)[inside], halo)
        _lay(part, mask[inside], colour)

    def _draw(self, text: str) -> tuple[NDArray[np.uint8], int]:
        """Return a text's coverage, shape (height, width), and how far it reaches below its base line, px."""
        shown = "".join(letter if letter in self._known else _UNKNOWN for letter in text)
        self._font.set_text(shown)
        self._font.draw_glyphs_to_bitmap(antialiased=True)
        drawn = np.array(self._font.get_image(), dtype=np.uint8)
        return np.pad(drawn, _PAD), round(self._font.get_descent() / 64) + _PAD


def _lay(part: NDArray[np.uint8], mask: NDArray[np.uint8], colour: Colour) -> None:
    """Lay a colour over a part of an image, as far as the mask says."""
    share = mask[..., None].astype(np.float32) / 255.0
    part[:] = np.rint(part + share * (np.asarray(colour, dtype=np.float32) - part)).astype(np.uint8)
